package multifrontal

import (
	"context"
	"slices"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/sparse"
)

// Cholesky is a factor A = L L' with one variable for each point. Of a front it keeps only the
// columns of its own points; the update matrix of the border is freed once the front above has
// added it.
type Cholesky struct {
	tree *Tree
	// columns has the columns of the own points of every front, len x own.
	columns []vec.Matrix[float64]
	// below lists the fronts directly below each. subtrees are the lists of fronts that are
	// processed in parallel, rest the fronts above them.
	below    [][]int
	subtrees [][]int
	rest     []int
	rooms    par.Lender[room]
}

// room is the workspace of one goroutine, indexed by the points of a front.
type room struct {
	rows []int32
	x    []float64
}

// CholeskyNumbers returns the size of the factor in numbers, the maximum size including update
// matrices on one thread, and the approximate number of operations.
func (t *Tree) CholeskyNumbers() (held, most, operations int64) {
	left := make([]int64, len(t.Fronts)) // of the borders of the fronts below
	var all int64
	for i, f := range t.Fronts {
		own, rest := int64(len(f.Own)), int64(len(f.Border))
		held += own * (own + rest)
		all += rest * rest
		most = max(most, held+all)
		if all -= left[i]; f.Parent >= 0 {
			left[f.Parent] += rest * rest
		}
		operations += f.operations()
	}
	return held, most, operations
}

// operations returns the approximate number of operations for a front.
func (f Front) operations() int64 {
	own, rest := int64(len(f.Own)), int64(len(f.Border))
	return own*own*own/3 + own*own*rest + own*rest*rest
}

// shares is the approximate number of parts of equal work into which the lower fronts are divided.
const shares = 16

// Cholesky factors diag(diagonal) - w, where w is symmetric, n x n, without a diagonal, and has
// only edges of the tree's graph. A matrix that is not positive definite returns an
// *IndefiniteError.
func (t *Tree) Cholesky(ctx context.Context, w *sparse.CSR, diagonal []float64, threads int) (*Cholesky, error) {
	c := &Cholesky{tree: t, columns: make([]vec.Matrix[float64], len(t.Fronts)), below: make([][]int, len(t.Fronts))}
	for i, front := range t.Fronts {
		if front.Parent >= 0 {
			c.below[front.Parent] = append(c.below[front.Parent], i)
		}
	}
	c.subtrees, c.rest = t.cut(shares)
	f := &factoring{c, w, diagonal, make([]vec.Matrix[float64], len(t.Fronts))}
	if err := f.all(ctx, threads); err != nil {
		return nil, err
	}
	return c, nil
}

