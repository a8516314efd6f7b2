package sparse

import (
	"unfold/internal/simd"
	"unfold/internal/vec"
)

// MulVec sets dst = C x. dst (N) is overwritten and must not overlap x (M).
func (c *CSR) MulVec(dst, x []float64) {
	c.MulMat(vec.Of(len(dst), 1, dst), vec.Of(len(x), 1, x))
}

// MulMat sets dst = C X for an M x d matrix X. All d columns are computed together, so that every
// entry of C is read once. dst (N x d) is overwritten and must not overlap x.
func (c *CSR) MulMat(dst, x vec.Matrix[float64]) {
	c.MulMatRows(dst, x, 0, c.N)
}

// MulMatRows sets rows from..to (to excluded) of dst = C X and leaves the others unchanged, so that
// callers can distribute the rows to goroutines.
func (c *CSR) MulMatRows(dst, x vec.Matrix[float64], from, to int) {
	c.mul("MulMatRows", dst, nil, x, from, to)
}

// LaplacianMulRows sets rows from..to of dst = (diag(diagonal) - C) X: the product with the
// Laplacian of the weights C, which is square.
func (c *CSR) LaplacianMulRows(dst vec.Matrix[float64], diagonal []float64, x vec.Matrix[float64], from, to int) {
	if c.N != c.M || len(diagonal) != c.N {
		shapePanic("LaplacianMulRows", "%d x %d matrix and a diagonal of %d", c.N, c.M, len(diagonal))
	}
	c.mul("LaplacianMulRows", dst, diagonal, x, from, to)
}

//go:generate env GOFLAGS=-tags=noasm go run -C ../internal/asm ./amd64/sparse -out ../../sparse/kernels_amd64.s -stubs ../../sparse/stubs_amd64.go -pkg sparse

// mul computes all products of sparse and dense matrices: C X or, with a diagonal, diag(diagonal) X
// - C X. Two and three columns, the dimensions of maps, have their own loops. Other numbers are
// divided into blocks of four, two and one, whose sums stay in registers. The Laplacian with two
// columns, the product of EM, has a kernel with several sums, so that additions do not wait for
// each other; so have blocks of four, the product of eigenvectors. Both use AVX2: with AVX-512 they
// gained 10 %, but gave other bits.
func (c *CSR) mul(fn string, dst vec.Matrix[float64], diagonal []float64, x vec.Matrix[float64], from, to int) {
	if dst.Rows != c.N || x.Rows != c.M || dst.Cols != x.Cols || from < 0 || to > c.N {
		shapePanic(fn, "rows %d..%d of %d x %d = (%d x %d) (%d x %d)", from, to, dst.Rows, dst.Cols, c.N, c.M, x.Rows, x.Cols)
	}
	switch x.Cols {
	case 2:
		if diagonal != nil {
			c.laplacianMul2(simd.Best(), vec.RowsOf[[2]float64](dst), diagonal, vec.RowsOf[[2]float64](x), from, to)
			return
		}
		c.mul2(vec.RowsOf[[2]float64](dst), diagonal, vec.RowsOf[[2]float64](x), from, to)
		return
	case 3:
		c.mul3(vec.RowsOf[[3]float64](dst), diagonal, vec.RowsOf[[3]float64](x), from, to)
		return
	}
	k := 0
	for ; k+4 <= x.Cols; k += 4 {
		if diagonal != nil {
			c.laplacianMul4(simd.Best(), dst, diagonal, x, k, from, to)
			continue
		}
		c.mulBlock4(dst, diagonal, x, k, from, to)
	}
	if k+2 <= x.Cols {
		c.mulBlock2(dst, diagonal, x, k, from, to)
		k += 2
	}
	if k < x.Cols {
		c.mulBlock1(dst, diagonal, x, k, from, to)
	}
}

