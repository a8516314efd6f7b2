package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep"
	"unfold/models/ep/labels"
	"unfold/models/psi"
)

const (
	oneSweep      = "a sweep"
	psiAndMore    = "psi statistics and gradients"
	classLine     = "classes predicted"
	classesLearnt = "classes learnt"
	classesAgain  = "classes learnt again"
)

func epRow() row {
	return row{
		key: "ep", title: "Expectation propagation on uncertain inputs",
		about: `10,000 uncertain inputs in the plane, 100 inducing inputs, random data, double precision. A sweep visits all sites of a probit classifier once. The psi
statistics of 2,000 inputs are Psi1, the sum of Psi2, and derivatives in the inputs' means and variances, the inducing inputs and the kernel's
parameters. Ten classes are learnt from 1,500 labelled events with uncertain places, and predicted for 20,000 others, by the wall clock. "Again" starts
with the sites and the kernel of the map before.`,
		targets: []target{
			{what: "a sweep", value: figure(own, oneSweep, 1), bound: 1, unit: " s", format: "%.2f"},
			{what: "psi statistics, times as fast as GPy", value: faster(gpy, psiAndMore), bound: 3, above: true, format: "%.0f"},
			{what: "classes, thousand predictions a second", value: figure(own, classLine, 1e-3), bound: 50, above: true, format: "%.0f"},
			{what: "ten classes, learnt", value: figure(own, classesLearnt, 1), bound: 10, unit: " s", format: "%.2f"},
			{what: "ten classes, learnt again", value: figure(own, classesAgain, 1), bound: 2, unit: " s", format: "%.2f"},
		},
		measure: measureEP,
	}
}

func measureEP(ctx context.Context, b *bench, r *record) error {
	if err := b.classes(ctx, r); err != nil {
		return err
	}
	n, m := b.size(10000, 200), b.size(100, 10)
	rnd := rand.New(rand.NewPCG(3, 4))
	in := psi.Inputs{Mu: vec.New[float64](n, 2), S: vec.New[float64](n, 2)}
	z, w1, w2, y := vec.New[float64](m, 2), vec.New[float64](n, m), vec.New[float64](m, m), make([]float64, n)
	for _, x := range []vec.Matrix[float64]{in.Mu, z, w1, w2} {
		for i := range x.Data {
			x.Data[i] = rnd.NormFloat64()
		}
	}
	for i := range in.S.Data {
		in.S.Data[i] = 0.05
	}
	for i := range y {
		y[i] = math.Copysign(1, math.Sin(3*in.Mu.Row(i)[0])+0.3*rnd.NormFloat64())
	}
	for i := range m {
		for j := range i {
			w2.Row(i)[j] = w2.Row(j)[i]
		}
	}
	k := &psi.Kernel{Variance: 2, Alpha: []float64{2, 2}}
	p, err := ep.NewProcess(k, in, z, b.threads)
	if err != nil {
		return err
	}
	s, err := ep.NewSparse(ep.Probit{}, p, y)
	if err != nil {
		return err
	}
	err = b.timed(r, oneSweep, func() error {
		_, err := s.Run(ep.Settings{Sweeps: 1, Tolerance: -1})
		return err
	})
	if err != nil {
		return err
	}
	n = b.size(2000, 100)
	in, w1 = psi.Inputs{Mu: in.Mu.Slice(0, n), S: in.S.Slice(0, n)}, w1.Slice(0, n)
	first, second, ones := vec.New[float64](n, m), vec.New[float64](m, m), make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	var g *psi.Gradient
	err = b.timed(r, psiAndMore, func() error {
		k.First(first, in, z, b.threads)
		k.Second(second, ones, in, z, b.threads)
		g = psi.NewGradient(n, m, 2)
		k.FirstGradient(g, w1, in, z, b.threads)
		k.SecondGradient(g, ones, w2, in, z, b.threads)
		return nil
	})
	if err != nil {
		return err
	}
	r.note("unfold: sums weighted %.10g, derivative in the variance %.10g", vec.Dot(first.Data, w1.Data)+vec.Dot(second.Data, w2.Data), g.Variance)
	path := b.file("ep.f64")
	var all []float64
	for _, x := range []vec.Matrix[float64]{in.Mu, in.S, z, w1, w2} {
		all = append(all, x.Data...)
	}
	if err := writeFloats(path, all); err != nil {
		return err
	}
	_, err = b.peer(ctx, r, gpy, "ep", path, fmt.Sprint(n), fmt.Sprint(m), psiAndMore)
	return err
}

// classes measures learning and predicting classes as in a stream.
func (b *bench) classes(ctx context.Context, r *record) error {
	known, others := rings(b.size(1500, 200), 1), rings(b.size(20000, 200), 2)
	set := labels.Swift()
	set.Threads = b.threads
	var model *labels.Classifier
	learn := func(what string, old *labels.Classifier) error {
		return b.timed(r, what, func() (err error) {
			model, _, err = labels.Train(ctx, known, old, set)
			return err
		})
	}
	if err := learn(classesLearnt, nil); err != nil {
		return err
	}
	set.Fixed = true
	if err := learn(classesAgain, model); err != nil {
		return err
	}
	at := models.Placed{Mu: vec.Convert[float32](others.Mu), Sigma: make([]float32, len(others.Sigma))}
	for i, s := range others.Sigma {
		at.Sigma[i] = float32(s)
	}
	class, probability, right := make([]int32, at.Mu.Rows), make([]float32, at.Mu.Rows), 0
	for range b.size(rounds, 1) {
		clock := time.Now()
		if err := model.Predict(ctx, class, probability, at, b.threads); err != nil {
			return err
		}
		r.add(own, classLine, perSec, float64(at.Mu.Rows)/time.Since(clock).Seconds())
	}
	for i, c := range class {
		if c == others.Class[i] {
			right++
		}
	}
	r.note("unfold: factor of the places' variances %g, %.1f%% of the classes are right", model.Spread, 100*float64(right)/float64(len(class)))
	return nil
}

// rings returns events of ten classes on circles, one per class. They deviate from their places
// according to their scales.
func rings(n int, seed uint64) labels.Events {
	const classes = 10
	rnd := rand.New(rand.NewPCG(seed, 9))
	e := labels.Events{Mu: vec.New[float64](n, 2), Sigma: make([]float64, n), Class: make([]int32, n)}
	for c := range classes {
		e.Names = append(e.Names, fmt.Sprint("class ", c))
	}
	for i := range n {
		c := rnd.IntN(classes)
		angle, radius := 2*math.Pi*rnd.Float64(), float64(c+1)
		e.Class[i], e.Sigma[i] = int32(c), .1+.6*rnd.Float64()
		e.Mu.Row(i)[0] = radius*math.Cos(angle) + e.Sigma[i]*rnd.NormFloat64()
		e.Mu.Row(i)[1] = radius*math.Sin(angle) + e.Sigma[i]*rnd.NormFloat64()
	}
	return e
}
