package main

import (
	"context"
	"math"
	"time"

	"unfold/models/ep/labels"
	"unfold/models/kinds"
	"unfold/models/lvm"
	"unfold/sparse/vec"
)

// calibration compares a classifier of means with one of uncertain places.
type calibration struct {
	name                 string
	train, test, classes int
	ways                 [2]way // means, uncertain
}

// way is what one of them reaches on placed events.
type way struct {
	spread            float64
	log, brier, wrong float64
	ece               float64 // mean distance of confidence and share right
	bins              [bins]bin
	train, warm, each float64 // seconds of training, of training again, of a prediction
	report            labels.Report
}

// bin are predictions of similar confidence.
type bin struct{ count, confidence, right float64 }

const bins = 10

// calibrate learns a map of the training rows, places the others, and foretells the
// classes of these.
func (b *bench) calibrate(ctx context.Context, d *data) (*calibration, error) {
	s, r, err := kinds.Fit(ctx, d.x.Slice(0, d.train), kinds.Spec{LVM: lvm.Settings{Seed: 1, Threads: b.threads}}, nil)
	if err != nil {
		return nil, err
	}
	placer, err := kinds.Open(s, lvm.PlaceSettings{Threads: b.threads})
	if err != nil {
		return nil, err
	}
	placed, err := placer.Place(ctx, d.x.Slice(d.train, d.x.Rows))
	if err != nil {
		return nil, err
	}
	e := labels.Events{Mu: vec.Convert[float64](r.Placed.Mu), Class: d.class[:d.train], Names: d.names}
	for _, v := range r.Placed.Sigma {
		e.Sigma = append(e.Sigma, float64(v))
	}
	c := &calibration{name: d.name, train: d.train, test: d.x.Rows - d.train, classes: len(d.names)}
	for k := range c.ways {
		w, set := &c.ways[k], labels.Settings{Certain: k == 0, Seed: 1, Threads: b.threads}
		clock := time.Now()
		model, report, err := labels.Train(ctx, e, nil, set)
		if err != nil {
			return nil, err
		}
		w.train, w.report, w.spread = time.Since(clock).Seconds(), report, model.Spread
		clock = time.Now()
		if _, _, err := labels.Train(ctx, e, model, set); err != nil {
			return nil, err
		}
		w.warm = time.Since(clock).Seconds()
		p := vec.New[float64](c.test, c.classes)
		clock = time.Now()
		if err := model.Probabilities(p, placed.Mu, placed.Sigma, b.threads); err != nil {
			return nil, err
		}
		w.each = time.Since(clock).Seconds() / float64(c.test)
		w.judge(p, d.class[d.train:])
	}
	return c, nil
}

// judge compares probabilities with classes.
func (w *way) judge(p vec.Matrix[float64], class []int32) {
	n := float64(p.Rows)
	for i, truth := range class {
		row, best := p.Row(i), 0
		for c, v := range row {
			if v > row[best] {
				best = c
			}
			d := v - float64(b2i(int32(c) == truth))
			w.brier += d * d / n
		}
		w.log += math.Log(max(row[truth], 1e-12)) / n
		right := float64(b2i(int32(best) == truth))
		w.wrong += (1 - right) / n
		at := &w.bins[min(bins-1, int(row[best]*bins))]
		at.count++
		at.confidence += row[best]
		at.right += right
	}
	for k := range w.bins {
		if at := &w.bins[k]; at.count > 0 {
			w.ece += math.Abs(at.confidence-at.right) / n
			at.confidence /= at.count
			at.right /= at.count
		}
	}
}
