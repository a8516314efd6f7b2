package placing

import (
	"cmp"
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// The error of a decoded vector is predicted by leave-one-out: the vector of each nearby reference
// point is decoded from the others. The weighted mean of these squared errors is the predicted
// error at positions between them. At positions whose nearest points are farther away than usual,
// the error grows by a curve of the map (growth).

// residual is the leave-one-out error of a reference point.
type residual struct {
	// error2 is the squared error, and bandwidth the bandwidth of the regression.
	error2, bandwidth float64
}

// error2 returns the expected squared error of the vector at a position, based on the leave-one-out
// errors of nearby points.
func (r *Regression) error2(w *regressor, index []int32, left map[int32]residual) float64 {
	local, usual := 0.0, 0.0
	for j, p := range index {
		local += w.weight[j] * left[p].error2
		usual += w.weight[j] * left[p].bandwidth
	}
	if h := math.Sqrt(w.bandwidth2); h > usual {
		curve := r.curve()
		local += curve.at(h) - curve.at(usual)
	}
	return local
}

// residuals returns the leave-one-out errors of all points in the lists, by their index.
func (r *Regression) residuals(ctx context.Context, near *knn.Neighbors) (map[int32]residual, error) {
	points := slices.Clone(near.Index)
	slices.Sort(points)
	points = slices.Compact(points)
	out := make(map[int32]residual, len(points))
	r.mu.Lock()
	unknown := slices.DeleteFunc(points, func(p int32) bool {
		e, known := r.left[p]
		if known {
			out[p] = e
		}
		return known
	})
	r.mu.Unlock()
	for from := 0; from < len(unknown); from += decodeBlock {
		some := unknown[from:min(from+decodeBlock, len(unknown))]
		errors, err := r.leaveOneOut(ctx, some)
		if err != nil {
			return nil, err
		}
		r.mu.Lock()
		for i, p := range some {
			out[p], r.left[p] = errors[i], errors[i]
		}
		r.mu.Unlock()
	}
	return out, nil
}

// leaveOneOut returns the errors of points that are decoded from all others.
func (r *Regression) leaveOneOut(ctx context.Context, points []int32) ([]residual, error) {
	s := r.frame.snap
	mu := vec.Convert[float32](vec.Take(s.Mu, points))
	near, err := r.near(ctx, mu, regressors+1)
	if err != nil {
		return nil, err
	}
	out := make([]residual, len(points))
	par.Ranges(r.frame.threads, len(points), piece, func(_, from, to int) {
		w, b := newRegressor(r, s.Mu.Cols), make([]float64, s.Reference.Cols)
		for i := from; i < to && ctx.Err() == nil; i++ {
			index, dist2 := near.Row(i)
			self := slices.Index(index, points[i])
			if self < 0 {
				self = len(index) - 1 // behind as many others with the same place
			}
			index, dist2 = slices.Delete(index, self, self+1), slices.Delete(dist2, self, self+1)
			out[i] = w.residual(b, int(points[i]), mu.Row(i), index, dist2)
		}
	})
	return out, ctx.Err()
}

// residual decodes point p at its place y from a list of other points, and returns the error. b is
// memory for the vector.
func (w *regressor) residual(b []float64, p int, y []float32, index []int32, dist2 []float64) residual {
	w.at(y, index, dist2)
	w.predict(b, index)
	e := residual{bandwidth: math.Sqrt(w.bandwidth2)}
	for c, v := range w.frame.snap.Reference.Row(p) {
		d := float64(v) - b[c]
		e.error2 += float64(d * d)
	}
	return e
}

// growth is the squared error of decoding as a function of the bandwidth, which is the distance of
// the nearest points. Its values are at ascending bandwidths, linear in between.
type growth struct{ bandwidth, error2 []float64 }

// at returns the squared error at a bandwidth. Beyond the largest known bandwidth it is constant.
func (g growth) at(h float64) float64 {
	i, _ := slices.BinarySearch(g.bandwidth, h)
	switch {
	case len(g.bandwidth) == 0:
		return 0
	case i == len(g.bandwidth):
		return g.error2[i-1]
	case i == 0:
		return g.error2[0]
	}
	t := (h - g.bandwidth[i-1]) / (g.bandwidth[i] - g.bandwidth[i-1])
	return g.error2[i-1] + t*(g.error2[i]-g.error2[i-1])
}

// Constants of growth.
const (
	// At most growthPoints points are decoded, from at most growthOthers others.
	growthPoints, growthOthers = 128, 4096
	// growthFactor is the ratio of consecutive radii.
	growthFactor = 1.5
	// growthShare is the minimum share of the others that must be outside a radius, and the minimum
	// share of points that a value of the curve must average.
	growthShare = 0.1
)

// growth measures the growth of the error. Points are decoded from those farther away on the map
// than a radius, for radii from the usual bandwidth up to the size of the map. It uses a sample of
// a large map.
func (r *Regression) growth() growth {
	points := r.every(growthPoints)
	from := make([]others, len(points))
	par.Do(r.frame.threads, len(points), func(i int) { from[i] = r.byDistance(points[i]) })
	least := usualBandwidth(from)
	if least == 0 {
		return growth{}
	}
	errors := make([][]residual, len(points)) // of each point, by radius
	par.Do(r.frame.threads, len(points), func(i int) { errors[i] = r.beyond(points[i], from[i], least) })
	return curveOf(errors)
}

// beyond decodes a point from those outside each radius, which begins at least and grows, as long
// as enough points are left.
func (r *Regression) beyond(point int32, from others, least float64) (errors []residual) {
	s := r.frame.snap
	w, b := newRegressor(r, s.Mu.Cols), make([]float64, s.Reference.Cols)
	y := vec.Convert[float32](vec.Take(s.Mu, []int32{point})).Row(0)
	all := len(from.index)
	for radius := least; ; radius *= growthFactor {
		first, _ := slices.BinarySearch(from.dist2, radius*radius)
		if left := all - first; left == 0 || float64(left) < growthShare*float64(all) {
			return errors
		}
		to := min(first+regressors, all)
		errors = append(errors, w.residual(b, int(point), y, from.index[first:to], from.dist2[first:to]))
	}
}

// every returns the indices of at most the given number of evenly spaced reference points.
func (r *Regression) every(most int) []int32 {
	n := r.frame.snap.Mu.Rows
	rows := make([]int32, min(most, n))
	for i := range rows {
		rows[i] = int32(i * n / len(rows))
	}
	return rows
}

// others are points with their squared distances on the map from one point.
type others struct {
	index []int32
	dist2 []float64
}

// byDistance returns the others of a point among growthOthers, nearest first.
func (r *Regression) byDistance(point int32) (o others) {
	type other struct {
		index int32
		dist2 float64
	}
	mu := r.frame.snap.Mu
	var all []other
	for _, p := range r.every(growthOthers) {
		if p != point {
			all = append(all, other{p, vec.SquaredDistance(mu.Row(int(p)), mu.Row(int(point)))})
		}
	}
	slices.SortFunc(all, func(a, b other) int { return cmp.Or(cmp.Compare(a.dist2, b.dist2), cmp.Compare(a.index, b.index)) })
	for _, a := range all {
		o.index, o.dist2 = append(o.index, a.index), append(o.dist2, a.dist2)
	}
	return o
}

// usualBandwidth returns the median bandwidth of points that are decoded from others. It is 0 if
// most share their place with other points.
func usualBandwidth(from []others) float64 {
	bandwidth := make([]float64, len(from))
	for i, o := range from {
		bandwidth[i] = math.Sqrt(o.dist2[min(bandwidthRank, len(o.dist2))-1])
	}
	slices.Sort(bandwidth)
	return bandwidth[len(bandwidth)/2]
}

// curveOf returns the curve through the mean errors of all points at each radius. It is made
// non-decreasing.
func curveOf(errors [][]residual) (g growth) {
	for level, most := 0, 0.0; ; level++ {
		var sum residual
		n := 0
		for _, e := range errors {
			if level < len(e) {
				sum.error2, sum.bandwidth, n = sum.error2+e[level].error2, sum.bandwidth+e[level].bandwidth, n+1
			}
		}
		if n == 0 || float64(n) < growthShare*float64(len(errors)) {
			return g
		}
		h := sum.bandwidth / float64(n)
		most = max(most, sum.error2/float64(n))
		if last := len(g.bandwidth) - 1; last < 0 || h > g.bandwidth[last] {
			g.bandwidth, g.error2 = append(g.bandwidth, h), append(g.error2, most)
		}
	}
}

// lostVariance estimates the variance of vectors outside of the principal components, which the
// file does not contain. The variances of components decrease about as a power of their number, and
// the missing ones are extrapolated. The result is at most the variance of the existing components.
func lostVariance(s *snapshot.Snapshot) float64 {
	q, all := s.Reference.Cols, 0.0
	if s.Components.Rows == 0 || q == s.Dim {
		return 0
	}
	variance := variances(s.Reference)
	for _, v := range variance {
		all += v
	}
	// A line fitted to the logarithms of the second half.
	var n, sx, sy, sxx, sxy float64
	for c := q / 2; c < q; c++ {
		if variance[c] > 0 {
			x, y := math.Log(float64(c+1)), math.Log(variance[c])
			n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
		}
	}
	slope := 0.0
	if d := n*sxx - sx*sx; d > 0 {
		slope = min(0, (n*sxy-sx*sy)/d)
	}
	lost := 0.0
	for c := q; c < s.Dim; c++ {
		lost += variance[q-1] * math.Pow(float64(c+1)/float64(q), slope)
	}
	return min(lost, all)
}

// variances returns the variances of the columns of x.
func variances(x vec.Matrix[float32]) []float64 {
	u, out := Centred(x), make([]float64, x.Cols)
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			d := float64(v) - u.Shift[c]
			out[c] += d * d / float64(x.Rows)
		}
	}
	return out
}
