package sparse

import "unfold/sparse/vec"

// MulVec sets dst = C x. dst (N) is overwritten and must not overlap x (M).
func (c *CSR) MulVec(dst, x []float64) {
	if len(dst) != c.N || len(x) != c.M {
		shapePanic("MulVec", "%d = (%d x %d) %d", len(dst), c.N, c.M, len(x))
	}
	c.mulRows1(dst, x, 0, c.N)
}

// MulMat sets dst = C X for an M x d matrix X: d right-hand sides at once,
// interleaved by rows, so that every entry of C is read once. dst (N x d) is
// overwritten and must not overlap x.
func (c *CSR) MulMat(dst, x vec.Matrix[float64]) {
	c.MulMatRows(dst, x, 0, c.N)
}

// MulMatRows sets rows from..to (to excluded) of dst = C X and leaves the
// others alone, so that callers can share the rows out among goroutines.
func (c *CSR) MulMatRows(dst, x vec.Matrix[float64], from, to int) {
	if dst.Rows != c.N || x.Rows != c.M || dst.Cols != x.Cols {
		shapePanic("MulMat", "%d x %d = (%d x %d) (%d x %d)", dst.Rows, dst.Cols, c.N, c.M, x.Rows, x.Cols)
	}
	switch x.Cols {
	case 0:
	case 1:
		c.mulRows1(dst.Data, x.Data, from, to)
	case 2:
		c.mulRows2(dst.Data, x.Data, from, to)
	case 3:
		c.mulRows3(dst.Data, x.Data, from, to)
	default:
		c.mulRowsN(dst, x, from, to)
	}
}

func (c *CSR) mulRows1(dst, x []float64, from, to int) {
	for i := from; i < to; i++ {
		index, data := c.Row(i)
		data = data[:len(index)]
		var s float64
		for p, j := range index {
			s += data[p] * x[j]
		}
		dst[i] = s
	}
}

func (c *CSR) mulRows2(dst, x []float64, from, to int) {
	for i := from; i < to; i++ {
		index, data := c.Row(i)
		data = data[:len(index)]
		var s0, s1 float64
		for p, j := range index {
			v, u := data[p], x[2*int(j):2*int(j)+2:2*int(j)+2]
			s0 += v * u[0]
			s1 += v * u[1]
		}
		dst[2*i], dst[2*i+1] = s0, s1
	}
}

func (c *CSR) mulRows3(dst, x []float64, from, to int) {
	for i := from; i < to; i++ {
		index, data := c.Row(i)
		data = data[:len(index)]
		var s0, s1, s2 float64
		for p, j := range index {
			v, u := data[p], x[3*int(j):3*int(j)+3:3*int(j)+3]
			s0 += v * u[0]
			s1 += v * u[1]
			s2 += v * u[2]
		}
		dst[3*i], dst[3*i+1], dst[3*i+2] = s0, s1, s2
	}
}

func (c *CSR) mulRowsN(dst, x vec.Matrix[float64], from, to int) {
	for i := from; i < to; i++ {
		index, data := c.Row(i)
		sum := dst.Row(i)
		clear(sum)
		for p, j := range index {
			vec.Axpy(data[p], x.Row(int(j)), sum)
		}
	}
}

// RowSums sets dst = C 1, the weighted degrees if C holds the weights of a
// graph, and returns it; a nil dst is allocated.
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
