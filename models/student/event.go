package student

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/simd/topk"
	"unfold/models/placing"
)

// This file places a new event x. The event sends an edge to each of its k nearest reference
// points. It receives an edge from each of its receiveRange nearest points in whose neighbourhood
// it lies, |x - x_j| <= Delta_j (Delta_j: the distance of j's own k-th neighbour). With
//
//	delta_xj^2 = |x - x_j|^2 / unit, clipped as in learning,
//	q_j(m)     = 1 / (delta_xj^2 + sigma_j^2 + sigma_x^2 + |m - mu_j|^2/(2a))
//
// the terms of these edges in the likelihood, with everything else frozen, have their maximum at
//
//	m = sum_j S_xj q_j(m) mu_j / sum_j S_xj q_j(m)                                     (H12)
//
// (the derivative of log P is -q (m - mu_j)). The iteration starts at the coordinate-wise median of
// the neighbours' means. Every step raises the likelihood (Place). sigma_x^2 is the mean of the
// neighbours' sigma^2.
//
// An edge sent has the weight 1, an edge received has the weight b. b = 1 is that of the
// likelihood. b = 2 compensates for the edges that reference points would replace by one to x.
// Other rules and weights are compared in docs/decisions/placing.md.
//
// # Uncertainty
//
// The model's own sigma_x is fixed and carries no information about an event. The published sigma
// is the standard error of its place, from the curvature there of EM's bound of the frozen
// likelihood (standardError2). It is large where the neighbours are far in the input, few, or are
// far from each other on the map. docs/decisions/placing.md compares it with other figures.
const (
	// DefaultReceived is the weight b of an edge received.
	DefaultReceived = 2
	// receiveRange is the number of nearest points that may send an edge to the event.
	receiveRange = 40
	// climbSteps bounds the iteration. It ends earlier at a step shorter than climbStill times
	// sqrt(sigma2).
	climbSteps = 50
	climbStill = 1e-9
	// lleRidge is the ridge of the locally linear weights.
	lleRidge = 0.01
)

// lleNeighbors returns the number of points in the locally linear combination, for k edges sent.
func lleNeighbors(k int) int { return 3 * k / 2 }

// one sets w.mu to the place of the event x and returns its squared standard error. index and dist2
// are the nearest reference points and their squared distances.
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
	w.median()
	switch {
	case p.set.Rule == placing.Median:
	case len(w.mu) == 2:
		ascendPlane(w, sigma2, st.Tail)
	default:
		ascend(w, sigma2, st.Tail)
	}
	// The standard error does not depend on the rule: every edge has its weight in the likelihood.
	for k := range w.joined {
		w.joined[k].S = w.joined[k].likely
	}
	return standardError2(w.mu, w.joined, likely2, st.Tail)
}

// join collects the event's edges, nearest first. It returns the event's variance, with the weights
// of the rule and with those of the likelihood.
//
// The m-th edge sent has the weight k sent[m]. If sent is empty, it has the weight of its rank
// (H22), as in the likelihood. An edge received has the weight Received, in the likelihood 1.
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
			weight = float64(float64(k) * sent[m]) // the conversion prevents a fused multiply-add
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

// median sets w.mu as Median does, with the same bits.
func (w *placeWork) median() {
	n := len(w.joined)
	if n > min(topk.MostRanks(), len(w.key)) {
		Median(w.mu, w.values[:2*n], w.joined)
		return
	}
	var total float64
	for k := range w.joined {
		total += w.joined[k].S
	}
	for c := range w.mu {
		var ok bool
		if w.mu[c], ok = w.ranked(c, total); !ok {
			at, s := w.values[:n], w.values[n:2*n]
			for k := range w.joined {
				at[k], s[k] = w.joined[k].Mu[c], w.joined[k].S
			}
			w.mu[c] = middle(at, s, total/2)
		}
	}
}

// clearly is the share of all weights by which a sum must differ from half of them. It is far more than
// the rounding errors of sums in any order.
const clearly = 1e-9

// ranked returns the weighted median of one coordinate by the ranks of its values in single precision.
// It returns false if two of these are equal, or if the sum of weights does not clearly pass
// half of the total at one value.
func (w *placeWork) ranked(c int, total float64) (v float64, ok bool) {
	n := len(w.joined)
	for k := range w.joined {
		b := int32(math.Float32bits(float32(w.joined[k].Mu[c]) + 0)) // no -0
		w.key[k] = b ^ b>>31&math.MaxInt32                           // in the order of the values
	}
	if !topk.Order(w.order, w.rank, w.key[:par.Pieces(n, topk.Side)*topk.Side], n) {
		return 0, false
	}
	half, margin, weight := total/2, clearly*total, 0.0
	for _, k := range w.order[:n] {
		e := &w.joined[k]
		if weight += e.S; weight > half-margin {
			return e.Mu[c], weight > half+margin
		}
	}
	return 0, false
}

// ascend iterates from w.mu to the maximum of the frozen likelihood.
func ascend(w *placeWork, sigma2, tail float64) {
	for range climbSteps {
		copy(w.last, w.mu)
		Place(w.mu, w.next, w.joined, sigma2, tail, 1)
		var moved2 float64
		for c, v := range w.mu {
			d := v - w.last[c]
			moved2 += float64(d * d)
		}
		// This is a relative criterion, because every edge is longer than its variances.
		if moved2 <= climbStill*climbStill*sigma2 {
			return
		}
	}
}

// ascendPlane is ascend in two dimensions, with the same bits.
func ascendPlane(w *placeWork, sigma2, tail float64) {
	w.edges.Reset()
	for k := range w.joined {
		e := &w.joined[k]
		w.edges.Add(e.Mu[0], e.Mu[1], e.S, e.Delta2+(sigma2+e.Sigma2))
	}
	w.mu[0], w.mu[1] = w.edges.Plane(w.mu[0], w.mu[1], 1/(2*tail), climbStill*climbStill*sigma2, climbSteps)
}

// standardError2 returns the squared standard error of a place: 1 over the curvature of the frozen
// likelihood's quadratic bound,
//
//	sigma_x^2 = 1 / sum_j S_xj q_j.
//
// The error of a reference point is computed from its own edges at its present place.
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

// linear sets u to the weights that reconstruct x from its nearest points (locally linear
// embedding; Roweis and Saul 2000). They minimise |x - sum_j u_j x_j|^2 with sum u = 1, by
//
//	(G + ridge tr(G) I) u ~ 1,  G_ij = (x - x_i).(x - x_j),
//
// and negative weights become 0. g is scratch memory for the matrix, len(u)^2 values.
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

// solveDense solves A y = b for a symmetric positive definite matrix A by Cholesky decomposition.
// It overwrites a with the factor and b with y.
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