func (c *CSR) mul2(dst [][2]float64, diagonal []float64, x [][2]float64, from, to int) {
	for i := from; i < to; i++ {
		index, data := c.Row(i)
		data = data[:len(index)]
		var s0, s1 float64
		for p, j := range index {
			u := &x[j]
			s0 += data[p] * u[0]
			s1 += data[p] * u[1]
		}
		if diagonal != nil {
			g, u := diagonal[i], &x[i]
			s0, s1 = g*u[0]-s0, g*u[1]-s1
		}
		dst[i] = [2]float64{s0, s1}
	}
}

func (c *CSR) mul3(dst [][3]float64, diagonal []float64, x [][3]float64, from, to int) {
	for i := from; i < to; i++ {
		index, data := c.Row(i)
		data = data[:len(index)]
		var s0, s1, s2 float64
		for p, j := range index {
			u := &x[j]
			s0 += data[p] * u[0]
			s1 += data[p] * u[1]
			s2 += data[p] * u[2]
		}
		if diagonal != nil {
			g, u := diagonal[i], &x[i]
			s0, s1, s2 = g*u[0]-s0, g*u[1]-s1, g*u[2]-s2
		}
		dst[i] = [3]float64{s0, s1, s2}
	}
}

// mulBlock4 computes columns k..k+3; mulBlock2 and mulBlock1 compute fewer.
func (c *CSR) mulBlock4(dst vec.Matrix[float64], diagonal []float64, x vec.Matrix[float64], k, from, to int) {
	for i := from; i < to; i++ {
		index, data := c.Row(i)
		data = data[:len(index)]
		var s0, s1, s2, s3 float64
		for p, j := range index {
			u := (*[4]float64)(x.Data[int(j)*x.Cols+k:])
			s0 += data[p] * u[0]
			s1 += data[p] * u[1]
			s2 += data[p] * u[2]
			s3 += data[p] * u[3]
		}
		if diagonal != nil {
			g, u := diagonal[i], (*[4]float64)(x.Data[i*x.Cols+k:])
			s0, s1, s2, s3 = g*u[0]-s0, g*u[1]-s1, g*u[2]-s2, g*u[3]-s3
		}
		*(*[4]float64)(dst.Data[i*x.Cols+k:]) = [4]float64{s0, s1, s2, s3}
	}
}

func (c *CSR) mulBlock2(dst vec.Matrix[float64], diagonal []float64, x vec.Matrix[float64], k, from, to int) {
	for i := from; i < to; i++ {
		index, data := c.Row(i)
		data = data[:len(index)]
		var s0, s1 float64
		for p, j := range index {
			u := (*[2]float64)(x.Data[int(j)*x.Cols+k:])
			s0 += data[p] * u[0]
			s1 += data[p] * u[1]
		}
		if diagonal != nil {
			g, u := diagonal[i], (*[2]float64)(x.Data[i*x.Cols+k:])
			s0, s1 = g*u[0]-s0, g*u[1]-s1
		}
		*(*[2]float64)(dst.Data[i*x.Cols+k:]) = [2]float64{s0, s1}
	}
}

func (c *CSR) mulBlock1(dst vec.Matrix[float64], diagonal []float64, x vec.Matrix[float64], k, from, to int) {
	for i := from; i < to; i++ {
		index, data := c.Row(i)
		data = data[:len(index)]
		var s0 float64
		for p, j := range index {
			u := (*[1]float64)(x.Data[int(j)*x.Cols+k:])
			s0 += data[p] * u[0]
		}
		if diagonal != nil {
			g, u := diagonal[i], (*[1]float64)(x.Data[i*x.Cols+k:])
			s0 = g*u[0] - s0
		}
		*(*[1]float64)(dst.Data[i*x.Cols+k:]) = [1]float64{s0}
	}
}

// RowSums sets dst = C 1 and returns it; a nil dst is allocated. If C has the weights of a graph,
// these are the weighted degrees.
func (c *CSR) RowSums(dst []float64) []float64 {
	if dst == nil {
		dst = make([]float64, c.N)
	}
	if len(dst) != c.N {
		shapePanic("RowSums", "%d sums of %d rows", len(dst), c.N)
	}
	for i := range dst {
		_, data := c.Row(i)
		var s float64
		for _, v := range data {
			s += v
		}
		dst[i] = s
	}
	return dst
}
