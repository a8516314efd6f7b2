package main

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/sparse/knn"
)

// comparison are the results of several classifiers on placed events of a data set, for shares of
// the labels, averaged over draws of rows and labels.
type comparison struct {
	Name                       string
	Train, Test, Classes, Dims int
	Sklearn, Python            string // versions; empty without peers
	Cells                      []cell
}

// cell are the results for a share of the labels, over all rows of all draws.
type cell struct {
	Percent float64
	Labels  []float64 // number of labels in each draw
	Spread  []float64 // the factor of the places' variances, in each draw
	Ways    map[string]*way
	// Log and Brier are the differences of these scores with and without the places' scales, row by
	// row.
	Log, Brier paired
}

// add adds the results of a draw.
func (c *cell) add(percent float64, labels int, all map[string]*way, spread float64) {
	c.Percent, c.Labels, c.Spread = percent, append(c.Labels, float64(labels)), append(c.Spread, spread)
	if c.Ways == nil {
		c.Ways = make(map[string]*way, len(all))
	}
	for name, w := range all {
		if c.Ways[name] == nil {
			c.Ways[name] = new(way)
		}
		c.Ways[name].add(w)
	}
	c.Log = pair(c.Ways[wayOurs].log, c.Ways[wayCertain].log)
	c.Brier = pair(c.Ways[wayOurs].brier, c.Ways[wayCertain].brier)
}

// The classifiers, in the order of the tables.
const (
	wayOurs     = "unfold"
	wayCertain  = "certain places"
	wayMap      = "9-NN, map"
	wayInput    = "9-NN, input"
	wayLogistic = "logistic, 10 components"
	wayProcess  = "GP of scikit-learn"
)

// ways are all classifiers. Those from baselines on are the baselines.
var ways = []string{wayOurs, wayCertain, wayMap, wayInput, wayLogistic, wayProcess}

const (
	baselines = 2
	voters    = 9
	// components is the number of principal components for the baselines of scikit-learn, subset
	// the number of rows from which its process is learnt.
	components = 10
	subset     = 200
)

var labelled = []float64{1, 10, 100}

// compare measures all classifiers on draws of a data set.
func (b *bench) compare(ctx context.Context, load loader) (*comparison, error) {
	var c *comparison
	for seed := range uint64(draws) {
		d, err := load(ctx, b.data, mapSizes, seed)
		if err != nil {
			return nil, err
		}
		if c == nil {
			c = &comparison{Name: d.name, Train: d.train, Test: d.x.Rows - d.train, Cells: make([]cell, len(labelled))}
		}
		c.Classes = max(c.Classes, len(d.names))
		if err := b.compareOne(ctx, d, seed, c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// placed is a draw: the places and classes of the training rows and of the others.
type placed struct {
	known, at    models.Placed
	class, truth []int32
	names        []string
}

// compareOne measures all classifiers on one draw. The map has all training rows, a share of them
// with known labels; the other rows are placed on it.
func (b *bench) compareOne(ctx context.Context, d *data, seed uint64, c *comparison) error {
	s, r, err := fit.Fit(ctx, d.x.Slice(0, d.train), fit.Spec{Common: models.Common{Seed: 1 + seed, Threads: b.threads}}, nil)
	if err != nil {
		return err
	}
	placer, err := fit.Open(s, placing.Options{Threads: b.threads})
	if err != nil {
		return err
	}
	p := &placed{known: r.Placed, class: d.class[:d.train], truth: d.class[d.train:], names: d.names}
	p.known.Seen = vec.Take(s.Reference, r.Row)
	if p.at, err = placer.Place(ctx, d.x.Slice(d.train, d.x.Rows)); err != nil {
		return err
	}
	c.Dims = p.known.Seen.Cols
	chosen := make([][]int, len(labelled))
	for i, percent := range labelled {
		chosen[i] = d.labels(percent)
	}
	peers, err := b.ask(ctx, p, chosen)
	if err != nil {
		return err
	}
	c.Sklearn, c.Python = peers.Sklearn, peers.Version
	for i, rows := range chosen {
		all, spread, err := b.share(ctx, p, rows, peers.Shares[i])
		if err != nil {
			return err
		}
		c.Cells[i].add(labelled[i], len(rows), all, spread)
		for _, name := range ways {
			if w := all[name]; w != nil {
				fmt.Fprintf(b.log, "  %3g%% %-24s %.4f %8.4f %.4f %.4f\n", labelled[i], name, w.Right[0], w.Log[0], w.Brier[0], w.ECE[0])
			}
		}
	}
	return nil
}

// share measures all classifiers with the labels of the given rows.
func (b *bench) share(ctx context.Context, p *placed, rows []int, peers answer) (map[string]*way, float64, error) {
	n := p.at.Mu.Rows
	all := make(map[string]*way, len(ways))
	e := labels.Events{Mu: vec.Take(vec.Convert[float64](p.known.Mu), rows), Seen: vec.Take(p.known.Seen, rows), Names: p.names}
	for _, row := range rows {
		e.Sigma, e.Class = append(e.Sigma, float64(p.known.Sigma[row])), append(e.Class, p.class[row])
	}
	spread := 0.0
	for _, name := range ways[:baselines] {
		c, _, err := labels.Train(ctx, e, nil, labels.Settings{Seed: 1, Threads: b.threads, Certain: name == wayCertain})
		if err != nil {
			return nil, 0, err
		}
		out := vec.New[float64](n, len(p.names))
		if err := c.Probabilities(ctx, out, p.at, b.threads); err != nil {
			return nil, 0, err
		}
		if name == wayOurs {
			spread = c.Spread
		}
		all[name] = judge(out, p.truth)
	}
	for name, from := range map[string][2]vec.Matrix[float32]{wayMap: {vec.Take(p.known.Mu, rows), p.at.Mu}, wayInput: {e.Seen, p.at.Seen}} {
		near, err := knn.NewExact(from[0]).Search(ctx, from[1], min(voters, len(rows)), knn.Settings{Threads: b.threads})
		if err != nil {
			return nil, 0, err
		}
		all[name] = judge(shares(near, e.Class, len(p.names)), p.truth)
	}
	if peers.Logistic != nil {
		all[wayLogistic], all[wayProcess] = judge(table(peers.Logistic), p.truth), judge(table(peers.Process), p.truth)
	}
	return all, spread, nil
}

// shares returns the shares of the neighbours' votes, with one more vote that all classes share.
func shares(near *knn.Neighbors, class []int32, classes int) vec.Matrix[float64] {
	p := vec.New[float64](near.N, classes)
	for i := range near.N {
		row := p.Row(i)
		for c := range row {
			row[c] = 1 / float64(classes) / float64(near.K+1)
		}
		index, _ := near.Row(i)
		for _, j := range index {
			row[class[j]] += 1 / float64(near.K+1)
		}
	}
	return p
}

func table(rows [][]float64) vec.Matrix[float64] {
	m := vec.New[float64](len(rows), len(rows[0]))
	for i, r := range rows {
		copy(m.Row(i), r)
	}
	return m
}
