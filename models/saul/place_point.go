package saul

import (
	"math"

	"unfold/internal/quantile"
	"unfold/models/placing"
)

// How a new event x is joined to the reference points, S of eq 18 for one new
// row and column. It sends an edge to its k nearest, S_xj = 1, and receives one,
// S_jx = 1, from each of the receiveRange nearest in whose neighbourhood it lies:
// |x - x_j|^2 <= 2 ln 2 Delta_j^2, the farthest that E reaches from j. A point
// with both edges counts twice.
//
// The edges received are what makes the difference to a plain median: a dense
// class is among everyone's nearest, but does not count everyone among its own.
// Gaussian attraction is not robust against a neighbour in another cluster, so nowhere
// does moving on from the median by EM help, and the default does not: see
// docs/decisions/placing.md.
const (
	// DefaultPlaceNeighbors is the number of edges that an event sends.
	DefaultPlaceNeighbors = 9
	receiveRange          = 25
	// maxReplay bounds the steps of the scale; beyond, it changes like 1/steps.
	maxReplay = 1000
)

// placeEdge joins an event to reference point j.
type placeEdge struct {
	j      int32
	weight float64 // S_xj + S_jx
	delta2 float64 // |x - x_j|^2 / (2 ln 2)
	base   float64 // delta2 + sigma_j^2
	r2     float64 // |mu_x - mu_j|^2
}

// placeWork is what placing one event needs in memory.
type placeWork struct {
	mu     []float64 // the event's mean
	edges  []placeEdge
	values []float64
}

// fit makes room for a map of the given dimension, if there is none yet.
func (w *placeWork) fit(dims int) {
	if len(w.mu) != dims {
		*w = placeWork{mu: make([]float64, dims), edges: make([]placeEdge, 0, receiveRange), values: make([]float64, 0, 2*receiveRange)}
	}
}

// point sets w.mu to the mean of an event with the given nearest reference
// points and returns its variance sigma^2.
func (p *Placer) point(w *placeWork, index []int32, dist2 []float64) (sigma2 float64) {
	if dist2[0] == 0 {
		copy(w.mu, p.snap.Mu.Row(int(index[0])))
		return p.snap.Sigma2[index[0]]
	}
	p.join(w, index, dist2)
	p.median(w)
	// The initial value is that of learning, the longest edge squared over 2d. Eq
	// 21 converges like 1/steps, so the learnt variances are where their number
	// of steps left them; the event's goes through the same number. On MNIST this
	// gives what learning gives to a point but for 5% (median; rank correlation
	// 0.93 at d = 2 and 0.95 at d = 10).
	last := w.edges[len(w.edges)-1]
	sigma2 = last.delta2 * 2 * math.Ln2 / float64(2*len(w.mu))
	if p.shared > 0 {
		sigma2 = p.shared
	}
	p.measure(w)
	for range min(p.snap.Steps, maxReplay) {
		if p.set.Rule == placing.EM {
			p.attract(w, sigma2)
			p.measure(w)
		}
		if p.shared == 0 {
			sigma2 = p.scale(w, sigma2)
		}
	}
	return sigma2
}

// join finds the event's edges, nearest first.
func (p *Placer) join(w *placeWork, index []int32, dist2 []float64) {
	w.edges = w.edges[:0]
	for m, j := range index[:min(len(index), max(p.set.Neighbors, receiveRange))] {
		e := placeEdge{j: j, delta2: dist2[m] / (2 * math.Ln2)}
		if m < p.set.Neighbors {
			e.weight++
		}
		if p.snap.Bandwidth2 != nil && e.delta2 <= p.snap.Bandwidth2[j] {
			e.weight++
		}
		if e.weight > 0 {
			e.base = e.delta2 + p.snap.Sigma2[j]
			w.edges = append(w.edges, e)
		}
	}
}

// median sets w.mu to the coordinate-wise median of the neighbours' means, each
// taken as often as it has edges.
func (p *Placer) median(w *placeWork) {
	for c := range w.mu {
		v := w.values[:0]
		for _, e := range w.edges {
			m := p.snap.Mu.Row(int(e.j))[c]
			v = append(v, m)
			if e.weight > 1 {
				v = append(v, m)
			}
		}
		w.mu[c] = quantile.Middle(v)
	}
}

// measure sets r2 of the edges to |mu_x - mu_j|^2.
func (p *Placer) measure(w *placeWork) {
	for m := range w.edges {
		e := &w.edges[m]
		var r2 float64
		for c, mu := range p.snap.Mu.Row(int(e.j)) {
			d := w.mu[c] - mu
			r2 += float64(d * d)
		}
		e.r2 = r2
	}
}

// attract is eq 20 for one new point, everything else frozen:
//
//	mu_x = sum_j W_xj mu_j / sum_j W_xj,  W_xj = (S_xj + S_jx)/(delta_xj^2 + sigma_x^2 + sigma_j^2)
//
// (eq 18). The dissimilar pairs are left out: they changed the test error by
// less than 0.1% and cost a hundred times as much.
func (p *Placer) attract(w *placeWork, sigma2 float64) {
	var total float64
	for _, e := range w.edges {
		total += e.weight / (e.base + sigma2)
	}
	clear(w.mu)
	for _, e := range w.edges {
		share := e.weight / (e.base + sigma2) / total
		for c, v := range p.snap.Mu.Row(int(e.j)) {
			w.mu[c] += float64(share * v)
		}
	}
}

// scale is eq 21 for one new point, everything else frozen, over its edges:
//
//	sigma_x^2 = (sum_j (S_xj + S_jx) phi_xj + D psi_x) / (d sum_j (S_xj + S_jx) + d D),
//	phi_xj = sigma_x^2 [d + (sigma_x^2/V) (|mu_x-mu_j|^2/V - d)],  V = delta_xj^2 + sigma_x^2 + sigma_j^2
//
// (eq 16; phi' is the same with the roles exchanged). D is the weight of all
// dissimilar pairs of x, a given share of the whole. They are far on the map,
// where nu = 0 and psi = d sigma_x^2 (eq 17): they hold the scale where it is.
func (p *Placer) scale(w *placeWork, sigma2 float64) float64 {
	d := float64(len(w.mu))
	var gain, total float64
	for _, e := range w.edges {
		inv := 1 / (e.base + sigma2)
		// The conversions keep a compiler from fusing product and sum.
		gain += float64(e.weight * (float64(e.r2*inv) - d) * inv)
		total += e.weight
	}
	gain *= (1 - p.snap.Dissimilar) / float64(d*total)
	return sigma2 * (1 + float64(sigma2*gain))
}

// DissimilarShare returns the share of a typical point's weight in eq 21 that
// lies in dissimilar pairs, at the paper's level l: a half at level 0, where sum S
// = sum D is spread over all points; none above, where nearly all of sum D
// belongs to the landmarks.
func DissimilarShare(level int) float64 {
	if level == 0 {
		return 0.5
	}
	return 0
}
