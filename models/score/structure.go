package score

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
)

// Structure says how much of the data's neighbourhoods the map keeps. The
// formulas are in the package's essay.
type Structure struct {
	// K is the number of neighbours.
	K                                   int
	Trustworthiness, Continuity, Recall float64
	// Shepard is over all pairs of the sample, at most 1000 points of it.
	Shepard float64
	// Triplets is over TripletCount random triples of all points, chosen by Seed.
	Triplets     float64
	TripletCount int
	// Sample points were ranked against all Points. Exact says that these are
	// all; Seed otherwise chose them.
	Points, Sample int
	Exact          bool
	Seed           uint64
}

// defaultK and defaultSample are what zero settings mean here; shepardPoints
// bounds the points whose pairs enter the Shepard correlation.
const (
	defaultK      = 12
	defaultSample = 1000
	shepardPoints = 1000
)

// Measure compares the map y (n x d) with the data x (n x dim), row by row. K must
// be less than n/2.
func Measure(ctx context.Context, x, y vec.Matrix[float32], s Settings) (*Structure, error) {
	if s.K == 0 {
		s.K = defaultK
	}
	if s.Sample == 0 {
		s.Sample = defaultSample
	}
	if s.Triplets == 0 {
		s.Triplets = defaultTriplets
	}
	n := x.Rows
	switch {
	case y.Rows != n:
		return nil, models.BadInputf("score: %d points on the map, %d in the data", y.Rows, n)
	case s.Triplets < 0:
		return nil, models.BadInputf("score: %d triplets", s.Triplets)
	case s.K < 1 || 2*s.K >= n:
		return nil, models.BadInputf("score: %d neighbours of %d points: want 1 to less than half of the points", s.K, n)
	}
	for _, m := range []vec.Matrix[float32]{x, y} {
		if err := models.CheckRows(m, nil); err != nil {
			return nil, fmt.Errorf("score: %w", err)
		}
	}
	r := &Structure{K: s.K, Points: n, Sample: n, Exact: true}
	chosen := everyone(n)
	if s.Sample > 0 && s.Sample < n {
		chosen = choose(n, s.Sample, s.Seed)
		r.Sample, r.Exact, r.Seed = len(chosen), false, s.Seed
	}
	if err := r.neighborhoods(ctx, x, y, chosen, s.Threads); err != nil {
		return nil, err
	}
	if len(chosen) > shepardPoints {
		few := choose(len(chosen), shepardPoints, s.Seed)
		for m, i := range few {
			few[m] = chosen[i]
		}
		chosen = few
		r.Seed = s.Seed
	}
	r.Shepard = shepard(x, y, chosen)
	r.Triplets, r.TripletCount = triplets(x, y, s.Triplets, s.Seed, s.Threads), s.Triplets
	return r, ctx.Err()
}

// neighborhoods fills in the measures that compare neighbour lists and ranks.
// Every task takes a fixed run of the chosen points.
func (r *Structure) neighborhoods(ctx context.Context, x, y vec.Matrix[float32], chosen []int, threads int) error {
	const size = 32
	dx, dy := newDistances(x, threads), newDistances(y, threads)
	type sum struct{ trust, cont, both float64 }
	sums := make([]sum, par.Pieces(len(chosen), size))
	par.Ranges(threads, len(chosen), size, func(p, from, to int) {
		if ctx.Err() != nil {
			return
		}
		own := chosen[from:to]
		bx, by := dx.from(own), dy.from(own)
		for m, i := range own {
			in, on := bx[m*r.Points:(m+1)*r.Points], by[m*r.Points:(m+1)*r.Points]
			near, shown := nearest(in, i, r.K), nearest(on, i, r.K)
			lost, added := without(near, shown), without(shown, near)
			sums[p].trust += excess(in, i, added, r.K)
			sums[p].cont += excess(on, i, lost, r.K)
			sums[p].both += float64(r.K - len(lost))
		}
	})
	var total sum
	for _, s := range sums {
		total.trust += s.trust
		total.cont += s.cont
		total.both += s.both
	}
	k, n, m := float64(r.K), float64(r.Points), float64(len(chosen))
	scale := 2 / (m * k * (2*n - 3*k - 1))
	r.Trustworthiness = 1 - scale*total.trust
	r.Continuity = 1 - scale*total.cont
	r.Recall = total.both / (m * k)
	return ctx.Err()
}

