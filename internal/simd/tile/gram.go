package tile

import (
	"fmt"

	"unfold/internal/par"
	"unfold/internal/simd"
	"unfold/internal/vec"
)

// Sums are float32 over at most depth terms. strip rows are packed at a time, several blocks of
// that depth, so that all threads have work between two steps that wait for each other.
const (
	depth = 256
	strip = 4 * depth
)

// Gram returns (X-1c')'(X-1c'), the products of all pairs of columns of x
// (n x m) after centring: m x m, symmetric bit for bit, n-1 times the
// covariance if c are the means. A centre of nil is zero. It takes n m^2
// operations and memory for m^2 float64 and 1024 rows of x; it is meant for tall
// matrices.
//
// With z_ik = x_ik - c_k, which is rounded to float32 (u = 2^-24), products are
// summed in float32 over 256 rows and in float64 across them, so that entry
// (k, l) errs by at most
//
//	(256 u / (1 - 256 u) + 2.1 u + n 2^-60) sum_i |z_ik z_il| < 1.6e-5 sum_i |z_ik z_il|
//
// (for n <= 2^36), and about sixteen times less if the rounding errors are independent. Values must
// stay below 2^60 in magnitude. The result does not depend on the number of threads, and differs
// between processors within that bound.
func Gram(x vec.Matrix[float32], c []float64, threads int) vec.Matrix[float64] {
	return gramAt(simd.Best(), x, c, threads)
}

func gramAt(level simd.Level, x vec.Matrix[float32], c []float64, threads int) vec.Matrix[float64] {
	checkCentre(x, c)
	panels := par.Pieces(x.Cols, Width)
	wide := panels * Width
	sum := make([]float64, wide*wide)
	packed := make([]float32, wide*min(strip, x.Rows))
	pairs := upper(panels)
	for from := 0; from < x.Rows; from += strip {
		rows := x.Slice(from, min(x.Rows, from+strip))
		par.Do(threads, panels, func(p int) {
			packColumns(packed[p*Width*rows.Rows:][:Width*rows.Rows], rows, c, p*Width)
		})
		par.Do(threads, len(pairs), func(t int) {
			i, j := pairs[t][0], pairs[t][1]
			a, b := packed[i*Width*rows.Rows:], packed[j*Width*rows.Rows:]
			addBlock(level, sum[i*Width*wide+j*Width:], wide, a, min(Width, x.Cols-i*Width), b, rows.Rows)
		})
	}
	for i := range x.Cols {
		for j := i + 1; j < x.Cols; j++ {
			sum[j*wide+i] = sum[i*wide+j]
		}
	}
	// Rows move up in place, over the padding of those before.
	for i := range x.Cols {
		copy(sum[i*x.Cols:(i+1)*x.Cols], sum[i*wide:])
	}
	return vec.Matrix[float64]{Rows: x.Cols, Cols: x.Cols, Data: sum[:x.Cols*x.Cols]}
}

func checkCentre(x vec.Matrix[float32], c []float64) {
	if c != nil && len(c) != x.Cols {
		panic(fmt.Sprintf("tile: a centre of length %d for %d columns", len(c), x.Cols))
	}
}

// upper lists the pairs i <= j below n.
func upper(n int) [][2]int {
	var pairs [][2]int
	for i := range n {
		for j := i; j < n; j++ {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs
}

// addBlock adds the products of the first rows vectors of panel a with all
// vectors of panel b, both of the given length, to dst, a block of depth at a
// time. rows is rounded up to a multiple of Height.
func addBlock(level simd.Level, dst []float64, stride int, a []float32, rows int, b []float32, length int) {
	for k := 0; k < length; k += depth {
		m := min(depth, length-k)
		for r := 0; r < rows; r += Height {
			add(level, dst[r*stride:], stride, a[k*Width+r:], b[k*Width:], m)
		}
	}
}

// packColumns packs columns first, first+1, ... of x, centred, as a panel whose depth is the rows.
// Missing columns are zero.
func packColumns(panel []float32, x vec.Matrix[float32], c []float64, first int) {
	cols := min(Width, x.Cols-first)
	if cols < Width {
		clear(panel)
	}
	for i := range x.Rows {
		to, row := panel[i*Width:][:cols], x.Row(i)[first:]
		if c == nil {
			copy(to, row)
			continue
		}
		for k, v := range c[first:][:cols] {
			to[k] = float32(float64(row[k]) - v)
		}
	}
}
