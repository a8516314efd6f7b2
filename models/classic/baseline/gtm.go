package baseline

import (
	"fmt"
	"math"
	"slices"

	"unfold/internal/simd/pairwise"
	"unfold/internal/vec"
	"unfold/models/snapshot"
)

// lattice is a uniform grid of side^dims points over [-1, 1]^dims.
type lattice struct{ side, dims int }

// spacing is the distance of neighbouring points.
func (l lattice) spacing() float64 { return 2 / float64(l.side-1) }

// points returns all points of the grid, with the first coordinate changing slowest.
func (l lattice) points() vec.Matrix[float64] {
	out := vec.New[float64](power(l.side, l.dims), l.dims)
	for i := range out.Rows {
		at := i
		for c := l.dims - 1; c >= 0; c-- {
			out.Row(i)[c] = float64(at%l.side)*l.spacing() - 1
			at /= l.side
		}
	}
	return out
}

// power returns the smaller of side^dims and most.
func power(side, dims int) int {
	const most = 1 << 30
	n := 1
	for range dims {
		if n *= side; n >= most {
			return most
		}
	}
	return n
}

// topographic is a generative topographic map, y(x) = m + W'phi(x), with noise. It is in the data's
// units. While it is learnt it is in the units of unitsOf, in which m is 0.
type topographic struct {
	// grid has the latent points, centred has the centres of the basis functions, and width is
	// their width in spacings.
	grid, centred lattice
	width         float64
	mean          []float64           // m, q elements
	weights       vec.Matrix[float64] // W, (B+1) x q
	variance      float64             // 1/beta
	loglik        float64             // (10) of the learnt vectors

	nodes, centres vec.Matrix[float64] // K x d, B x d
	image          vec.Matrix[float64] // W'phi of the latent points, K x q
	columns        [][]float64         // of image
}

// lay computes the latent points and the centres.
func (t *topographic) lay() { t.nodes, t.centres = t.grid.points(), t.centred.points() }

// mapNodes computes the positions of the latent points in the data.
func (t *topographic) mapNodes() {
	t.image = vec.New[float64](t.nodes.Rows, t.weights.Cols)
	phi := make([]float64, t.centres.Rows+1)
	for k := range t.nodes.Rows {
		t.basis(phi, t.nodes.Row(k))
		t.combine(t.image.Row(k), phi)
	}
	t.columns = columnsOf(t.image)
}

// basis sets phi (B+1) to the basis functions at x: the Gaussians and 1.
func (t *topographic) basis(phi, x []float64) {
	s := t.width * t.centred.spacing()
	for b := range t.centres.Rows {
		phi[b] = math.Exp(-vec.SquaredDistance(x, t.centres.Row(b)) / (2 * s * s))
	}
	phi[t.centres.Rows] = 1
}

// combine adds W'phi to y.
func (t *topographic) combine(y, phi []float64) {
	for b, v := range phi {
		vec.Axpy(v, t.weights.Row(b), y)
	}
}

// respond sets r (K) to the responsibilities (11) of the latent points for a vector minus m, and
// returns its log density, (10).
func (t *topographic) respond(r, y []float64) float64 {
	pairwise.Distances(r, y, t.columns)
	least, sum := slices.Min(r), 0.0
	for k, d2 := range r {
		r[k] = math.Exp((least - d2) / (2 * t.variance))
		sum += r[k]
	}
	vec.Scale(1/sum, r)
	return math.Log(sum/float64(len(r))) - least/(2*t.variance) - float64(len(y))/2*math.Log(2*math.Pi*t.variance)
}

func (t *topographic) dims() int { return t.grid.dims }

// placer returns a function that places a vector at its posterior mean (14) and returns the
// posterior variance by coordinate.
func (t *topographic) placer() func(mu []float64, z []float32) float64 {
	y, r, d := make([]float64, len(t.mean)), make([]float64, t.nodes.Rows), float64(t.dims())
	return func(mu []float64, z []float32) float64 {
		for c, v := range z {
			y[c] = float64(v) - t.mean[c]
		}
		t.respond(r, y)
		clear(mu)
		for k, v := range r {
			vec.Axpy(v, t.nodes.Row(k), mu)
		}
		// A latent point stands for the cell around it.
		h := t.grid.spacing()
		variance := h * h / 12
		for k, v := range r {
			variance += v * vec.SquaredDistance(mu, t.nodes.Row(k)) / d
		}
		return variance
	}
}

func (t *topographic) decoder() func(z, x []float64) {
	phi := make([]float64, t.centres.Rows+1)
	return func(z, x []float64) {
		t.basis(phi, x)
		copy(z, t.mean)
		t.combine(z, phi)
	}
}

func (t *topographic) noise([]float64) float64 { return math.Sqrt(t.variance) }

// Parts returns the mapping as parts of a model file:
//
//	mean      float64, q
//	weights   float64, (B+1) x q   of the basis functions, and of 1
//	mapping   float64, 5           latent points and basis functions along an axis, their
//	                               width in spacings, the variance 1/beta, and (10)
func (t *topographic) Parts() []snapshot.Part {
	return []snapshot.Part{
		{Name: "mean", Rows: len(t.mean), Cols: 1, Data: t.mean},
		{Name: "weights", Rows: t.weights.Rows, Cols: t.weights.Cols, Data: t.weights.Data},
		{Name: "mapping", Rows: 5, Cols: 1, Data: []float64{float64(t.grid.side), float64(t.centred.side), t.width, t.variance, t.loglik}},
	}
}

// readTopographic reads them.
func readTopographic(s *snapshot.Snapshot) (*topographic, error) {
	q, d := s.Reference.Cols, s.Mu.Cols
	mapping, err := snapshot.PartOf[float64](s, "mapping", 5, 1)
	if err != nil {
		return nil, err
	}
	set := Settings{Grid: int(mapping[0]), Basis: int(mapping[1]), Width: mapping[2], Ridge: 1}
	set.Dims = d
	if err := set.checkTopographic(); err != nil {
		return nil, err
	}
	t := newTopographic(set)
	if t.variance, t.loglik = mapping[3], mapping[4]; !(t.variance > 0) {
		return nil, fmt.Errorf("the variance %g has to be positive", t.variance)
	}
	if t.mean, err = snapshot.PartOf[float64](s, "mean", q, 1); err != nil {
		return nil, err
	}
	weights, err := snapshot.PartOf[float64](s, "weights", t.centres.Rows+1, q)
	if err != nil {
		return nil, err
	}
	t.weights = vec.Of(t.centres.Rows+1, q, weights)
	t.mapNodes()
	return t, nil
}

func newTopographic(s Settings) *topographic {
	t := &topographic{grid: lattice{s.Grid, s.Dims}, centred: lattice{s.Basis, s.Dims}, width: s.Width}
	t.lay()
	return t
}

// Topography describes a map of kind GTM.
type Topography struct {
	// Grid and Basis are the numbers of latent points and basis functions along an axis.
	Grid, Basis int
	// Noise is the standard deviation of an element around the mapping.
	Noise float64
	// Loglik is the log-likelihood of the learnt vectors.
	Loglik float64
}

// DescribeTopography describes a snapshot of kind GTM, which must be valid for NewPlacer.
func DescribeTopography(s *snapshot.Snapshot) Topography {
	t, err := readTopographic(s)
	if err != nil {
		return Topography{}
	}
	return Topography{t.grid.side, t.centred.side, t.noise(nil), t.loglik}
}
