package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"unfold/models/lvm"
	"unfold/sparse/vec"
)

const (
	rollPoints = 800
	rollSteps  = 200
)

// swissRoll is section 7.3.1: a start that knows the neighbourhoods beats principal
// components, and the likelihood says so.
func swissRoll(ctx context.Context, b *bench) (string, error) {
	path := filepath.Join(b.data, "swissroll", "swiss_roll.csv.gz")
	all, err := numbers(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "Not measured: there is no swissroll/swiss_roll.csv.gz.\n", nil
	}
	if err != nil {
		return "", err
	}
	y := vec.New[float64](rollPoints, 3)
	single := vec.New[float32](rollPoints, 3)
	for i := range y.Rows {
		copy(y.Row(i), all.Row(i*(all.Rows/rollPoints)))
	}
	y = standardized(y)
	for i, v := range y.Data {
		single.Data[i] = float32(v)
	}
	own, err := lvm.Fit(ctx, single, lvm.Settings{Neighbors: 8, Seed: 1, Threads: b.threads}, nil)
	if err != nil {
		return "", err
	}
	graph := vec.New[float64](rollPoints, 2)
	for i, p := range own.Of {
		copy(graph.Row(i), own.Mu.Row(int(p)))
	}
	t := newTable("start", "log-likelihood", "time")
	for _, c := range []struct {
		name string
		x    vec.Matrix[float64]
	}{{"principal components", vec.Matrix[float64]{}}, {"latent variable model of the neighbourhood graph (kind lvm)", whitened(graph)}} {
		begin := time.Now()
		m, err := b.full(ctx, rbf, y, c.x, rollSteps)
		if err != nil {
			return "", err
		}
		t.row(c.name, fmt.Sprintf("%.1f", m.loglik), seconds(begin))
	}
	return fmt.Sprintf("%d points of the Swiss roll, %d iterations of the full model with an rbf kernel.\n\n%s", rollPoints, rollSteps, t.String()), nil
}
