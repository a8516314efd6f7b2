package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"unfold/internal/quantile"
	"unfold/internal/vec"
)

// The maximum mean discrepancy of a window and reference rows with a Gaussian kernel (Gretton,
// Borgwardt, Rasch, Schölkopf and Smola, "A kernel two-sample test", JMLR 2012, eq 3, the unbiased
// estimate),
//
//	k(x, y) = exp(-|x - y|^2 / 2 h^2)
//
// where h is the median distance of reference rows (section 8 there).

// gaussian is the kernel.
type gaussian struct{ scale float64 } // 1/2h^2

// medianKernel returns the kernel with the median of the distances between some rows.
func medianKernel(x vec.Matrix[float32]) gaussian {
	const some = 400
	var all []float64
	for i := range min(some, x.Rows) {
		for j := range i {
			if d2 := vec.SquaredDistance(x.Row(i), x.Row(j)); d2 > 0 {
				all = append(all, d2)
			}
		}
	}
	slices.Sort(all)
	return gaussian{1 / (2 * quantile.Of(all, .5))}
}

func (g gaussian) of(x, y []float32) float64 {
	return math.Exp(-g.scale * vec.SquaredDistance(x, y))
}

// mmd2 returns the unbiased estimate from sums of the kernel over pairs within and between the
// samples. Sums within are over ordered pairs of distinct rows.
func mmd2(n, m int, reference, window, between float64) float64 {
	return reference/float64(n*(n-1)) + window/float64(m*(m-1)) - 2*between/float64(n*m)
}

// watchMMD returns the estimate at every look at a sliding window, in units of its value for one
// window.
func watchMMD(reference, events vec.Matrix[float32], window, step int) trace {
	g := medianKernel(reference)
	inside := 0.0
	for i := range reference.Rows {
		for j := range i {
			inside += 2 * g.of(reference.Row(i), reference.Row(j))
		}
	}
	// to is the sum of each event's kernel with all reference rows. near are its kernels with the
	// events of the window before it, in order.
	to := make([]float64, events.Rows)
	near := make([][]float64, events.Rows)
	t := trace{first: window, step: step}
	for i := range events.Rows {
		x := events.Row(i)
		for j := range reference.Rows {
			to[i] += g.of(x, reference.Row(j))
		}
		near[i] = make([]float64, 0, window)
		for j := max(0, i-window+1); j < i; j++ {
			near[i] = append(near[i], g.of(x, events.Row(j)))
		}
		if i+1 < window || (i+1-window)%step != 0 {
			continue
		}
		own, between := 0.0, 0.0
		for e := i + 1 - window; e <= i; e++ {
			between += to[e]
			back := min(len(near[e]), e-(i+1-window)) // those still in the window
			for _, v := range near[e][len(near[e])-back:] {
				own += 2 * v
			}
		}
		t.level = append(t.level, mmd2(reference.Rows, window, inside, own, between))
		for e := range max(0, i+1-window) {
			near[e] = nil
		}
	}
	return t
}

// testMMD returns the p-value of the permutation test of one window.
func testMMD(reference, events vec.Matrix[float32], rounds int, seed uint64) float64 {
	n, m := reference.Rows, events.Rows
	all := vec.Of(n+m, reference.Cols, slices.Concat(reference.Data, events.Data))
	g := medianKernel(reference)
	kernel := make([]float32, (n+m)*(n+m))
	row, total := make([]float64, n+m), 0.0
	for i := range all.Rows {
		for j := range i {
			v := g.of(all.Row(i), all.Row(j))
			kernel[i*all.Rows+j], kernel[j*all.Rows+i] = float32(v), float32(v)
			row[i], row[j], total = row[i]+v, row[j]+v, total+2*v
		}
	}
	estimate := func(window []int) float64 {
		own, sums := 0.0, 0.0
		for _, i := range window {
			sums += row[i]
			for _, j := range window {
				own += float64(kernel[i*all.Rows+j])
			}
		}
		between := sums - own
		return mmd2(n, m, total-own-2*between, own, between)
	}
	rows := make([]int, m)
	for i := range rows {
		rows[i] = n + i
	}
	found, more := estimate(rows), 1
	r := rand.New(rand.NewPCG(seed, 0x33d))
	for range rounds {
		if estimate(r.Perm(n + m)[:m]) >= found {
			more++
		}
	}
	return float64(more) / float64(rounds+1)
}
