package baseline

import (
	"context"
	"math"
	"slices"

	"unfold/internal/simd/gemm"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/optimize"
	"unfold/models/placing"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// leastExtent is the share of the first eigenvalue below which others are rounding errors.
const leastExtent = 1e-10

// scaled is a map of learnt points, computed by scaling or from their neighbours, that places other
// vectors.
type scaled struct {
	method Method
	learnt []int32
	units  placing.Units
	// rows (m x q) are the learnt vectors in their original units, during a fit.
	rows vec.Matrix[float32]
	// y (m x q) has the learnt vectors in units, x (m x d) their positions in the map's units.
	y, x vec.Matrix[float64]
	// marks are the landmarks of Isomap among the learnt vectors, and paths (learnt x landmarks)
	// the path lengths from them, in units. With other methods all learnt vectors are landmarks.
	marks      []int32
	paths      vec.Matrix[float32]
	k, threads int
	width      float64 // of kernels
	// parts is the number of components of the graph of neighbours, 0 if the method has none.
	parts int

	// like computes the similarities of methods that scale them.
	like *likeness
	diffusion
	columns [][]float64 // of y
	// vectors (m x d, for landmarks) has v_c lambda_c^(-1/2), of mean 0; mean has the means of a_ij
	// over i, divided by factor. For methods with a stress, vectors is x in units.
	vectors vec.Matrix[float64]
	mean    []float64
	// unit is the factor from the eigenvectors' units to the map's.
	unit float64
	// least is the smallest variance that is published.
	least float64
	// rank converts distances of vectors to distances of positions, and stress is the error of the
	// map relative to it, for non-metric scaling.
	rank   monotone
	stress float64
	// variance are those of the learnt points.
	variance []float64
	// course is the result of the iteration, if the method iterates.
	course optimize.Result
}

// unitsOf returns units in which vectors are centred and have a mean square of q.
func unitsOf(x vec.Matrix[float32]) placing.Units {
	u := placing.Centred(x)
	var square float64
	y := make([]float64, x.Cols)
	for i := range x.Rows {
		u.Apply(y, x.Row(i))
		square += vec.SquaredNorm(y) / float64(len(x.Data))
	}
	u.Scale = 1 / math.Sqrt(square)
	return u
}

// scale learns the rows of x, which must be distinct. near has their neighbours, or is nil.
func scale(ctx context.Context, method Method, x vec.Matrix[float32], learnt []int32, near *knn.Neighbors, s Settings) (*scaled, error) {
	if x.Rows <= s.Dims {
		return nil, models.BadInputf("%s: %d dimensions of %d learnt points: want fewer dimensions than points", method, s.Dims, x.Rows)
	}
	t := &scaled{method: method, learnt: learnt, rows: x, units: unitsOf(x), k: min(s.Neighbors, x.Rows-1), threads: s.Threads, width: s.Width}
	t.y = t.units.All(x)
	var err error
	if near == nil {
		near, err = t.neighbors(ctx, x)
	} else {
		near = near.First(t.k)
	}
	if err != nil {
		return nil, err
	}
	if method.joins() {
		_, sizes := graph.Label(near)
		t.parts = len(sizes)
	}
	at, err := t.places(ctx, x, near, s)
	if err != nil {
		return nil, err
	}
	vec.Scale(t.unit, at.Data)
	t.prepare(at)
	if t.x = at; t.marks != nil {
		t.x = vec.New[float64](x.Rows, s.Dims)
		err = t.extend(ctx, at)
	}
	t.settle(near)
	return t, err
}

// neighbors returns the neighbours of the learnt rows x.
func (t *scaled) neighbors(ctx context.Context, x vec.Matrix[float32]) (*knn.Neighbors, error) {
	return knn.Graph(ctx, x, t.k, knn.Settings{Threads: t.threads})
}

// places returns the positions of the learnt vectors, or of the landmarks, in units. x are these
// vectors in their original units, and near their neighbours.
func (t *scaled) places(ctx context.Context, x vec.Matrix[float32], near *knn.Neighbors, s Settings) (vec.Matrix[float64], error) {
	var squares vec.Matrix[float64]
	if t.method == Isomap {
		var err error
		if squares, err = t.walk(ctx, x, near, s); err != nil {
			return squares, err
		}
	}
	t.choose()
	switch t.method {
	case Isomap:
		return scaling(ctx, squares, s)
	case Sammon:
		return t.relaxed(ctx, x, s)
	case NonMetric:
		return t.ordered(ctx, x, s)
	case LLE, LTSA, Eigenmaps:
		return t.local(ctx, x, near, s)
	}
	return scaling(ctx, t.like.squares(s.Threads), s)
}

// local returns the positions for a method that uses only neighbours.
func (t *scaled) local(ctx context.Context, x vec.Matrix[float32], near *knn.Neighbors, s Settings) (places vec.Matrix[float64], err error) {
	lists, err := neighborLists(ctx, x, near, s.Threads)
	if err != nil {
		return places, err
	}
	if t.method == Eigenmaps {
		places, t.values, err = eigenmap(ctx, lists, s)
		return places, err
	}
	sign, of := -1.0, func(i int) (patch, error) { return reconstruct(t.y, i, lists[i]), nil }
	if t.method == LTSA {
		sign, of = 1, func(i int) (patch, error) { return align(t.y, neighborhood(lists, i, t.k), s.Dims) }
	}
	all, err := patches(ctx, len(lists), s.Threads, of)
	if err != nil {
		return places, err
	}
	return least(ctx, weights(all, sign, s.Threads), s)
}

// trimmed clears the columns that are rounding.
func trimmed(places vec.Matrix[float64]) vec.Matrix[float64] {
	extents := columnSquares(places)
	for c, e := range extents {
		if e > leastExtent*extents[0] {
			continue
		}
		for i := range places.Rows {
			places.Row(i)[c] = 0
		}
	}
	return places
}

// columnSquares are the squared lengths of columns.
func columnSquares(x vec.Matrix[float64]) []float64 {
	out := make([]float64, x.Cols)
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			out[c] += v * v
		}
	}
	return out
}

