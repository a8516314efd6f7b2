package student

import (
	"math"

	"unfold/models/placing"
)

// How a new event x is placed. It sends an edge to its k nearest reference points and
// receives one from each of the receiveRange nearest in whose neighbourhood it lies,
// |x - x_j| <= Delta_j (Delta_j: the distance of j's own k-th neighbour). With
//
//	delta_xj^2 = |x - x_j|^2 / unit, clipped as in learning,
//	q_j(m)     = 1 / (delta_xj^2 + sigma_j^2 + sigma_x^2 + |m - mu_j|^2/(2a))
//
// the terms of these edges in the likelihood, everything else frozen, have their
// maximum where
//
//	m = sum_j S_xj q_j(m) mu_j / sum_j S_xj q_j(m)                                     (H12)
//
// (the derivative of log P is -q (m - mu_j)). Its iteration starts at the
// coordinate-wise median of the neighbours' means and raises the likelihood in every
// step (Place). sigma_x^2 is the mean of the neighbours'.
//
// b is the weight of an edge received, of one sent being 1. b = 1 is the likelihood's
// own; 2 makes up for the edges that the reference points would exchange for one to x.
// Other rules and weights were measured as well: docs/decisions/placing.md.
//
// # Uncertainty
//
// The model's own sigma_x is fixed and says nothing of an event. What is published is
// the standard error of its place, by the curvature there of EM's bound of the frozen
// likelihood (standardError2). It is large where the neighbours are far in the input,
// few, or do not agree on the map. docs/decisions/placing.md compares it with other
// figures.
const (
	// DefaultReceived is the weight b of an edge received.
	DefaultReceived = 2
	// receiveRange is how many of the nearest may send an edge.
	receiveRange = 40
	// climbSteps bounds the iteration, climbStill ends it where a step moves the
	// place by less than that share of its own scale.
	climbSteps = 50
	climbStill = 1e-9
	// lleRidge is that of the locally linear weights.
	lleRidge = 0.01
)

// lleNeighbors is the number of points whose combination the locally linear
// weights are, for k edges sent.
func lleNeighbors(k int) int { return 3 * k / 2 }

// one sets w.mu to the place of the event x with the given nearest
// reference points and returns its squared standard error.
func (p *Placer) one(w *placeWork, x []float32, index []int32, dist2 []float64) (error2 float64) {
	st := p.snap.Student
	if dist2[0] == 0 {
		copy(w.mu, p.snap.Mu.Row(int(index[0])))
		return st.Error2[index[0]]
	}
	linear := 0
	if p.set.Rule == placing.LLE {
		linear = min(lleNeighbors(p.set.Neighbors), len(index))
		p.linear(w.sent[:linear], w.gram[:linear*linear], x, index)
	}
	sigma2, likely2 := p.join(w, w.sent[:linear], index, dist2)
	Median(w.mu, w.values[:2*len(w.joined)], w.joined)
	if p.set.Rule != placing.Median {
		climb(w, sigma2, st.Tail)
	}
	// The standard error is the same whatever the rule: every edge counts as in the
	// likelihood.
	for k := range w.joined {
		w.joined[k].S = w.joined[k].likely
	}
	return standardError2(w.mu, w.joined, likely2, st.Tail)
}

// join finds the event's edges, nearest first, and returns its variance: by the weights
// that its place goes by, and by those that the likelihood has. Edges sent have the weights
// k sent[m], without these those of their ranks (H22), which are the likelihood's; those
// received have Received, in the likelihood 1.
func (p *Placer) join(w *placeWork, sent []float64, index []int32, dist2 []float64) (sigma2, likely2 float64) {
	st, k := p.snap.Student, p.set.Neighbors
	w.joined = w.joined[:0]
	var total, all float64
	for m, j := range index[:min(len(index), max(lleNeighbors(k), receiveRange))] {
		var weight, likely float64
		if m < k {
			likely = p.sent[m]
		}
		switch {
		case m < len(sent):
			weight = float64(float64(k) * sent[m]) // the conversion keeps compilers from fusing
		case len(sent) == 0:
			weight = likely
		}
		if dist2[m] <= p.snap.Bandwidth2[j] {
			weight += p.set.Received
			likely++
		}
		if weight == 0 && likely == 0 {
			continue
		}
		variance := p.snap.Sigma2[j]
		w.joined = append(w.joined, Edge{
			Mu: p.snap.Mu.Row(int(j)), Sigma2: variance, Delta2: min(max(dist2[m]/st.Unit, st.Clip[0]), st.Clip[1]),
			S: weight, likely: likely,
		})
		sigma2 += float64(weight * variance)
		total += weight
		likely2 += float64(likely * variance)
		all += likely
	}
	return sigma2 / total, likely2 / all
}

