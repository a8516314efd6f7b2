package lvm

import (
	"math"
	"slices"
)

// DefaultPlaceNeighbors is the number of reference points that an event is
// placed by.
const DefaultPlaceNeighbors = 9

// Steps of the iterations for one point.
const (
	placeSteps = 50 // of EM for mean and scale
	scaleSteps = 20 // of eq 21 for the scale alone
)

// placeWork is what placing one event needs in memory.
type placeWork struct {
	mu     []float64 // the event's mean
	values []float64 // one coordinate, or the scale, of the neighbours
	delta2 []float64
	weight []float64
}

func newPlaceWork(dims, neighbors int) *placeWork {
	return &placeWork{
		mu: make([]float64, dims), values: make([]float64, neighbors),
		delta2: make([]float64, neighbors), weight: make([]float64, neighbors),
	}
}

// point sets w.mu to the mean of an event with the given nearest reference
// points and returns its variance sigma^2.
func (p *Placer) point(w *placeWork, index []int32, dist2 []float64) (sigma2 float64) {
	if dist2[0] == 0 {
		copy(w.mu, p.snap.Mu.Row(int(index[0])))
		return p.snap.Sigma2[index[0]]
	}
	index, dist2 = index[:p.set.Neighbors], dist2[:p.set.Neighbors]
	for m, d2 := range dist2 {
		w.delta2[m] = d2 / (2 * math.Ln2)
	}
	p.median(w, index)
	for m, j := range index {
		w.values[m] = p.snap.Sigma2[j]
	}
	sigma2 = middle(w.values)
	steps := scaleSteps
	if p.set.Rule == EM {
		steps = placeSteps
	}
	for range steps {
		if p.set.Rule == EM {
			p.attract(w, index, sigma2)
		}
		sigma2 = p.scale(w, index, sigma2)
	}
	return sigma2
}

// median sets w.mu to the coordinate-wise median of the neighbours' means.
func (p *Placer) median(w *placeWork, index []int32) {
	for c := range w.mu {
		for m, j := range index {
			w.values[m] = p.snap.Mu.Row(int(j))[c]
		}
		w.mu[c] = middle(w.values)
	}
}

// middle returns the median of v, which it sorts: of an even number of values
// the mean of the two in the middle.
func middle(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return v[(n-1)/2] + (v[n/2]-v[(n-1)/2])/2
}

// attract is eq 20 for one new point x with S_xj = 1 for its neighbours j and
// everything else frozen:
//
//	mu_x = sum_j W_xj mu_j / sum_j W_xj,  W_xj = 1/(delta_xj^2 + sigma_x^2 + sigma_j^2)
//
// (eq 18). The dissimilar pairs are left out: they changed the test error by
// 0.1% and cost a hundred times as much.
func (p *Placer) attract(w *placeWork, index []int32, sigma2 float64) {
	var total float64
	for m, j := range index {
		w.weight[m] = 1 / (w.delta2[m] + sigma2 + p.snap.Sigma2[j])
		total += w.weight[m]
	}
	clear(w.mu)
	for m, j := range index {
		share := w.weight[m] / total
		for c, v := range p.snap.Mu.Row(int(j)) {
			w.mu[c] += float64(share * v)
		}
	}
}

// scale is eq 21 for one new point with S_xj = 1 for its neighbours j:
//
//	sigma_x^2 = 1/(dk) sum_j phi_xj,
//	phi_xj = sigma^2 [d + (sigma^2/V) (|mu_x-mu_j|^2/V - d)],  V = delta_xj^2 + sigma_x^2 + sigma_j^2
//
// (eq 16).
func (p *Placer) scale(w *placeWork, index []int32, sigma2 float64) float64 {
	d := float64(len(w.mu))
	var gain float64
	for m, j := range index {
		v := w.delta2[m] + sigma2 + p.snap.Sigma2[j]
		var r2 float64
		for c, mu := range p.snap.Mu.Row(int(j)) {
			e := w.mu[c] - mu
			r2 += float64(e * e)
		}
		gain += (r2/v - d) / v
	}
	return sigma2 * (1 + sigma2*gain/(d*float64(len(index))))
}