// choose sets the similarities and the units of the map.
func (t *scaled) choose() {
	t.unit = 1 / t.units.Scale
	switch t.method {
	case Isomap:
	case LLE, LTSA, Eigenmaps, NonMetric:
		t.unit = 1
	case KernelPCA:
		t.like, t.unit = newLikeness(t.y, 1/(float64(t.y.Cols)*t.width*t.width)), 1
	case MDS:
		t.like = newLikeness(t.y, 0)
	}
}

// prepare computes the terms of (2) and of Sigma from the positions of the learnt points, or of the
// landmarks.
func (t *scaled) prepare(at vec.Matrix[float64]) {
	if t.scales() || t.method.stresses() {
		t.vectors = at.Clone()
		vec.Scale(1/t.unit, t.vectors.Data)
	}
	if t.scales() {
		t.centre()
	} else if t.method.stresses() {
		t.columns = columnsOf(t.y)
	}
	for _, e := range columnSquares(at) {
		t.least += 1e-12 * e / float64(len(at.Data))
	}
}

// scales reports whether positions are those of (1).
func (t *scaled) scales() bool { return t.like != nil || t.method == Isomap }

// centre computes the mean and the vectors of (2).
func (t *scaled) centre() {
	m, d := t.vectors.Rows, t.vectors.Cols
	t.mean = make([]float64, m)
	if t.like != nil {
		var g likenessGroup
		for from := 0; from < m; from += 4 * gemm.Height {
			to := min(m, from+4*gemm.Height)
			t.like.take(&g, t.y.Slice(from, to))
			for i := range to - from {
				vec.Axpy(1/float64(m), g.of.Row(i)[:m], t.mean)
			}
		}
	} else {
		a := make([]float64, m)
		for _, i := range t.marks {
			t.ways(a, t.y.Row(int(i)), []int32{i})
			vec.Axpy(1/float64(m), a, t.mean)
		}
	}
	// v_c lambda_c^(-1/2) = x_c/lambda_c, lambda_c = |x_c|^2.
	lambda, mean := columnSquares(t.vectors), make([]float64, d)
	for i := range m {
		vec.Axpy(1/float64(m), t.vectors.Row(i), mean)
	}
	for i := range m {
		row := t.vectors.Row(i)
		for c := range row {
			if lambda[c] > 0 {
				row[c] = (row[c] - mean[c]) / lambda[c]
			}
		}
	}
}

// settle computes the variances of the learnt points and the distances to their nearest.
func (t *scaled) settle(near *knn.Neighbors) {
	t.variance, t.reach2 = make([]float64, t.x.Rows), make([]float64, t.x.Rows)
	for i := range t.variance {
		list, _ := near.Row(i)
		t.variance[i] = t.spread(append([]int32{int32(i)}, list...))
		t.reach2[i] = vec.SquaredDistance(t.y.Row(i), t.y.Row(int(list[t.k-1])))
	}
}

// spread returns the variance by coordinate of the positions of some learnt points.
func (t *scaled) spread(near []int32) float64 {
	d := t.x.Cols
	mean, sum := t.middle(near), 0.0
	for _, j := range near {
		sum += vec.SquaredDistance(mean, t.x.Row(int(j))) / float64(len(near)*d)
	}
	return max(sum, t.least)
}

// middle returns the mean position of some learnt points.
func (t *scaled) middle(near []int32) []float64 {
	mean := make([]float64, t.x.Cols)
	for _, j := range near {
		vec.Axpy(1/float64(len(near)), t.x.Row(int(j)), mean)
	}
	return mean
}