// cut returns the largest subtrees with at most 1/shares of all operations, each as a list of its
// fronts, and the fronts above them, all in the order of the fronts.
func (t *Tree) cut(shares int64) (subtrees [][]int, rest []int) {
	_, _, all := t.CholeskyNumbers()
	within := make([]int64, len(t.Fronts)) // operations of a front and those below
	for i, f := range t.Fronts {
		if within[i] += f.operations(); f.Parent >= 0 {
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
	slices.Reverse(subtrees) // they were numbered from the top
	return subtrees, rest
}

// factoring is a factor under construction, with the update matrices of the borders.
type factoring struct {
	*Cholesky
	w        *sparse.CSR
	diagonal []float64
	left     []vec.Matrix[float64]
}

// all factors all fronts from the leaves up. It processes as many subtrees in parallel as there are
// threads, and starts them as late as possible, so that few update matrices exist at a time.
func (f *factoring) all(ctx context.Context, threads int) error {
	next := f.subtrees
	below := func(front int) error { // factors the subtrees that precede a front
		for len(next) > 0 && next[0][0] < front {
			batch := next[:min(len(next), par.Threads(threads))]
			next = next[len(batch):]
			failed := make([]error, len(batch))
			par.Do(threads, len(batch), func(s int) { failed[s] = f.fronts(ctx, batch[s], 1) })
			for _, err := range failed {
				if err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, i := range f.rest {
		if err := below(i); err != nil {
			return err
		}
		if err := f.fronts(ctx, []int{i}, threads); err != nil {
			return err
		}
	}
	return below(len(f.tree.Fronts))
}

// fronts factors some fronts whose children are factored.
func (f *factoring) fronts(ctx context.Context, list []int, threads int) error {
	r := f.rooms.Get()
	defer f.rooms.Put(r)
	if r.rows == nil {
		r.rows = make([]int32, f.w.N)
	}
	for _, i := range list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f.front(i, r.rows, threads); err != nil {
			return err
		}
	}
	return nil
}

// front factors a front: L11 and L21 of its own points, and the update matrix of its border, A22 -
// L21 L21'.
func (f *factoring) front(i int, rows []int32, threads int) error {
	front := f.tree.Fronts[i]
	own, rest := len(front.Own), len(front.Border)
	l, left := vec.New[float64](own+rest, own), vec.New[float64](rest, rest)
	f.assemble(i, l, rows)
	for _, b := range f.below[i] {
		extend(l, left, f.left[b], f.tree.up[b], threads)
		f.left[b] = vec.Matrix[float64]{}
	}
	f.columns[i], f.left[i] = l, left
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

// assemble adds the matrix at the own columns of a front to l; rows is a workspace for the numbers
// of points.
func (f *factoring) assemble(i int, l vec.Matrix[float64], rows []int32) {
	front := f.tree.Fronts[i]
	for k := range front.Len() {
		rows[front.At(k)] = int32(k)
	}
	for k, p := range front.Own {
		l.Row(k)[k] += f.diagonal[p]
		to, w := f.w.Row(int(p))
		for e, q := range to {
			if owner := f.tree.Owner(int(q)); owner > i || owner == i && int(rows[q]) > k {
				l.Row(int(rows[q]))[k] -= w[e]
			}
		}
	}
}

// extend adds the update matrix of a border to the front above, whose rows are up, own points
// first: to its own columns l, or to its own update matrix.
func extend(l, left, border vec.Matrix[float64], up []int32, threads int) {
	own, split := l.Cols, 0
	for split < len(up) && int(up[split]) < own {
		split++
	}
	// Two rows of a border never go to the same place, so tasks do not conflict.
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
func (c *Cholesky) Solve(b vec.Matrix[float64], threads int) {
	left := make([]vec.Matrix[float64], len(c.tree.Fronts)) // updates from the borders of the fronts below
	c.each(c.subtrees, func(r *room, i int) { c.forward(i, b, left, r, 1) }, threads)
	c.each([][]int{c.rest}, func(r *room, i int) { c.forward(i, b, left, r, threads) }, 1)
	back := func(list []int) []int {
		list = slices.Clone(list)
		slices.Reverse(list)
		return list
	}
	c.each([][]int{back(c.rest)}, func(r *room, i int) { c.backward(i, b, r, threads) }, 1)
	down := make([][]int, len(c.subtrees))
	for s, list := range c.subtrees {
		down[s] = back(list)
	}
	c.each(down, func(r *room, i int) { c.backward(i, b, r, 1) }, threads)
}

// each processes the fronts of several lists, the lists in parallel.
func (c *Cholesky) each(lists [][]int, do func(r *room, i int), threads int) {
	par.Do(threads, len(lists), func(l int) {
		r := c.rooms.Get()
		defer c.rooms.Put(r)
		for _, i := range lists[l] {
			do(r, i)
		}
	})
}

// of returns a matrix of m columns for the points of a front.
func (r *room) of(points, m int) vec.Matrix[float64] {
	if len(r.x) < points*m {
		r.x = make([]float64, points*m)
	}
	return vec.Of(points, m, r.x[:points*m])
}

// forward solves with L11 for the own rows of b, after subtracting the updates from the fronts
// below, and passes the updates of the border to the front above.
func (c *Cholesky) forward(i int, b vec.Matrix[float64], left []vec.Matrix[float64], r *room, threads int) {
	front, l, m := c.tree.Fronts[i], c.columns[i], b.Cols
	own, rest := len(front.Own), len(front.Border)
	x := r.of(own+rest, m)
	clear(x.Data[own*m:])
	for k, p := range front.Own {
		copy(x.Row(k), b.Row(int(p)))
	}
	for _, f := range c.below[i] {
		for k, to := range c.tree.up[f] {
			vec.Axpy(1, left[f].Row(k), x.Row(int(to)))
		}
		left[f] = vec.Matrix[float64]{}
	}
	if own > 0 {
		g := gemm.Implementation{Threads: threads}
		g.Dtrsm(gonum.Left, gonum.Lower, gonum.NoTrans, gonum.NonUnit, own, m, 1, l.Data, own, x.Data, m)
		if rest > 0 {
			g.Dgemm(gonum.NoTrans, gonum.NoTrans, rest, m, own, -1, l.Data[own*own:], own, x.Data, m, 1, x.Data[own*m:], m)
		}
	}
	for k, p := range front.Own {
		copy(b.Row(int(p)), x.Row(k))
	}
	left[i] = x.Slice(own, own+rest).Clone()
}

// backward solves with L11' for the own rows of b, after subtracting L21' times the rows of the
// border, which are done.
func (c *Cholesky) backward(i int, b vec.Matrix[float64], r *room, threads int) {
	front, l, m := c.tree.Fronts[i], c.columns[i], b.Cols
	own, rest := len(front.Own), len(front.Border)
	if own == 0 {
		return
	}
	x := r.of(own+rest, m)
	for k := range own + rest {
		copy(x.Row(k), b.Row(int(front.At(k))))
	}
	g := gemm.Implementation{Threads: threads}
	if rest > 0 {
		g.Dgemm(gonum.Trans, gonum.NoTrans, own, m, rest, -1, l.Data[own*own:], own, x.Data[own*m:], m, 1, x.Data, m)
	}
	g.Dtrsm(gonum.Left, gonum.Lower, gonum.Trans, gonum.NonUnit, own, m, 1, l.Data, own, x.Data, m)
	for k, p := range front.Own {
		copy(b.Row(int(p)), x.Row(k))
	}
}
