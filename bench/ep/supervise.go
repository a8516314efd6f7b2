package main

import (
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/score"
	"unfold/models/student"
)

//go:embed supervise.txt
var supervisionRequirements []byte

//go:embed supervise.py
var supervisionProgram string

// supervised are the results of maps learnt with labels on a data set.
type supervised struct {
	Name                 string
	Train, Test, Classes int
	Umap, Python         string // versions; empty without peers
	Maps                 []supervisedMap
}

// supervisedMap is one way to learn with labels, with a value per draw.
type supervisedMap struct {
	Program  string
	Weight   float64
	Shuffled bool
	// Held, Rest and Own are shares of rows with the class of most of their nearest labelled rows:
	// of held-out rows, of training rows without a label, and of training rows with one. RNX is the
	// preservation of the data's neighbourhoods.
	Held, Rest, Own, RNX []float64
}

// supervisedDraws is the number of draws, supervisedSizes the number of rows, and supervisedSets
// the data sets.
const supervisedDraws = 2

var (
	supervisedSizes = sizes{2000, 2000}
	supervisedSets  = []part{{key: "supervision-usps", load: usps}, {key: "supervision-kdd", load: kdd}}
	supervisedToys  = []part{{key: "supervision-toy", load: toy}}
)

// withoutLabels stands for a map of umap-learn without y. With y, even a target_weight of 0
// separates classes.
const withoutLabels = -1

// The weights that are measured: ours, ours with shuffled labels, and umap-learn's target_weight.
var (
	ourWeights      = []float64{0, .25, .5, .75, .9, 1}
	shuffledWeights = []float64{.5, .9, 1}
	theirWeights    = []float64{withoutLabels, 0, .5, 1}
)

// supervision measures learning from labels and writes its page.
func (b *bench) supervision(ctx context.Context, page string) error {
	list := supervisedSets
	if b.small {
		list = supervisedToys
	}
	if err := b.makePeers(ctx, supervisionRequirements); err != nil {
		return err
	}
	var all []*supervised
	for _, p := range list {
		if b.only != "" && b.only != p.key {
			continue
		}
		r, err := once(b, filepath.Join(b.out, p.key+".json"), func() (*supervised, error) { return b.supervise(ctx, p.load) })
		if err != nil {
			return fmt.Errorf("%s: %w", p.key, err)
		}
		all = append(all, r)
	}
	if b.only != "" {
		return nil
	}
	return writeSupervision(page, all)
}