// climb iterates from w.mu to the maximum of the frozen likelihood.
func climb(w *placeWork, sigma2, tail float64) {
	for range climbSteps {
		copy(w.last, w.mu)
		Place(w.mu, w.next, w.joined, sigma2, tail, 1)
		var moved2 float64
		for c, v := range w.mu {
			d := v - w.last[c]
			moved2 += float64(d * d)
		}
		// Every edge is longer than its variances.
		if moved2 <= climbStill*climbStill*sigma2 {
			return
		}
	}
}

// standardError2 is the squared standard error of a place: 1 over the curvature
// of the frozen likelihood's quadratic bound,
//
//	sigma_x^2 = 1 / sum_j S_xj q_j.
//
// A reference point has that of its own edges, as if it were placed where it is.
func standardError2(mu []float64, edges []Edge, sigma2, tail float64) float64 {
	var total float64
	for k := range edges {
		e := &edges[k]
		var r2 float64
		for c, v := range e.Mu {
			d := mu[c] - v
			r2 += float64(d * d)
		}
		total += e.S / (e.Delta2 + (sigma2 + e.Sigma2) + r2/(2*tail))
	}
	return 1 / total
}

// linear sets u to how x is a combination of its nearest points (locally linear
// embedding; Roweis and Saul 2000): the u that minimise |x - sum_j u_j x_j|^2
// with sum u = 1, by
//
//	(G + ridge tr(G) I) u ~ 1,  G_ij = (x - x_i).(x - x_j),
//
// those below 0 taken for 0. G (len(u)^2) is room for the matrix.
func (p *Placer) linear(u, g []float64, x []float32, index []int32) {
	k := len(u)
	var trace float64
	for i := range k {
		xi := p.snap.Reference.Row(int(index[i]))
		for j := range i + 1 {
			v := innerFrom(x, xi, p.snap.Reference.Row(int(index[j])))
			g[i*k+j], g[j*k+i] = v, v
		}
		trace += g[i*k+i]
	}
	for i := range g {
		g[i] /= trace
	}
	for i := range k {
		g[i*k+i] += lleRidge
		u[i] = 1
	}
	solveDense(g, u)
	var total float64
	for _, v := range u {
		total += v
	}
	for i, v := range u {
		u[i] = max(v/total, 0)
	}
}

// innerFrom returns (x - a).(x - b).
func innerFrom(x, a, b []float32) float64 {
	a, b = a[:len(x)], b[:len(x)]
	var sum float64
	for c, v := range x {
		sum += float64((float64(v) - float64(a[c])) * (float64(v) - float64(b[c])))
	}
	return sum
}

// solveDense solves A y = b for a symmetric positive definite matrix A, by
// Cholesky's factors; both are overwritten, b by y.
func solveDense(a, b []float64) {
	n := len(b)
	for i := range n {
		for j := range i + 1 {
			v := a[i*n+j]
			for c := range j {
				v -= float64(a[i*n+c] * a[j*n+c])
			}
			if i == j {
				a[i*n+i] = math.Sqrt(v)
			} else {
				a[i*n+j] = v / a[j*n+j]
			}
		}
	}
	for i := range n {
		for c := range i {
			b[i] -= float64(a[i*n+c] * b[c])
		}
		b[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for c := i + 1; c < n; c++ {
			b[i] -= float64(a[c*n+i] * b[c])
		}
		b[i] /= a[i*n+i]
	}
}
