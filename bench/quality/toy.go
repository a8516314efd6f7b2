package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"unfold/internal/vec"
)

// The size of the data of -small: rows, and columns for sets that are projected.
const (
	toyRows    = 280
	toyColumns = reducedDims + 10
)

// toy returns a noisy rolled sheet in place of d, which needs no file, to test that everything
// works.
func toy(d dataset) dataset {
	d.find = func(string) (string, error) { return os.Executable() } // the program's age is a toy's age
	d.load = func(context.Context, string) (*table, error) { return toyTable(d), nil }
	return d
}

func toyTable(d dataset) *table {
	rng := rand.New(rand.NewPCG(7, uint64(len(d.name))))
	cols := 3
	if d.name == mnistName {
		cols = toyColumns
	}
	t := &table{x: vec.New[float32](toyRows, cols)}
	if t.names = slices.Clone(d.targets); d.color != "" && !slices.Contains(t.names, d.color) {
		t.names = append(t.names, d.color)
	}
	for i := range toyRows {
		u, v := rng.Float64(), rng.Float64()
		x := t.x.Row(i)
		for c := range x {
			x[c] = float32(.01 * rng.NormFloat64())
		}
		for c, w := range []float64{u * math.Cos(7*u), v, u * math.Sin(7*u)} {
			x[c] += float32(w)
		}
		if d.labelled() {
			t.label = append(t.label, fmt.Sprintf("class %d", int(5*u)))
		}
		known := make([]float64, len(t.names))
		for c := range known {
			known[c] = []float64{u, v}[c%2]
		}
		if len(known) > 0 {
			t.known = append(t.known, known)
		}
	}
	return t
}