// supervise measures maps of draws of a data set.
func (b *bench) supervise(ctx context.Context, load loader) (*supervised, error) {
	r := new(supervised)
	for _, w := range ourWeights {
		r.Maps = append(r.Maps, supervisedMap{Program: "unfold", Weight: w})
	}
	for _, w := range shuffledWeights {
		r.Maps = append(r.Maps, supervisedMap{Program: "unfold", Weight: w, Shuffled: true})
	}
	if !b.noPeers() {
		for _, w := range theirWeights {
			r.Maps = append(r.Maps, supervisedMap{Program: "umap-learn", Weight: w})
		}
	}
	for seed := range uint64(supervisedDraws) {
		d, err := load(ctx, b.data, supervisedSizes, seed)
		if err != nil {
			return nil, err
		}
		r.Name, r.Train, r.Test, r.Classes = d.name, d.train, d.x.Rows-d.train, max(r.Classes, len(d.names))
		if err := b.superviseOne(ctx, d, seed, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// superviseOne measures all maps of one draw. The labels of every second row are known.
func (b *bench) superviseOne(ctx context.Context, d *data, seed uint64, r *supervised) error {
	known := make([]int32, d.train)
	for i := range known {
		if known[i] = score.Missing; i%2 == 0 {
			known[i] = d.class[i]
		}
	}
	shuffled := append([]int32(nil), known...)
	rand.New(rand.NewPCG(seed, 17)).Shuffle((d.train+1)/2, func(i, j int) {
		shuffled[2*i], shuffled[2*j] = shuffled[2*j], shuffled[2*i]
	})
	var theirs []theirMap
	for i := range r.Maps {
		m := &r.Maps[i]
		var mu, at vec.Matrix[float32]
		var err error
		switch {
		case m.Program != "unfold":
			if theirs == nil {
				if theirs, err = b.askSupervised(ctx, d, known, seed, r); err != nil {
					return err
				}
			}
			mu, at, theirs = vec.Convert[float32](table(theirs[0].Mu)), vec.Convert[float32](table(theirs[0].At)), theirs[1:]
		case m.Shuffled:
			mu, at, err = b.learnSupervised(ctx, d, shuffled, m.Weight, seed)
		default:
			mu, at, err = b.learnSupervised(ctx, d, known, m.Weight, seed)
		}
		if err != nil {
			return err
		}
		if err := m.judge(ctx, d, mu, at); err != nil {
			return err
		}
		last := len(m.Held) - 1
		fmt.Fprintf(b.log, "  %-10s %.2f shuffled %-5v held %.4f rest %.4f own %.4f rnx %.4f\n", m.Program, m.Weight, m.Shuffled, m.Held[last], m.Rest[last], m.Own[last], m.RNX[last])
	}
	return nil
}

// learnSupervised returns the places of the training rows and of the others.
func (b *bench) learnSupervised(ctx context.Context, d *data, class []int32, weight float64, seed uint64) (mu, at vec.Matrix[float32], err error) {
	spec := fit.Spec{Common: models.Common{Seed: 1 + seed, Threads: b.threads}, LVM: lvm.Options{Student: student.Options{Supervision: weight}}}
	if weight > 0 {
		spec.Labels = make([]string, len(class))
		for i, c := range class {
			if c != score.Missing {
				spec.Labels[i] = d.names[c]
			}
		}
	}
	s, r, err := fit.Fit(ctx, d.x.Slice(0, d.train), spec, nil)
	if err != nil {
		return mu, at, err
	}
	placer, err := fit.Open(s, placing.Options{Threads: b.threads})
	if err != nil {
		return mu, at, err
	}
	placed, err := placer.Place(ctx, d.x.Slice(d.train, d.x.Rows))
	return r.Placed.Mu, placed.Mu, err
}

// judge adds the figures of a draw's map.
func (m *supervisedMap) judge(ctx context.Context, d *data, mu, at vec.Matrix[float32]) error {
	var with, without []int32
	for i := range int32(d.train) {
		if i%2 == 0 {
			with = append(with, i)
		} else {
			without = append(without, i)
		}
	}
	labelled, class := vec.Take(mu, with), take(d.class, with)
	for _, c := range []struct {
		to    *[]float64
		at    vec.Matrix[float32]
		class []int32
	}{{&m.Held, at, d.class[d.train:]}, {&m.Rest, vec.Take(mu, without), take(d.class, without)}} {
		wrong, err := score.HeldOutError(ctx, labelled, class, c.at, c.class, []int{voters}, score.Settings{})
		if err != nil {
			return err
		}
		*c.to = append(*c.to, 1-wrong[0])
	}
	own, err := score.LeaveOneOut(ctx, labelled, class, []int{voters}, score.Settings{})
	if err != nil {
		return err
	}
	near, err := score.Neighborhoods(ctx, d.x.Slice(0, d.train), mu, score.Settings{})
	if err != nil {
		return err
	}
	m.Own, m.RNX = append(m.Own, own.Share[0]), append(m.RNX, near.RNX)
	return nil
}

// take returns the elements of some rows.
func take(class, rows []int32) []int32 {
	out := make([]int32, len(rows))
	for i, r := range rows {
		out[i] = class[r]
	}
	return out
}

// theirMap are the places of training rows and of others.
type theirMap struct {
	Mu [][]float64 `json:"mu"`
	At [][]float64 `json:"at"`
}

// askSupervised makes umap-learn's maps of a draw; none without peers.
func (b *bench) askSupervised(ctx context.Context, d *data, class []int32, seed uint64, r *supervised) ([]theirMap, error) {
	if b.noPeers() {
		return nil, nil
	}
	q := struct {
		X       [][]float32 `json:"x"`
		Class   []int32     `json:"class"`
		Test    [][]float32 `json:"test"`
		Weights []float64   `json:"weights"`
		Seed    uint64      `json:"seed"`
	}{rowsOf(d.x.Slice(0, d.train)), class, rowsOf(d.x.Slice(d.train, d.x.Rows)), theirWeights, 1 + seed}
	var a struct {
		Umap    string     `json:"umap"`
		Version string     `json:"python"`
		Maps    []theirMap `json:"maps"`
	}
	if err := b.python(ctx, supervisionProgram, q, &a); err != nil {
		return nil, err
	}
	if len(a.Maps) != len(theirWeights) {
		return nil, fmt.Errorf("supervise.py made %d maps, want %d", len(a.Maps), len(theirWeights))
	}
	r.Umap, r.Python = a.Umap, a.Version
	return a.Maps, nil
}
