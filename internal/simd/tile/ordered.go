package tile

import (
	"fmt"

	"unfold/internal/par"
	"unfold/internal/simd"
	"unfold/internal/vec"
)

const (
	// lanes is the number of parallel sums of a vector in an ordered kernel; tall and short are the
	// numbers of vectors that it processes at a time.
	lanes       = 8
	tall, short = 24, 4
	// wide is the number of panels of w that a single vector is multiplied with at a time. Its sums
	// for one panel are a chain of dependent additions, so that several panels are needed to keep
	// the processor busy.
	wide = 4
	// slab is the number of dimensions that are packed at a time, so that tall
	// vectors of float64 stay in the first-level cache.
	slab = 128
)

// Linear is a linear map z = W (x - c) of float32 vectors that gives a vector the same bits
// everywhere. It is immutable and safe for concurrent use.
//
// Every z_j is one sum in float64 over the elements of x in order, beginning at zero, of the
// products w_jk (x_k - c_k). Difference, product and sum are each rounded to float64, and the end
// is rounded to float32. The result does not depend on the batch, the number of threads or the
// processor, since kernels only differ in the number of parallel sums. Fused operations would save
// a rounding and a third of the time, but plain Go has no fast ones.
type Linear struct {
	dim, q int
	c      []float64
	// w is W in panels of lanes rows, dimension by dimension: w_jk is at j/lanes*lanes*dim +
	// k*lanes + j%lanes. Rows beyond q are zero; the number of panels is a multiple of wide.
	w []float64
	// skips reports that zeros of x may be skipped: c is 0 and all of w is finite.
	skips bool
}

// NewLinear returns the map with c of length dim and w of q x dim.
func NewLinear(c []float64, w vec.Matrix[float64]) *Linear {
	if len(c) != w.Cols {
		panic(fmt.Sprintf("tile: a centre of length %d for %d columns", len(c), w.Cols))
	}
	l := &Linear{dim: w.Cols, q: w.Rows, c: append([]float64(nil), c...)}
	l.w = make([]float64, par.Pieces(l.q, lanes*wide)*wide*lanes*l.dim)
	for j := range l.q {
		to := l.w[j/lanes*lanes*l.dim+j%lanes:]
		for k, v := range w.Row(j) {
			to[k*lanes] = v
		}
	}
	l.skips = l.Still() && vec.Finite(l.w)
	return l
}

// Dim is the length of x.
func (l *Linear) Dim() int { return l.dim }

// Q is the length of z.
func (l *Linear) Q() int { return l.q }

// Apply returns the images of the rows of x (n x dim) as n x q. It panics if rows have another
// length; a matrix without rows may have any number of columns.
func (l *Linear) Apply(x vec.Matrix[float32], threads int) vec.Matrix[float32] {
	return l.applyAt(simd.Best(), x, threads)
}

func (l *Linear) applyAt(level simd.Level, x vec.Matrix[float32], threads int) vec.Matrix[float32] {
	if x.Rows == 0 { // without rows their length is unknown
		return vec.New[float32](0, l.q)
	}
	if x.Cols != l.dim {
		panic(fmt.Sprintf("tile: a map of vectors of dimension %d for %d columns", l.dim, x.Cols))
	}
	out := vec.New[float32](x.Rows, l.q)
	// Rows are independent, so the division into tasks may depend on the number of threads.
	size := tall * max(1, min(32, x.Rows/(4*tall*par.Threads(threads))))
	par.Ranges(threads, x.Rows, size, func(_, from, to int) {
		rows := height(to - from)
		packed := make([]float64, rows*min(slab, l.dim))
		sum := make([]float64, rows*par.Pieces(l.q, lanes*wide)*wide*lanes)
		var index []int
		var values []float64
		if l.skips {
			index, values = make([]int, 0, l.dim/sparser), make([]float64, 0, l.dim/sparser)
		}
		for i := from; i < to; i += rows {
			rows = height(to - i)
			last := min(to, i+rows)
			if l.skips && l.sparse(out.Slice(i, last), x.Slice(i, last), index, values) {
				continue
			}
			l.some(level, out.Slice(i, last), x.Slice(i, last), rows, packed, sum)
		}
	})
	return out
}

