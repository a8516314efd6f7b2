package main

import (
	"math"
	"slices"

	"unfold/internal/vec"
)

// way are the results of one classifier: sums and means over draws.
type way struct {
	// Per draw: the share of correct classes, the mean log probability of the true class, the mean
	// squared distance of probabilities and class, and the calibration error.
	Right, Log, Brier, ECE []float64
	Bins                   [bins]bin
	log, brier             []float64 // per row
}

// bin are the sums over predictions of similar confidence.
type bin struct{ Count, Confidence, Right float64 }

const bins = 10

// paired is the mean of differences and its standard error.
type paired struct{ Mean, Err float64 }

// leastLog is the log probability of a class that was predicted to be impossible.
var leastLog = math.Log(1e-12)

// judge compares probabilities with classes.
func judge(p vec.Matrix[float64], class []int32) *way {
	w, n, right := new(way), float64(p.Rows), 0.0
	w.log, w.brier = make([]float64, p.Rows), make([]float64, p.Rows)
	for i, truth := range class {
		row := p.Row(i)
		best := slices.Index(row, slices.Max(row))
		for c, v := range row {
			d := v - float64(b2i(int32(c) == truth))
			w.brier[i] += d * d
		}
		w.log[i] = max(math.Log(row[truth]), leastLog)
		hit := float64(b2i(int32(best) == truth))
		right += hit / n
		at := &w.Bins[min(bins-1, int(row[best]*bins))]
		at.Count, at.Confidence, at.Right = at.Count+1, at.Confidence+row[best], at.Right+hit
	}
	ece := 0.0
	for _, at := range w.Bins {
		ece += math.Abs(at.Confidence-at.Right) / n
	}
	w.Right, w.Log, w.Brier, w.ECE = []float64{right}, []float64{mean(w.log)}, []float64{mean(w.brier)}, []float64{ece}
	return w
}

// add adds another draw.
func (w *way) add(o *way) {
	w.Right, w.Log, w.Brier, w.ECE = append(w.Right, o.Right...), append(w.Log, o.Log...), append(w.Brier, o.Brier...), append(w.ECE, o.ECE...)
	w.log, w.brier = append(w.log, o.log...), append(w.brier, o.brier...)
	for k, b := range o.Bins {
		at := &w.Bins[k]
		at.Count, at.Confidence, at.Right = at.Count+b.Count, at.Confidence+b.Confidence, at.Right+b.Right
	}
}

// pair compares two lists for the same rows.
func pair(a, b []float64) (d paired) {
	n := float64(len(a))
	for i, v := range a {
		d.Mean += (v - b[i]) / n
	}
	for i, v := range a {
		d.Err += (v - b[i] - d.Mean) * (v - b[i] - d.Mean) / max(1, n-1)
	}
	d.Err = math.Sqrt(d.Err / n)
	return d
}

func mean(x []float64) (sum float64) {
	for _, v := range x {
		sum += v / float64(len(x))
	}
	return sum
}