// distances computes squared distances from some rows to all: directly if there
// are few columns, else by matrix products of the centred rows, |a|^2 + |b|^2 - 2ab
// in float64. What is left of a difference there at the level of rounding is 0, so
// that equal rows are at distance 0 and tie.
type distances struct {
	x    vec.Matrix[float32]
	mean []float64
	norm []float64 // |x_i - mean|^2
}

// distanceBlock rows are taken at a time; with the 32 rows of a task the product
// stays below the size at which gonum starts goroutines of its own.
const distanceBlock = 192

// fewColumns is up to where the direct way is taken; rounding is what counts as 0
// otherwise, relative to |a|^2 + |b|^2.
const (
	fewColumns = 16
	rounding   = 1e-13
)

func newDistances(x vec.Matrix[float32], threads int) *distances {
	d := &distances{x: x, mean: make([]float64, x.Cols), norm: make([]float64, x.Rows)}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			d.mean[j] += float64(v) / float64(x.Rows)
		}
	}
	par.Ranges(threads, x.Rows, 1024, func(_, from, to int) {
		row := make([]float64, x.Cols)
		for i := from; i < to; i++ {
			d.centred(row, i)
			d.norm[i] = vec.SquaredNorm(row)
		}
	})
	return d
}

// centred sets out to row i minus the mean.
func (d *distances) centred(out []float64, i int) {
	for j, v := range d.x.Row(i) {
		out[j] = float64(v) - d.mean[j]
	}
}

// from returns the squared distances of the given rows to all rows.
func (d *distances) from(rows []int) []float64 {
	n, dim := d.x.Rows, d.x.Cols
	if dim <= fewColumns {
		out := make([]float64, 0, len(rows)*n)
		for _, i := range rows {
			for j := range n {
				out = append(out, vec.SquaredDistance(d.x.Row(i), d.x.Row(j)))
			}
		}
		return out
	}
	q := blas64.General{Rows: len(rows), Cols: dim, Stride: dim, Data: make([]float64, len(rows)*dim)}
	for m, i := range rows {
		d.centred(q.Data[m*dim:(m+1)*dim], i)
	}
	out := make([]float64, len(rows)*n)
	buf := make([]float64, distanceBlock*dim)
	dots := make([]float64, len(rows)*distanceBlock)
	for first := 0; first < n; first += distanceBlock {
		w := min(distanceBlock, n-first)
		for b := range w {
			d.centred(buf[b*dim:(b+1)*dim], first+b)
		}
		c := blas64.General{Rows: len(rows), Cols: w, Stride: w, Data: dots[:len(rows)*w]}
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, q, blas64.General{Rows: w, Cols: dim, Stride: dim, Data: buf[:w*dim]}, 0, c)
		for m, i := range rows {
			dst := out[m*n+first : m*n+first+w]
			for b, dot := range c.Data[m*w : (m+1)*w] {
				sum := d.norm[i] + d.norm[first+b]
				if dst[b] = sum - 2*dot; dst[b] < rounding*sum {
					dst[b] = 0
				}
			}
		}
	}
	return out
}

// closer orders points by distance, then by number.
func closer(dist []float64, a, b int) bool {
	return dist[a] < dist[b] || dist[a] == dist[b] && a < b
}

// nearest returns the k points nearest to point i, nearest first.
func nearest(dist []float64, i, k int) []int {
	list := make([]int, 0, k+1)
	for j := range dist {
		if j == i || len(list) == k && !closer(dist, j, list[k-1]) {
			continue
		}
		at := sort.Search(len(list), func(m int) bool { return closer(dist, j, list[m]) })
		list = slices.Insert(list, at, j)
		list = list[:min(len(list), k)]
	}
	return list
}

// without returns the members of a that are not in b.
func without(a, b []int) (out []int) {
	for _, v := range a {
		if !slices.Contains(b, v) {
			out = append(out, v)
		}
	}
	return out
}

// excess returns the sum of (rank - k) of the listed points by distance from
// point i, for points that are given nearest first by another distance.
func excess(dist []float64, i int, list []int, k int) (sum float64) {
	if len(list) == 0 {
		return 0
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b int) int {
		if closer(dist, a, b) {
			return -1
		}
		return 1
	})
	last := list[len(list)-1]
	// before[m] counts the points between the (m-1)-th and the m-th of the list.
	before := make([]int, len(list))
	for j := range dist {
		if j != i && closer(dist, j, last) {
			before[sort.Search(len(list), func(m int) bool { return closer(dist, j, list[m]) })]++
		}
	}
	rank := 0
	for _, b := range before {
		// before counts the previous member of the list too.
		rank += b
		sum += float64(rank + 1 - k)
	}
	return sum
}
