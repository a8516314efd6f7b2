package gemm

import (
	"sync"

	"gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/simd"
)

// These are the sizes of tiles and blocks. Panels of B of the block depth fill the first-level
// cache, a block of A an eighth of the second, one of B most of it.
const (
	height = 8   // rows of a tile
	width  = 24  // columns of a tile
	depth  = 256 // terms that are summed in registers
	tall   = 12 * height
	wide   = 32 * width
)

// product is C += alpha A B for A of m x k and B of k x n. part is the requested triangle of C, 0
// for all of it.
type product struct {
	m, n, k int
	alpha   float64
	a, b    view
	c       []float64
	ldc     int
	part    blas.Uplo
}

// blocks are the packed copies of parts of A and B.
var (
	leftBlocks  = sync.Pool{New: func() any { return new([tall * depth]float64) }}
	rightBlocks = sync.Pool{New: func() any { return new([wide * depth]float64) }}
)

func (g Implementation) level() simd.Level { return simd.Best() - g.reduced }

// multiply computes p with several threads. Each task computes its own elements of C.
func (g Implementation) multiply(p product) {
	threads := par.Threads(g.Threads)
	if p.m*p.n*p.k < manyTasks {
		threads = 1
	}
	right := rightBlocks.Get().(*[wide * depth]float64)
	defer rightBlocks.Put(right)
	for j := 0; j < p.n; j += wide {
		cols := min(wide, p.n-j)
		for k := 0; k < p.k; k += depth {
			terms := min(depth, p.k-k)
			panels := par.Pieces(cols, width)
			b := p.b.from(k, j)
			par.Ranges(threads, panels, 4, func(_, from, to int) {
				for q := from; q < to; q++ {
					packRight(right[q*width*terms:], b.from(0, q*width), min(width, cols-q*width), terms)
				}
			})
			p.rows(g.level(), threads, j, k, cols, terms, right[:])
		}
	}
}

// replace computes C = alpha A B where C may be A or B. B has at most one block, and it uses one
// thread.
func (g Implementation) replace(p product) {
	right, left := rightBlocks.Get().(*[wide * depth]float64), leftBlocks.Get().(*[tall * depth]float64)
	defer rightBlocks.Put(right)
	defer leftBlocks.Put(left)
	for q := 0; q < p.n; q += width {
		packRight(right[q*p.k:], p.b.from(0, q), min(width, p.n-q), p.k)
	}
	for i := 0; i < p.m; i += tall {
		rows := min(tall, p.m-i)
		for r := 0; r < rows; r += height {
			packLeft(left[r*p.k:], p.a.from(i+r, 0), min(height, rows-r), p.k)
		}
		for r := range rows {
			clear(p.c[(i+r)*p.ldc:][:p.n])
		}
		for q := 0; q < p.n; q += width {
			for r := 0; r < rows; r += height {
				p.tile(g.level(), i+r, q, left[r*p.k:][:height*p.k], right[q*p.k:][:width*p.k], p.k)
			}
		}
	}
}

// rows adds the products with a block of B, from row k and column j, to all rows
// of C.
func (p *product) rows(level simd.Level, threads, j, k, cols, terms int, right []float64) {
	panels, strip := par.Pieces(cols, width), par.Pieces(p.m, tall)
	// If there are few rows, tasks divide the columns; each packs the rows again.
	share := panels
	if strip < 2*threads {
		share = max(8, par.Pieces(panels, 2*threads))
	}
	shares := par.Pieces(panels, share)
	par.Do(threads, strip*shares, func(t int) {
		i, q := t/shares*tall, t%shares*share
		last := min(panels, q+share)
		rows := min(tall, p.m-i)
		if p.outside(i, i+rows, j+q*width, min(p.n, j+last*width)) {
			return
		}
		left := leftBlocks.Get().(*[tall * depth]float64)
		defer leftBlocks.Put(left)
		a := p.a.from(i, k)
		for r := 0; r < rows; r += height {
			packLeft(left[r*terms:], a.from(r, 0), min(height, rows-r), terms)
		}
		for ; q < last; q++ {
			for r := 0; r < rows; r += height {
				p.tile(level, i+r, j+q*width, left[r*terms:][:height*terms], right[q*width*terms:][:width*terms], terms)
			}
		}
	})
}

// outside reports whether none of rows i, ..., iEnd-1 and columns j, ..., jEnd-1 is requested.
func (p *product) outside(i, iEnd, j, jEnd int) bool {
	return p.part == blas.Upper && iEnd > i && jEnd-1 < i || p.part == blas.Lower && j > iEnd-1
}

// crossed reports whether some of these elements are not requested.
func (p *product) crossed(i, iEnd, j, jEnd int) bool {
	return p.part == blas.Upper && j < iEnd-1 || p.part == blas.Lower && jEnd-1 > i
}

// tile adds the products of two panels to C from (i, j), as far as C extends. Both branches round
// every element alike.
func (p *product) tile(level simd.Level, i, j int, a, b []float64, terms int) {
	iEnd, jEnd := min(p.m, i+height), min(p.n, j+width)
	if p.outside(i, iEnd, j, jEnd) {
		return
	}
	if iEnd-i == height && jEnd-j == width && !p.crossed(i, iEnd, j, jEnd) {
		add(level, p.c[i*p.ldc+j:], p.ldc, a, b, terms, p.alpha)
		return
	}
	var sum [height * width]float64
	add(level, sum[:], width, a, b, terms, p.alpha)
	for r := range iEnd - i {
		from, to := j, jEnd
		switch p.part {
		case blas.Upper:
			from = max(from, i+r)
		case blas.Lower:
			to = min(to, i+r+1)
		}
		for col := from; col < to; col++ {
			p.c[(i+r)*p.ldc+col] += sum[r*width+col-j]
		}
	}
}

// addGeneric is the portable version of the kernels. It adds alpha sum_k a_kr b_kc to line r and
// column c of dst, whose lines are stride apart, for height rows and width columns.
func addGeneric(dst []float64, stride int, a, b []float64, terms int, alpha float64) {
	for r := range height {
		line := dst[r*stride:][:width]
		for c := 0; c < width; c += 4 {
			var s0, s1, s2, s3 float64
			for k := range terms {
				x, y := a[k*height+r], (*[4]float64)(b[k*width+c:])
				s0 += x * y[0]
				s1 += x * y[1]
				s2 += x * y[2]
				s3 += x * y[3]
			}
			// Conversions round the products, as the kernels do.
			line[c] += float64(alpha * s0)
			line[c+1] += float64(alpha * s1)
			line[c+2] += float64(alpha * s2)
			line[c+3] += float64(alpha * s3)
		}
	}
}
