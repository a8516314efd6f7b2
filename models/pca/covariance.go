package pca

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	fast "unfold/internal/simd/gemm"
	"unfold/internal/vec"
)

// This is the size of the blocks of x that are centred in float64 at a time.
const (
	blockRows = 256
	// These are the sizes of the tiles of C. A tile of 64 x 192 stays below the size at which
	// gonum's matrix product starts its own goroutines.
	tileRows, tileCols = 64, 192
	// fewRows is the number of rows of a tile if C has no more columns than one tile.
	fewRows = 16
	// pieces is the number of row ranges with separate sums.
	pieces = 16
	// Without forming C, panelColumns columns of x are centred at a time. The product X'(X v) works
	// on stretchRows rows at a time.
	panelColumns = 512
	stretchRows  = 1 << 13
)

// covariance is the covariance C of the rows of x, as a matrix or by products with it.
type covariance struct {
	x       vec.Matrix[float32]
	mean    []float64
	threads int
	total   float64
	// gram is C, if it is formed. full is the same with both halves, for faster products. single
	// reports that C was computed in float32.
	gram   *mat.SymDense
	full   *mat.Dense
	single bool
}

// mean returns the column means of x.
func mean(x vec.Matrix[float32], threads int) []float64 {
	return sums(x, threads, func(sum []float64, rows vec.Matrix[float32]) {
		i := 0
		for ; i+4 <= rows.Rows; i += 4 {
			x0, x1 := rows.Row(i)[:len(sum)], rows.Row(i + 1)[:len(sum)]
			x2, x3 := rows.Row(i + 2)[:len(sum)], rows.Row(i + 3)[:len(sum)]
			for j, s := range sum {
				sum[j] = s + float64(x0[j]) + float64(x1[j]) + float64(x2[j]) + float64(x3[j])
			}
		}
		for ; i < rows.Rows; i++ {
			for j, v := range rows.Row(i) {
				sum[j] += float64(v)
			}
		}
	})
}

// trace returns sum_j C_jj.
func (c *covariance) trace() (t float64) {
	square := func(v float32, mean float64) float64 {
		d := float64(v) - mean
		return float64(d * d) // rounded, and not fused into the sum
	}
	for _, v := range sums(c.x, c.threads, func(sum []float64, rows vec.Matrix[float32]) {
		i, mean := 0, c.mean[:len(sum)]
		for ; i+4 <= rows.Rows; i += 4 {
			x0, x1 := rows.Row(i)[:len(sum)], rows.Row(i + 1)[:len(sum)]
			x2, x3 := rows.Row(i + 2)[:len(sum)], rows.Row(i + 3)[:len(sum)]
			for j, m := range mean {
				sum[j] = sum[j] + square(x0[j], m) + square(x1[j], m) + square(x2[j], m) + square(x3[j], m)
			}
		}
		for ; i < rows.Rows; i++ {
			for j, v := range rows.Row(i) {
				sum[j] += square(v, mean[j])
			}
		}
	}) {
		t += v
	}
	return t
}

// sums returns, for every column j, the sum over all rows that add computes, divided by n. add must
// add the rows of a range in order.
func sums(x vec.Matrix[float32], threads int, add func(sum []float64, rows vec.Matrix[float32])) []float64 {
	size := (x.Rows + pieces - 1) / pieces
	parts := make([][]float64, par.Pieces(x.Rows, size))
	par.Ranges(threads, x.Rows, size, func(p, from, to int) {
		parts[p] = make([]float64, x.Cols)
		add(parts[p], x.Slice(from, to))
	})
	out := make([]float64, x.Cols)
	for _, part := range parts {
		vec.Axpy(1/float64(x.Rows), part, out)
	}
	return out
}

// centred sets out to columns from..to of rows first..last of x - mean.
func (c *covariance) centred(out []float64, first, last, from, to int) blas64.General {
	w := to - from
	for i := first; i < last; i++ {
		row, dst, m := c.x.Row(i)[from:to], out[(i-first)*w:(i-first+1)*w], c.mean[from:to]
		for j, v := range row {
			dst[j] = float64(v) - m[j]
		}
	}
	return blas64.General{Rows: last - first, Cols: w, Stride: w, Data: out}
}