// points returns the learnt points, which others are placed with.
func (t *scaled) points() placing.Learnt {
	return placing.Learnt{
		Rows: t.learnt, X: t.x, Units: t.units, Neighbors: t.k, Threads: t.threads,
		Invite: func() placing.Guest {
			k, m := min(t.k+1, t.x.Rows), t.x.Rows
			if t.marks != nil {
				m = len(t.marks)
			}
			return &guest{
				scaled: t, y: make([]float64, t.y.Cols), a: make([]float64, m),
				near: newNearest(k), back: newBarycenter(k, t.x.Cols), forth: newBarycenter(t.k, t.y.Cols),
			}
		},
	}
}

// guest is a workspace for placing vectors. It implements placing.Party.
type guest struct {
	*scaled
	y, a []float64
	near *nearest
	// z are the vectors of a group, in units, with their similarities if the method uses them.
	z       vec.Matrix[float32]
	inUnits []float64
	likely  likenessGroup
	// forth computes weights for vectors, back for positions.
	forth, back *barycenter
}

// Place implements placing.Guest.
func (g *guest) Place(ctx context.Context, z []float32, near []int32) (mu []float64, sigma2 float64, _ error) {
	g.Come(vec.Of(1, len(z), z))
	return g.PlaceOne(ctx, 0, near)
}

// Come implements placing.Party.
func (g *guest) Come(z vec.Matrix[float32]) {
	if g.z = z; g.like == nil {
		return
	}
	if len(g.inUnits) < len(z.Data) {
		g.inUnits = make([]float64, len(z.Data))
	}
	y := vec.Of(z.Rows, z.Cols, g.inUnits[:len(z.Data)])
	for i := range z.Rows {
		g.units.Apply(y.Row(i), z.Row(i))
	}
	g.like.take(&g.likely, y)
}

// PlaceOne implements placing.Party by (2), (5), (7), (9) or (18).
func (g *guest) PlaceOne(ctx context.Context, i int, near []int32) (mu []float64, sigma2 float64, _ error) {
	g.units.Apply(g.y, g.z.Row(i))
	mu = make([]float64, g.x.Cols)
	switch g.method {
	case LLE, LTSA:
		g.weigh(mu, g.x, near)
	case Eigenmaps:
		g.diffusion.place(mu, g.a, g.y, g.scaled.y, g.x, near)
	case Sammon, NonMetric:
		lengths(g.a, g.y, g.columns)
		if g.method == NonMetric {
			g.rank.of(g.a)
		}
		g.weigh(mu, g.vectors, near)
		if err := descend(ctx, mu, g.a, g.vectors, g.method == NonMetric); err != nil {
			return nil, 0, err
		}
		vec.Scale(g.unit, mu)
	case Isomap:
		g.ways(g.a, g.y, near)
		g.triangulate(mu, g.a)
	default:
		g.triangulate(mu, g.likely.of.Row(i)[:g.like.y.Rows])
	}
	if slices.ContainsFunc(mu, func(v float64) bool { return !(math.Abs(v) <= math.MaxFloat32) }) {
		mu = g.middle(near)
	}
	return mu, g.spread(near), nil
}

// weigh adds to mu the positions x by (5).
func (g *guest) weigh(mu []float64, x vec.Matrix[float64], near []int32) {
	for i, w := range g.forth.of(g.y, g.scaled.y, near) {
		vec.Axpy(w, x.Row(int(near[i])), mu)
	}
}

// Settled implements placing.Guest.
func (g *guest) Settled(l int) (mu []float64, sigma2 float64) { return g.x.Row(l), g.variance[l] }

// Decode implements placing.Guest by (3). The variance is the variance of the neighbours' elements.
func (g *guest) Decode(y, x []float64) (variance float64) {
	g.near.find(g.x, x)
	clear(y)
	for i, w := range g.back.of(x, g.x, g.near.at) {
		vec.Axpy(w, g.scaled.y.Row(int(g.near.at[i])), y)
	}
	for _, j := range g.near.at {
		variance += vec.SquaredDistance(y, g.scaled.y.Row(int(j))) / float64(len(y)*len(g.near.at))
	}
	return variance
}

// nearest has the rows nearest to a point, nearest first, ties in order of the rows.
type nearest struct {
	at    []int32
	dist2 []float64
}

func newNearest(k int) *nearest { return &nearest{make([]int32, k), make([]float64, k)} }

func (n *nearest) find(x vec.Matrix[float64], p []float64) {
	have := 0
	for j := range x.Rows {
		d := vec.SquaredDistance(x.Row(j), p)
		if have == len(n.at) && !(d < n.dist2[have-1]) {
			continue
		}
		have = min(have+1, len(n.at))
		at := have - 1
		for at > 0 && d < n.dist2[at-1] {
			n.dist2[at], n.at[at] = n.dist2[at-1], n.at[at-1]
			at--
		}
		n.dist2[at], n.at[at] = d, int32(j)
	}
}
