package knn

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/sparse"
)

const (
	// invertedRows is the number of rows that are transposed at a time, so that their products with
	// a row stay in the second-level cache.
	invertedRows = 1 << 15
	// invertedPiece is the number of rows of one task.
	invertedPiece = 64
)

// Sparse returns the k nearest other rows of every row of a sparse matrix, as Graph does for dense
// ones; a must be valid and its values finite. Distances are those of sparse.Rows.SquaredDistance,
// and lists are ordered by (squared distance, row number).
//
// It searches with inverted lists, as in information retrieval (Zobel and Moffat, Inverted files
// for text search engines, ACM Computing Surveys 2006). The lists by column give the products of
// row i with all rows j that share a column, as sums in float64, and
//
//	|x_i - x_j|^2 = |x_i|^2 + |x_j|^2 - 2 x_i x_j
//
// up to rounding with a rigorous bound (roundings). Rows that may be among the k nearest of a block
// are then compared exactly. The cost of a row is the total length of the lists of its columns, and
// n comparisons. The memory besides a and the result is that of invertedRows rows by columns, and
// one number for each of these per thread. It returns an error if there are no k other rows or if
// ctx ends, and a *ValueError if a value is not finite.
func Sparse(ctx context.Context, a *sparse.Rows, k int, s Settings) (*Neighbors, error) {
	return invertedBy(ctx, a, k, invertedRows, s)
}

// SparseBytes returns the approximate memory of Sparse besides a and the result, for a of n x m
// with the given number of entries.
func SparseBytes(n, m, entries, threads int) int64 {
	block := min(n, invertedRows)
	lists := float64(entries) * float64(block) / float64(max(n, 1))
	return int64(12*lists) + 16*int64(m) + 8*int64(n) + 8*int64(block)*int64(par.Threads(threads))
}

// invertedBy is Sparse with lists of size rows at a time.
func invertedBy(ctx context.Context, a *sparse.Rows, k, size int, s Settings) (*Neighbors, error) {
	if err := checkShape(a.N(), a.M(), k, a.N()-1); err != nil {
		return nil, err
	}
	g, err := newInverted(a, k)
	if err != nil {
		return nil, err
	}
	blocks := par.Pieces(a.N(), size)
	count := par.NewProgress(blocks*par.Pieces(a.N(), invertedPiece), s.Progress)
	for b := range blocks {
		g.first = b * size
		g.columns = a.Columns(g.first, min(a.N(), g.first+size))
		par.Ranges(s.Threads, a.N(), invertedPiece, func(_, from, to int) {
			if ctx.Err() != nil {
				return
			}
			w := g.works.Get()
			if w.products == nil {
				w.products = make([]float64, min(a.N(), size))
			}
			for i := from; i < to; i++ {
				g.row(i, w)
			}
			g.works.Put(w)
			count.Step()
		})
		if err := cancelled(ctx); err != nil {
			return nil, err
		}
	}
	return g.lists, nil
}

// inverted is the state of one search.
type inverted struct {
	a     *sparse.Rows
	lists *Neighbors
	// half has (1 - margin) |x_j|^2 / 2.
	half   []float64
	margin float64
	// columns has the rows from first on of a, by columns.
	columns *sparse.CSR
	first   int
	works   par.Lender[invertedWork]
}

// invertedWork is the workspace of a thread.
type invertedWork struct {
	// products are those with the rows of a block. They are all zero between calls of row.
	products []float64
	// nearest is a max-heap of the k least upper bounds.
	nearest []float64
}

// newInverted checks the values of a.
func newInverted(a *sparse.Rows, k int) (*inverted, error) {
	g := &inverted{a: a, lists: EmptyNeighbors(a.N(), k), half: make([]float64, a.N())}
	longest := 0
	for i := range a.N() {
		index, data := a.Row(i)
		longest = max(longest, len(data))
		for p, v := range data {
			if !(math.Abs(v) < limit) {
				return nil, fmt.Errorf("knn: %w", &ValueError{Row: i, Col: index[p], Value: v})
			}
			g.half[i] += float64(v * v)
		}
	}
	g.margin = roundings(longest)
	for i, square := range g.half {
		g.half[i] = (1 - g.margin) * square / 2
	}
	return g, nil
}

// roundings returns an upper bound of the rounding error of sums of at most m products, as a share
// of |x|^2 + |y|^2. With u = 2^-53 the product, the two squares and the exact distance have errors
// of at most about m u / 2, m u and 2 (m+1) u times that share (Higham 2002, eq. 3.5, and 2|xy| <=
// x^2 + y^2); a few more are for the comparison.
func roundings(m int) float64 { return float64(5*m+16) * 0x1p-53 }

// row compares row i with those of the block.
func (g *inverted) row(i int, w *invertedWork) {
	products := w.products[:g.columns.M]
	g.multiply(i, products)
	index, dist2 := g.lists.Row(i)
	last := len(dist2) - 1
	own, half := g.half[i], g.half[g.first:][:len(products)]
	bound := g.bound(i, w)
	least := own - min(dist2[last]/2, bound)
	for r, product := range products {
		products[r] = 0
		if product < least+half[r] {
			continue
		}
		j := g.first + r
		if j == i {
			continue
		}
		if d2 := g.a.SquaredDistance(i, g.a, j, dist2[last]); insert(index, dist2, int32(j), d2) {
			least = own - min(dist2[last]/2, bound)
		}
	}
}

// multiply adds the products of row i with the rows of the block.
func (g *inverted) multiply(i int, products []float64) {
	columns, values := g.a.Row(i)
	for p, j := range columns {
		v := values[p]
		rows, data := g.columns.Row(j)
		data = data[:len(rows)]
		for q, r := range rows {
			products[r] += float64(v * data[q])
		}
	}
}

// bound returns an upper bound of half the k-th least squared distance of row i to rows of the
// block; +Inf if the block has fewer. Exact distances cost much more than products. Without the
// bound, about k log(n/k) of them would enter the list before the nearest rows.
func (g *inverted) bound(i int, w *invertedWork) float64 {
	k := g.lists.K
	heap := w.nearest[:0]
	own, up := g.half[i], 1+3*g.margin // more than (1 + margin) / (1 - margin)
	for r, product := range w.products[:g.columns.M] {
		v := up*(own+g.half[g.first+r]) - product
		switch {
		case len(heap) == k && !(v < heap[0]) || g.first+r == i:
		case len(heap) < k:
			if heap = append(heap, v); len(heap) == k {
				for at := k/2 - 1; at >= 0; at-- {
					sift(heap, at, heap[at])
				}
			}
		default:
			sift(heap, 0, v)
		}
	}
	w.nearest = heap
	if len(heap) < k {
		return math.Inf(1)
	}
	return heap[0]
}

// sift places v in a max-heap at index at or below it.
func sift(heap []float64, at int, v float64) {
	for {
		child := 2*at + 1
		if child >= len(heap) {
			break
		}
		if child+1 < len(heap) && heap[child+1] > heap[child] {
			child++
		}
		if heap[child] <= v {
			break
		}
		heap[at] = heap[child]
		at = child
	}
	heap[at] = v
}
