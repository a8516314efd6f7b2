package main

import (
	"context"
	"math"
	"math/rand/v2"

	"unfold/internal/vec"
	"unfold/models/ep"
	"unfold/models/pca"
	"unfold/models/psi"
)

// shareTable are the results of methods with shares of the labels, for several draws of rows and
// labels.
type shareTable struct {
	Name                                      string
	Train, Test, Dims, Inducing, Class, Draws int
	Rows                                      []shareRow
}

type shareRow struct {
	Percent float64
	Labels  int
	Methods [3][]judged // on PCA, on a GP-LVM without labels, hybrid; one per draw
}

// judged are results on the rows without labels.
type judged struct{ Wrong, Log float64 }

// Parameters of the comparison.
const (
	dims     = 5
	inducing = 20
	draws    = 3
)

var percents = []float64{1, 5, 20, 100}

// shares compares the methods on draws of a data set.
func (b *bench) shares(ctx context.Context, load loader) (*shareTable, error) {
	var t *shareTable
	for seed := range uint64(draws) {
		d, err := load(ctx, b.data, hybridSizes, seed)
		if err != nil {
			return nil, err
		}
		if t == nil {
			t = &shareTable{Name: d.name, Train: d.train, Test: d.x.Rows - d.train, Dims: dims, Inducing: inducing, Class: len(d.names), Draws: draws, Rows: make([]shareRow, len(percents))}
		}
		if err := b.draw(ctx, d, t.Rows); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// draw compares three methods that predict the classes of the test rows from shares of the training
// rows' labels. All three know the test vectors. The hybrid starts from a half-finished GP-LVM and
// takes as many further steps as that.
func (b *bench) draw(ctx context.Context, d *data, rows []shareRow) error {
	pca, err := pca.Fit(ctx, d.x, dims, pca.Settings{Threads: b.threads, Seed: 1})
	if err != nil {
		return err
	}
	x := vec.Convert[float64](pca.Projector().Apply(d.x, b.threads))
	standardise(x)
	how := ep.LearnSettings{Rounds: 15, Steps: 10, Sweeps: 4}
	if b.small {
		how.Rounds = 1
	}
	start := b.latent(d, x)
	if _, err := start.Learn(ctx, how); err != nil {
		return err
	}
	unlabelled := further(start)
	if _, err := unlabelled.Learn(ctx, how); err != nil {
		return err
	}
	for i, percent := range percents {
		known := d.labels(percent)
		row := &rows[i]
		row.Percent, row.Labels = percent, len(known)
		var all [3]judged
		if all[0], err = b.classify(ctx, d, psi.Certain(x), known); err != nil {
			return err
		}
		if all[1], err = b.classify(ctx, d, unlabelled.In, known); err != nil {
			return err
		}
		both := further(start)
		both.Classes = &ep.Classes{Kernel: kernel(2), Z: some(both.In.Mu), Y: d.classes(x.Rows, known, func(k int) int { return known[k] })}
		if _, err := both.Learn(ctx, how); err != nil {
			return err
		}
		if all[2], err = b.judge(d, both, both.In.Mu.Slice(d.train, d.x.Rows), both.In.S.Slice(d.train, d.x.Rows)); err != nil {
			return err
		}
		for m, v := range all {
			row.Methods[m] = append(row.Methods[m], v)
		}
	}
	return nil
}

// further returns a copy of a GP-LVM to continue from.
func further(h *ep.Hybrid) *ep.Hybrid {
	d := h.Data
	return &ep.Hybrid{Threads: h.Threads, In: psi.Inputs{Mu: h.In.Mu.Clone(), S: h.In.S.Clone()},
		Data: &ep.Data{Kernel: d.Kernel.Clone(), Z: d.Z.Clone(), Y: d.Y, Precision: d.Precision}}
}

// labels selects a share of the training rows, at least one of each class.
func (d *data) labels(percent float64) (known []int) {
	chosen := make([]bool, d.train)
	seen := make([]int, len(d.names))
	want := int(math.Round(percent / 100 * float64(d.train)))
	for i := range chosen {
		if seen[d.class[i]] == 0 {
			chosen[i] = true
			want--
		}
		seen[d.class[i]]++
	}
	for i := range chosen {
		if want > 0 && !chosen[i] {
			chosen[i] = true
			want--
		}
		if chosen[i] {
			known = append(known, i)
		}
	}
	return known
}

// standardise scales every column to mean 0 and variance 1.
func standardise(x vec.Matrix[float64]) {
	for q := range x.Cols {
		mean, variance := 0.0, 0.0
		for i := range x.Rows {
			mean += x.Row(i)[q] / float64(x.Rows)
		}
		for i := range x.Rows {
			x.Row(i)[q] -= mean
			variance += x.Row(i)[q] * x.Row(i)[q] / float64(x.Rows)
		}
		for i := range x.Rows {
			x.Row(i)[q] /= math.Sqrt(variance)
		}
	}
}

// classes returns the labels of the first n rows, NaN for those not in known.
func (d *data) classes(n int, known []int, at func(k int) int) vec.Matrix[float64] {
	y := vec.New[float64](n, len(d.names))
	for i := range y.Data {
		y.Data[i] = math.NaN()
	}
	for k, i := range known {
		for c := range d.names {
			if y.Row(at(k))[c] = -1; d.class[i] == int32(c) {
				y.Row(at(k))[c] = 1
			}
		}
	}
	return y
}

// some returns inducing inputs among rows.
func some(x vec.Matrix[float64]) vec.Matrix[float64] {
	order := rand.New(rand.NewPCG(3, 1)).Perm(x.Rows)
	return vec.Take(x, order[:min(inducing, x.Rows)])
}

func kernel(variance float64) psi.Kernel {
	k := psi.Kernel{Variance: variance, Alpha: make([]float64, dims)}
	for q := range k.Alpha {
		k.Alpha[q] = .2
	}
	return k
}

// latent initialises a GP-LVM of all rows with principal components.
func (b *bench) latent(d *data, x vec.Matrix[float64]) *ep.Hybrid {
	h := &ep.Hybrid{Threads: b.threads, In: psi.Inputs{Mu: x.Clone(), S: vec.New[float64](x.Rows, dims)}}
	for i := range h.In.S.Data {
		h.In.S.Data[i] = .1
	}
	y := vec.Convert[float64](d.x)
	variance := 0.0
	for j := range y.Cols {
		mean := 0.0
		for i := range y.Rows {
			mean += y.Row(i)[j] / float64(y.Rows)
		}
		for i := range y.Rows {
			y.Row(i)[j] -= mean
			variance += y.Row(i)[j] * y.Row(i)[j] / float64(len(y.Data))
		}
	}
	h.Data = &ep.Data{Kernel: kernel(variance), Z: some(x), Y: y, Precision: 10 / variance}
	return h
}

// classify trains a classifier on fixed inputs.
func (b *bench) classify(ctx context.Context, d *data, in psi.Inputs, known []int) (judged, error) {
	own := psi.Inputs{Mu: vec.Take(in.Mu, known), S: vec.Take(in.S, known)}
	h := &ep.Hybrid{Threads: b.threads, In: own,
		Classes: &ep.Classes{Kernel: kernel(2), Z: some(own.Mu), Y: d.classes(len(known), known, func(k int) int { return k })}}
	if _, err := h.Learn(ctx, ep.LearnSettings{Rounds: 3, Steps: 8, Sweeps: 4, FixInputs: true}); err != nil {
		return judged{}, err
	}
	return b.judge(d, h, in.Mu.Slice(d.train, d.x.Rows), in.S.Slice(d.train, d.x.Rows))
}

// judge predicts the classes of the test rows.
func (b *bench) judge(d *data, h *ep.Hybrid, mu, s vec.Matrix[float64]) (judged, error) {
	all, err := h.Sparse()
	if err != nil {
		return judged{}, err
	}
	mean, variance := vec.New[float64](mu.Rows, len(all)), vec.New[float64](mu.Rows, len(all))
	ep.NewJoint(all).Predict(mean, variance, psi.Inputs{Mu: mu, S: s}, b.threads)
	var out judged
	for i := range mu.Rows {
		truth, best, sum := int(d.class[d.train+i]), 0, 0.0
		p := make([]float64, len(all))
		for c := range p {
			p[c] = ep.Probability(mean.Row(i)[c], variance.Row(i)[c])
			sum += p[c]
			if p[c] > p[best] {
				best = c
			}
		}
		out.Wrong += float64(b2i(best != truth)) / float64(mu.Rows)
		out.Log += math.Log(max(p[truth]/sum, 1e-12)) / float64(mu.Rows)
	}
	return out, nil
}