// form computes C and its trace, in single precision where the error is harmless.
func (c *covariance) form(ctx context.Context) error {
	if c.products() >= manyProducts {
		if c.total = c.trace(); c.harmless() {
			return c.formSingle(ctx)
		}
		return c.formDouble(ctx)
	}
	if err := c.formDouble(ctx); err != nil {
		return err
	}
	for j := range c.x.Cols {
		c.total += c.gram.At(j, j)
	}
	return nil
}

// products returns the number of multiplications that form C.
func (c *covariance) products() float64 {
	return float64(c.x.Rows) * float64(c.x.Cols) * float64(c.x.Cols)
}

// set makes gram C, in double precision.
func (c *covariance) set(gram *mat.SymDense) {
	c.gram, c.full, c.single = gram, mat.DenseCopyOf(gram), false
}

// formDouble computes C in double precision: by rows for few columns, otherwise tile by tile.
func (c *covariance) formDouble(ctx context.Context) error {
	if c.x.Cols <= tileCols && c.products() >= fewProducts {
		return c.formByRows(ctx)
	}
	return c.formByTiles(ctx)
}

// formByRows computes C of ranges of rows, which are added in order.
func (c *covariance) formByRows(ctx context.Context) error {
	n, dim := c.x.Rows, c.x.Cols
	size := (n + pieces - 1) / pieces
	parts := make([][]float64, par.Pieces(n, size))
	par.Ranges(c.threads, n, size, func(p, from, to int) {
		sum, block := make([]float64, dim*dim), make([]float64, blockRows*dim)
		for r := from; r < to && ctx.Err() == nil; r += blockRows {
			x := c.centred(block, r, min(to, r+blockRows), 0, dim)
			fast.Implementation{Threads: 1}.Dsyrk(blas.Upper, blas.Trans, dim, x.Rows, 1/float64(n), x.Data, x.Stride, 1, sum, dim)
		}
		parts[p] = sum
	})
	sum := make([]float64, dim*dim)
	for _, part := range parts {
		vec.Axpy(1, part, sum)
	}
	c.set(mat.NewSymDense(dim, sum))
	return ctx.Err()
}

// formByTiles computes C tile by tile. Each tile is a task that reads its columns of all rows.
func (c *covariance) formByTiles(ctx context.Context) error {
	n, dim := c.x.Rows, c.x.Cols
	// Small products use gonum's code on every processor, so that the result is the same
	// everywhere.
	product := gonum.Implementation{}.Dgemm
	if c.products() >= manyProducts {
		product = fast.Implementation{Threads: 1}.Dgemm
	}
	gram := mat.NewSymDense(dim, nil)
	type tile struct{ i, j int }
	var tiles []tile
	rows := tileRows
	if dim <= tileCols { // for all threads to have some, and little below the diagonal
		rows = fewRows
	}
	for i := 0; i < dim; i += rows {
		for j := i; j < dim; j += tileCols {
			tiles = append(tiles, tile{i, j})
		}
	}
	par.Do(c.threads, len(tiles), func(t int) {
		i0, j0 := tiles[t].i, tiles[t].j
		i1, j1 := min(dim, i0+rows), min(dim, j0+tileCols)
		a, b := make([]float64, blockRows*(i1-i0)), make([]float64, blockRows*(j1-j0))
		sum := blas64.General{Rows: i1 - i0, Cols: j1 - j0, Stride: j1 - j0, Data: make([]float64, (i1-i0)*(j1-j0))}
		for r := 0; r < n && ctx.Err() == nil; r += blockRows {
			last := min(n, r+blockRows)
			left, right := c.centred(a, r, last, i0, i1), c.centred(b, r, last, j0, j1)
			product(blas.Trans, blas.NoTrans, sum.Rows, sum.Cols, left.Rows, 1, left.Data, left.Stride, right.Data, right.Stride, 1, sum.Data, sum.Stride)
		}
		for i := i0; i < i1; i++ {
			for j := max(i, j0); j < j1; j++ {
				// Tiles do not overlap, so no two tasks write the same element.
				gram.SetSym(i, j, sum.Data[(i-i0)*sum.Stride+j-j0]/float64(n))
			}
		}
	})
	c.set(gram)
	return ctx.Err()
}

