package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"

	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
)

const (
	numpyOpenBLAS = "numpy on OpenBLAS"
	gpy           = "GPy"
	thousand      = "value and gradient, 1000 points"
	threeThousand = "value and gradient, 3000 points"
	perGradient   = "a gradient of conjugate gradients, 1000 points"
	fullRank      = "value and gradient, 1000 points of full rank"
	// roughness is a gamma for which K of 1000 random places has full rank.
	roughness = 20
)

func gplvmRow() row {
	return row{
		key: "gplvm", title: "Gaussian process latent variable model",
		about: `One value and gradient of the full GP-LVM (kernel rbf + bias + white, 12 outputs, 2 dimensions, random data), in double precision: K, its Cholesky factor
and inverse, dL/dK, the gradients in all places and parameters. numpy computes the same with dpotrf and dpotri of OpenBLAS. At the kernel's first
parameters K is numerically of low rank, which unfold uses; at a gamma of 20 it is of full rank. The last rows are learning by scaled conjugate gradients,
in seconds a gradient; for GPy only the gradient is measured.`,
		targets: []target{
			{what: "1000 points, of numpy's", value: share(numpyOpenBLAS, thousand), bound: 1. / 3, format: "%.3f"},
			{what: "1000 points of full rank, of numpy's", value: ratio(own, fullRank, numpyOpenBLAS, thousand), bound: 1. / 3, format: "%.3f"},
			{what: "3000 points", value: figure(own, threeThousand, 1), bound: 1.5, unit: " s", format: "%.2f"},
			{what: "learning, of GPy's time for as many gradients", value: share(gpy, perGradient), bound: .1, format: "%.3f"},
		},
		measure: measureGPLVM,
	}
}

func measureGPLVM(ctx context.Context, b *bench, r *record) error {
	for _, c := range []struct {
		what string
		n    int
	}{{thousand, b.size(1000, 100)}, {threeThousand, b.size(3000, 150)}} {
		y, x := randomMap(c.n)
		k := kernel.New(kernel.RBF{}, kernel.Bias{}, kernel.White{})
		m, err := gplvm.New(k, y, b.threads)
		if err != nil {
			return err
		}
		v := &gplvm.Value{Theta: make([]float64, k.Len()), X: vec.New[float64](c.n, x.Cols)}
		if err := b.timed(r, c.what, func() error { return m.Evaluate(v, k.Start(), x) }); err != nil {
			return err
		}
		r.note("unfold: log-likelihood %.10g of %d points", v.LogLik, c.n)
		if c.what == thousand {
			rough := k.Start()
			rough[0] = roughness
			if err := b.timed(r, fullRank, func() error { return m.Evaluate(v, rough, x) }); err != nil {
				return err
			}
			if err := b.learning(ctx, r, m, k, x); err != nil {
				return err
			}
		}
		path := b.file("gplvm.f64")
		if err := writeFloats(path, append(append([]float64(nil), y.Data...), x.Data...)); err != nil {
			return err
		}
		if _, err := b.peer(ctx, r, numpyOpenBLAS+" and "+gpy, "gplvm", path, fmt.Sprint(c.n), c.what, perGradient); err != nil {
			return err
		}
	}
	return nil
}

// learning measures the course of conjugate gradients.
func (b *bench) learning(ctx context.Context, r *record, m *gplvm.Model, k *kernel.Kernel, x vec.Matrix[float64]) error {
	var course optimize.Result
	once := new(record)
	err := b.timed(once, perGradient, func() (err error) {
		course, err = m.Learn(ctx, &gplvm.Point{Theta: k.Start(), X: x.Clone()}, optimize.Settings{Steps: b.size(50, 3)})
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range once.Series {
		for _, took := range s.Samples {
			r.add(own, perGradient, seconds, took/float64(course.Gradients))
		}
	}
	r.note("unfold: %d iterations with %d gradients", course.Iterations, course.Gradients)
	return nil
}

// randomMap returns n vectors of 12 random values, and 2 random coordinates of each.
func randomMap(n int) (y, x vec.Matrix[float64]) {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	y, x = vec.New[float64](n, 12), vec.New[float64](n, 2)
	for _, m := range []vec.Matrix[float64]{y, x} {
		for i := range m.Data {
			m.Data[i] = rnd.NormFloat64()
		}
	}
	return y, x
}

func writeFloats(path string, v []float64) error {
	var raw bytes.Buffer
	if err := binary.Write(&raw, binary.LittleEndian, v); err != nil {
		return err
	}
	return os.WriteFile(path, raw.Bytes(), 0o666)
}
