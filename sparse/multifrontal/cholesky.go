package multifrontal

import (
	"context"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/sparse"
)

// Cholesky is a factor alone, A = L L', of one variable a point. Of a front it keeps the
// columns of the own points; what is left of the border is there until the front above has it.
type Cholesky struct {
	// columns has for its fronts the own points' columns alone, which Solve reads.
	columns Matrix
}

// CholeskyNumbers returns how many numbers the factor holds, and about how many operations it takes.
func (t *Tree) CholeskyNumbers() (held, operations int64) {
	for _, f := range t.Fronts {
		own, rest := int64(len(f.Own)), int64(len(f.Border))
		held += own * (own + rest)
		operations += own*own*own/3 + own*own*rest + own*rest*rest
	}
	return held, operations
}

// shares is into how many parts of equal work, about, the fronts far from the top are cut.
const shares = 16

// Cholesky factors diag(diagonal) - w, w symmetric, n x n, without a diagonal, with no more edges
// than the graph of the tree. A matrix that is not positive definite is an *IndefiniteError.
func (t *Tree) Cholesky(ctx context.Context, w *sparse.CSR, diagonal []float64, threads int) (*Cholesky, error) {
	f := &factoring{
		Cholesky: &Cholesky{Matrix{Tree: t, Dims: 1, Fronts: make([]vec.Matrix[float64], len(t.Fronts))}},
		w:        w, diagonal: diagonal, below: make([][]int, len(t.Fronts)), left: make([]vec.Matrix[float64], len(t.Fronts)),
	}
	for i, front := range t.Fronts {
		if front.Parent >= 0 {
			f.below[front.Parent] = append(f.below[front.Parent], i)
		}
	}
	subtrees, rest := t.cut(shares)
	failed := make([]error, len(subtrees))
	par.Do(threads, len(subtrees), func(s int) {
		failed[s] = f.fronts(ctx, subtrees[s], 1)
	})
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	if err := f.fronts(ctx, rest, threads); err != nil {
		return nil, err
	}
	return f.Cholesky, nil
}

// cut returns the largest subtrees that take no more than a share of all operations, each as
// the list of its fronts, and the fronts above them, all from below.
func (t *Tree) cut(shares int64) (subtrees [][]int, rest []int) {
	_, all := t.CholeskyNumbers()
	within := make([]int64, len(t.Fronts)) // operations of a front and those below
	for i, f := range t.Fronts {
		_, own := (&Tree{Fronts: []Front{f}}).CholeskyNumbers()
		if within[i] += own; f.Parent >= 0 {
			within[f.Parent] += within[i]
		}
	}
	under := make([]int, len(t.Fronts)) // the subtree of a front, and one
	for i := len(t.Fronts) - 1; i >= 0; i-- {
		switch p := t.Fronts[i].Parent; {
		case p >= 0 && under[p] > 0:
			under[i] = under[p]
		case within[i]*shares <= all:
			subtrees = append(subtrees, nil)
			under[i] = len(subtrees)
		}
	}
	for i, s := range under {
		if s == 0 {
			rest = append(rest, i)
		} else {
			subtrees[s-1] = append(subtrees[s-1], i)
		}
	}
	return subtrees, rest
}

// factoring is a factor that is being made.
type factoring struct {
	*Cholesky
	w        *sparse.CSR
	diagonal []float64
	below    [][]int // the fronts under a front
	left     []vec.Matrix[float64]
	rows     par.Lender[[]int32] // of points in a front
}

// fronts factors some fronts, of which those below are factored.
func (f *factoring) fronts(ctx context.Context, list []int, threads int) error {
	rows := f.rows.Get()
	defer f.rows.Put(rows)
	if *rows == nil {
		*rows = make([]int32, f.w.N)
	}
	for _, i := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.front(i, *rows, threads); err != nil {
			return err
		}
	}
	return nil
}

// front factors one: L11 and L21 of its own points, and what is left of its border, A22 - L21 L21'.
func (f *factoring) front(i int, rows []int32, threads int) error {
	front := f.columns.Tree.Fronts[i]
	own, rest := len(front.Own), len(front.Border)
	l, left := vec.New[float64](own+rest, own), vec.New[float64](rest, rest)
	f.assemble(i, l, rows)
	for _, b := range f.below[i] {
		extend(l, left, f.left[b], f.columns.Tree.up[b], threads)
		f.left[b] = vec.Matrix[float64]{}
	}
	f.columns.Fronts[i], f.left[i] = l, left
	if own == 0 {
		return nil
	}
	if err := spd.Factor(l.Slice(0, own), threads); err != nil {
		bad, ok := err.(*spd.IndefiniteError)
		if !ok {
			return err
		}
		return &IndefiniteError{int(front.Own[bad.Row]), 0, bad.Pivot}
	}
	if rest > 0 {
		g, below := gemm.Implementation{Threads: threads}, l.Data[own*own:]
		g.Dtrsm(gonum.Right, gonum.Lower, gonum.Trans, gonum.NonUnit, rest, own, 1, l.Data, own, below, own)
		g.Dsyrk(gonum.Lower, gonum.NoTrans, rest, own, -1, below, own, 1, left.Data, rest)
	}
	return nil
}

// assemble adds the matrix at the own columns of a front to l; rows has room for the numbers of points.
func (f *factoring) assemble(i int, l vec.Matrix[float64], rows []int32) {
	front := f.columns.Tree.Fronts[i]
	for k := range front.Len() {
		rows[front.At(k)] = int32(k)
	}
	for k, p := range front.Own {
		l.Row(k)[k] += f.diagonal[p]
		to, w := f.w.Row(int(p))
		for e, q := range to {
			if owner := f.columns.Tree.Owner(int(q)); owner > i || owner == i && int(rows[q]) > k {
				l.Row(int(rows[q]))[k] -= w[e]
			}
		}
	}
}

// extend adds what was left of a border to the front above, of which it has the rows up, own
// points first: to the columns of own points, l, or to what is left.
func extend(l, left, border vec.Matrix[float64], up []int32, threads int) {
	own, split := l.Cols, 0
	for split < len(up) && int(up[split]) < own {
		split++
	}
	// Two rows of a border never lead to one place, so that tasks do not meet.
	par.Ranges(threads, len(up), taskRows, func(_, from, to int) {
		for a := from; a < to; a++ {
			row := border.Row(a)[:a+1]
			if a < split { // own points need not be in order
				for b, v := range row {
					l.Row(int(max(up[a], up[b])))[min(up[a], up[b])] += v
				}
				continue
			}
			to := l.Row(int(up[a]))
			for b, v := range row[:split] {
				to[up[b]] += v
			}
			to = left.Row(int(up[a]) - own)
			for b, v := range row[split:] {
				to[int(up[split+b])-own] += v
			}
		}
	})
}

// Solve overwrites the columns of b (n rows) with A^-1 b.
func (c *Cholesky) Solve(b vec.Matrix[float64], threads int) { c.columns.Solve(b, threads) }
