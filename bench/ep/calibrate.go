package main

import (
	"context"
	"math"
	"slices"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/placing"
)

// calibration compares a classifier of means with one of uncertain places.
type calibration struct {
	name                 string
	train, test, classes int
	ways                 [2]way // means, uncertain
	// How much larger the log score and the Brier score are with scales, row by row.
	log, brier paired
}

// way is what one of them reaches on placed events.
type way struct {
	spread      float64
	log, brier  []float64 // of each row
	wrong, ece  float64   // share, and mean distance of confidence and share right
	bins        [bins]bin
	train, warm float64 // seconds of training, and of training again
	rate        float64 // predictions a second
	report      labels.Report
}

// bin are predictions of similar confidence.
type bin struct{ count, confidence, right float64 }

const bins = 10

// paired is the mean of differences and its standard error.
type paired struct{ mean, err float64 }

// calibrate learns a map of the training rows, places the others, and predicts the
// classes of these, with the settings that a stream has.
func (b *bench) calibrate(ctx context.Context, d *data) (*calibration, error) {
	s, r, err := fit.Fit(ctx, d.x.Slice(0, d.train), fit.Spec{Common: models.Common{Seed: 1, Threads: b.threads}}, nil)
	if err != nil {
		return nil, err
	}
	placer, err := fit.Open(s, placing.Options{Threads: b.threads})
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
		w, set := &c.ways[k], labels.Swift()
		set.Certain, set.Seed, set.Threads = k == 0, 1, b.threads
		clock := time.Now()
		model, report, err := labels.Train(ctx, e, nil, set)
		if err != nil {
			return nil, err
		}
		w.train, w.report, w.spread = time.Since(clock).Seconds(), report, model.Spread
		set.Fixed = true
		clock = time.Now()
		if _, _, err := labels.Train(ctx, e, model, set); err != nil {
			return nil, err
		}
		w.warm = time.Since(clock).Seconds()
		p := vec.New[float64](c.test, c.classes)
		for range 3 {
			clock = time.Now()
			if err := model.Probabilities(p, placed.Mu, placed.Sigma, b.threads); err != nil {
				return nil, err
			}
			w.rate = max(w.rate, float64(c.test)/time.Since(clock).Seconds())
		}
		w.judge(p, d.class[d.train:])
	}
	c.log, c.brier = pair(c.ways[1].log, c.ways[0].log), pair(c.ways[1].brier, c.ways[0].brier)
	return c, nil
}

// judge compares probabilities with classes.
func (w *way) judge(p vec.Matrix[float64], class []int32) {
	n := float64(p.Rows)
	w.log, w.brier = make([]float64, p.Rows), make([]float64, p.Rows)
	for i, truth := range class {
		row := p.Row(i)
		best := slices.Index(row, slices.Max(row))
		for c, v := range row {
			d := v - float64(b2i(int32(c) == truth))
			w.brier[i] += d * d
		}
		w.log[i] = math.Log(max(row[truth], 1e-12))
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

// pair compares two lists of the same rows.
func pair(a, b []float64) (d paired) {
	n := float64(len(a))
	for i, v := range a {
		d.mean += (v - b[i]) / n
	}
	for i, v := range a {
		d.err += (v - b[i] - d.mean) * (v - b[i] - d.mean) / max(1, n-1)
	}
	d.err = math.Sqrt(d.err / n)
	return d
}

func mean(x []float64) (sum float64) {
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}
