package baseline

import (
	"cmp"
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/pairwise"
	"unfold/internal/vec"
	"unfold/models/optimize"
	"unfold/models/snapshot"
)

const (
	// rankSteps is the maximum number of iterations. They end earlier when the stress falls by less
	// than rankTolerance, as a share of the squared distances. Both are the defaults of
	// scikit-learn.
	rankSteps     = 300
	rankTolerance = 1e-6
)

// ordered returns the positions of minimal (15), m x d, from a start at principal components. t
// keeps the monotone function and the stress.
func (t *scaled) ordered(ctx context.Context, x vec.Matrix[float32], s Settings) (vec.Matrix[float64], error) {
	places, err := t.projected(ctx, x, s)
	if err != nil {
		return places, err
	}
	p := newPairs(t.y, s.Threads)
	d := make([]float64, len(p.delta))
	if t.course, err = p.smacof(ctx, d, places, s.Threads); err != nil {
		return places, err
	}
	t.rank, t.stress = p.fitted(d)
	return turned(places)
}

// pairs has the pairs i < j of m points, ordered by dissimilarity. Distances and disparities are
// stored by rows: those of i with all j > i follow those of i - 1.
type pairs struct {
	m     int
	delta []float64 // ascending
	order []int     // index of each pair in that order; first of equals first
	pools []pool    // of the last regression
}

// newPairs sorts the pairs of the rows of y by their distances.
func newPairs(y vec.Matrix[float64], threads int) *pairs {
	p := &pairs{m: y.Rows}
	n := p.m * (p.m - 1) / 2
	p.delta, p.order = make([]float64, n), make([]int, n)
	by := make([]float64, n)
	p.distances(by, y, threads)
	for k := range p.order {
		p.order[k] = k
	}
	slices.SortFunc(p.order, func(a, b int) int { return cmp.Or(cmp.Compare(by[a], by[b]), a-b) })
	for k, at := range p.order {
		p.delta[k] = by[at]
	}
	return p
}

// from returns the index of the first pair of i.
func (p *pairs) from(i int) int { return i * (2*p.m - i - 1) / 2 }

// distances sets d to the distances between the rows of x.
func (p *pairs) distances(d []float64, x vec.Matrix[float64], threads int) {
	columns := columnsOf(x)
	par.Ranges(threads, p.m, par.Pieces(p.m, sumParts), func(_, from, to int) {
		rest := make([][]float64, len(columns))
		for i := from; i < to; i++ {
			for c, v := range columns {
				rest[c] = v[i+1:]
			}
			row := d[p.from(i):p.from(i+1)]
			pairwise.Distances(row, x.Row(i), rest)
			for j, d2 := range row {
				row[j] = math.Sqrt(d2)
			}
		}
	})
}

// smacof moves x to a minimum of (15), by (16) and (17) in turn, and sets d to its distances.
func (p *pairs) smacof(ctx context.Context, d []float64, x vec.Matrix[float64], threads int) (optimize.Result, error) {
	r, hat, before := optimize.Result{}, make([]float64, len(d)), 0.0
	p.distances(d, x, threads)
	for r.Iterations < rankSteps && !r.Converged {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if r.Iterations == 0 { // there is no monotone function yet at the start
			for k, at := range p.order {
				hat[at] = p.delta[k]
			}
		} else {
			p.regress(hat, d)
		}
		vec.Scale(math.Sqrt(float64(len(hat))/vec.SquaredNorm(hat)), hat)
		p.guttman(x, hat, d, threads)
		p.distances(d, x, threads)
		r.F = vec.SquaredDistance(d, hat)
		r.Converged = r.Iterations > 0 && (before-r.F)/vec.SquaredNorm(d) < rankTolerance
		before = r.F
		r.Iterations++
	}
	return r, nil
}

// guttman replaces x by (17), with sums that are the same for any number of threads.
func (p *pairs) guttman(x vec.Matrix[float64], hat, d []float64, threads int) {
	size := par.Pieces(p.m, sumParts)
	parts := make([]vec.Matrix[float64], par.Pieces(p.m, size))
	par.Ranges(threads, p.m, size, func(part, from, to int) {
		sum := vec.New[float64](p.m, x.Cols)
		parts[part] = sum
		for i := from; i < to; i++ {
			at, own := p.from(i), sum.Row(i)
			for j := i + 1; j < p.m; j, at = j+1, at+1 {
				if d[at] == 0 {
					continue
				}
				f, other := hat[at]/d[at]/float64(p.m), sum.Row(j)
				for c, v := range x.Row(j) {
					e := f * (x.Row(i)[c] - v)
					own[c] += e
					other[c] -= e
				}
			}
		}
	})
	clear(x.Data)
	for _, sum := range parts {
		vec.Axpy(1, sum.Data, x.Data)
	}
}

// fitted returns the monotone regression of d on the dissimilarities, and its stress (15),
// Kruskal's stress-1.
func (p *pairs) fitted(d []float64) (monotone, float64) {
	hat := make([]float64, len(d))
	p.regress(hat, d)
	f := vec.New[float64](len(p.pools), 3)
	begin := 0
	for k, l := range p.pools {
		copy(f.Row(k), []float64{p.delta[begin], p.delta[l.end-1], l.sum / float64(l.end-begin)})
		begin = l.end
	}
	return monotone{f}, math.Sqrt(vec.SquaredDistance(d, hat) / vec.SquaredNorm(d))
}

// DescribeStress returns Kruskal's stress-1 of a map of kind nmds; 0 means a perfect order.
func DescribeStress(s *snapshot.Snapshot) float64 {
	stress, err := snapshot.PartOf[float64](s, "stress", 1, 1)
	if err != nil {
		return math.NaN()
	}
	return stress[0]
}