// order is dim.
func (c *covariance) order() int { return c.x.Cols }

// weight is 1, because residuals need no correction here.
func (c *covariance) weight(_, _ float64) float64 { return 1 }

// apply returns C v for the columns of v (dim x m).
func (c *covariance) apply(ctx context.Context, v *mat.Dense) (*mat.Dense, error) {
	dim, m := v.Dims()
	if c.full != nil {
		return times(c.threads, blas.NoTrans, c.full, v), ctx.Err()
	}
	n, out := c.x.Rows, mat.NewDense(dim, m, nil)
	y := vec.New[float64](min(n, stretchRows), m)
	for from := 0; from < n; from += stretchRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(n, from+stretchRows)
		image := blas64.General{Rows: to - from, Cols: m, Stride: m, Data: y.Data[:(to-from)*m]}
		c.times(image, v.RawMatrix(), from)
		c.addTransposed(out.RawMatrix(), image, from)
	}
	vec.Scale(1/float64(n), out.RawMatrix().Data)
	return out, ctx.Err()
}

// times sets y to X v, for as many centred rows as y has, beginning with row first.
func (c *covariance) times(y, v blas64.General, first int) {
	par.Ranges(c.threads, y.Rows, blockRows, func(_, from, to int) {
		buf := make([]float64, (to-from)*min(v.Rows, panelColumns))
		part := blas64.General{Rows: to - from, Cols: y.Cols, Stride: y.Stride, Data: y.Data[from*y.Stride:]}
		for j := 0; j < v.Rows; j += panelColumns {
			last := min(v.Rows, j+panelColumns)
			x := c.centred(buf, first+from, first+to, j, last)
			multiply(1, blas.NoTrans, x, blas64.General{Rows: last - j, Cols: v.Cols, Stride: v.Stride, Data: v.Data[j*v.Stride:]}, min(1, float64(j)), part)
		}
	})
}

// addTransposed adds X'y to out (dim x m), where X has the centred rows beginning with row first.
func (c *covariance) addTransposed(out, y blas64.General, first int) {
	par.Ranges(c.threads, out.Rows, panelColumns, func(_, from, to int) {
		buf := make([]float64, min(y.Rows, blockRows)*(to-from))
		part := blas64.General{Rows: to - from, Cols: out.Cols, Stride: out.Stride, Data: out.Data[from*out.Stride:]}
		for r := 0; r < y.Rows; r += blockRows {
			last := min(y.Rows, r+blockRows)
			x := c.centred(buf, first+r, first+last, from, to)
			multiply(1, blas.Trans, x, blas64.General{Rows: last - r, Cols: y.Cols, Stride: y.Stride, Data: y.Data[r*y.Stride:]}, 1, part)
		}
	})
}

// multiply sets c = op(a) b + beta c, with a bounded number of threads.
func multiply(threads int, tA blas.Transpose, a, b blas64.General, beta float64, c blas64.General) {
	fast.Implementation{Threads: threads}.Dgemm(tA, blas.NoTrans, c.Rows, c.Cols, b.Rows,
		1, a.Data, a.Stride, b.Data, b.Stride, beta, c.Data, c.Stride)
}

// times returns op(a) b.
func times(threads int, tA blas.Transpose, a, b *mat.Dense) *mat.Dense {
	rows, cols := a.Dims()
	if tA == blas.Trans {
		rows = cols
	}
	_, cols = b.Dims()
	out := mat.NewDense(rows, cols, nil)
	multiply(threads, tA, a.RawMatrix(), b.RawMatrix(), 0, out.RawMatrix())
	return out
}