// height returns the number of vectors to process at a time when left remain.
func height(left int) int {
	switch {
	case left >= tall:
		return tall
	case left > 1:
		return short
	}
	return 1
}

// some maps at most rows vectors, which is tall, short or 1.
func (l *Linear) some(level simd.Level, out, x vec.Matrix[float32], rows int, packed, sum []float64) {
	clear(sum)
	panels := par.Pieces(l.q, lanes)
	for from := 0; from < l.dim; from += slab {
		to := min(l.dim, from+slab)
		packDoubles(packed, rows, x, l.c, from, to)
		if rows == 1 {
			for p := 0; p < panels; p += wide {
				orderedOne(level, sum[p*lanes:], packed, l.w[(p*l.dim+from)*lanes:], to-from, l.dim)
			}
			continue
		}
		for p := range panels {
			ordered(level, sum[p*rows*lanes:], packed, l.w[(p*l.dim+from)*lanes:], rows, to-from)
		}
	}
	for i := range out.Rows {
		z := out.Row(i)
		for p := range panels {
			part := z[p*lanes : min(l.q, (p+1)*lanes)]
			for j, s := range sum[(p*rows+i)*lanes:][:len(part)] {
				part[j] = float32(s)
			}
		}
	}
}

// packDoubles writes columns from, ..., to-1 of x - 1c' one after the other, in steps of rows.
// Missing rows are zero.
func packDoubles(packed []float64, rows int, x vec.Matrix[float32], c []float64, from, to int) {
	if x.Rows < rows {
		clear(packed)
	}
	c = c[from:to]
	i := 0
	for ; i+4 <= x.Rows; i += 4 {
		x0, x1 := x.Row(i)[from:][:len(c)], x.Row(i + 1)[from:][:len(c)]
		x2, x3 := x.Row(i + 2)[from:][:len(c)], x.Row(i + 3)[from:][:len(c)]
		for k, v := range c {
			to := (*[4]float64)(packed[k*rows+i:])
			to[0], to[1] = float64(x0[k])-v, float64(x1[k])-v
			to[2], to[3] = float64(x2[k])-v, float64(x3[k])-v
		}
	}
	for ; i < x.Rows; i++ {
		row := x.Row(i)[from:to]
		for k, v := range c {
			packed[k*rows+i] = float64(row[k]) - v
		}
	}
}

// orderedGeneric is the plain version of the ordered kernels, bit for bit. It adds a_kr w_kj, for k
// = 0, ..., depth-1 in turn, to the sum of vector r and lane j, at r*lanes + j.
func orderedGeneric(sum, a, w []float64, rows, depth int) {
	for r := range rows {
		s := (*[lanes]float64)(sum[r*lanes:])
		s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
		for k := range depth {
			x, y := a[k*rows+r], (*[lanes]float64)(w[k*lanes:])
			// The conversions prevent a compiler from fusing product and sum.
			s0 += float64(x * y[0])
			s1 += float64(x * y[1])
			s2 += float64(x * y[2])
			s3 += float64(x * y[3])
			s4 += float64(x * y[4])
			s5 += float64(x * y[5])
			s6 += float64(x * y[6])
			s7 += float64(x * y[7])
		}
		*s = [lanes]float64{s0, s1, s2, s3, s4, s5, s6, s7}
	}
}

// orderedOneGeneric is the plain version of the kernels for one vector and wide panels of w, which
// are dim steps apart.
func orderedOneGeneric(sum, a, w []float64, depth, dim int) {
	for p := range wide {
		orderedGeneric(sum[p*lanes:], a, w[p*dim*lanes:], 1, depth)
	}
}
