package spectral

import (
	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/internal/simd"
	"unfold/internal/vec"
)

const (
	// piece is the number of rows of one task; sums are formed piece by piece.
	piece = 1024
	// strip is the number of rows that stay in the first-level cache while all their products are
	// formed.
	strip = 64
)

// basis is a space of vectors and their images: the columns of blocks of n x m matrices, and of L
// times these.
type basis struct {
	threads int
	m       int
	kernel  []float64 // see center; nil if constant
	s, ls   []vec.Matrix[float64]
	part    []float64 // sums of the pieces
	coeff   []float64 // of combine
}

func newBasis(n, m, blocks, threads int) *basis {
	b := &basis{threads: threads, m: m, part: make([]float64, 2*blocks*blocks*m*m*par.Pieces(n, piece)), coeff: make([]float64, blocks*m*m)}
	for range blocks {
		b.s = append(b.s, vec.New[float64](n, m))
		b.ls = append(b.ls, vec.New[float64](n, m))
	}
	return b
}

// gram returns S'S and S'L S for the first blocks blocks.
func (b *basis) gram(blocks int) (g, h *mat.SymDense) {
	n, m, square := b.s[0].Rows, b.m, b.m*b.m
	size := 2 * blocks * blocks * square // of the sums of a piece, some unused
	level := simd.Best()
	par.Ranges(b.threads, n, piece, func(t, from, to int) {
		sums := b.part[t*size : (t+1)*size]
		clear(sums)
		for ; from < to; from += strip {
			end := min(to, from+strip)
			for i := range blocks {
				x := b.s[i].Data[from*m : end*m]
				for j := i; j < blocks; j++ {
					at := sums[(i*blocks+j)*2*square:]
					if m == wide {
						productsLevel(level, (*[2 * wide * wide]float64)(at), x, b.s[j].Data[from*m:end*m], b.ls[j].Data[from*m:end*m])
						continue
					}
					products(at[:square], x, b.s[j].Data[from*m:end*m], m)
					products(at[square:2*square], x, b.ls[j].Data[from*m:end*m], m)
				}
			}
		}
	})
	total := b.part[:size]
	for p := size; p < size*par.Pieces(n, piece); p += size {
		for k, v := range b.part[p : p+size] {
			total[k] += v
		}
	}
	g, h = mat.NewSymDense(blocks*m, nil), mat.NewSymDense(blocks*m, nil)
	for i := range blocks {
		for j := i; j < blocks; j++ {
			at := total[(i*blocks+j)*2*square:]
			for c := range m {
				for k := range m {
					if i < j || c <= k {
						g.SetSym(i*m+c, j*m+k, at[c*m+k])
						h.SetSym(i*m+c, j*m+k, at[square+c*m+k])
					}
				}
			}
		}
	}
	return g, h
}

// products adds X'Y to sums, where X and Y have rows of m columns. It handles two columns of X and
// four of Y at a time, whose sums stay in registers.
func products(sums, x, y []float64, m int) {
	for c := 0; c < m; c += 2 {
		for k := 0; k < m; k += 4 {
			if c+2 > m || k+4 > m {
				edge(sums, x, y, m, c, k)
				continue
			}
			var a0, a1, a2, a3, b0, b1, b2, b3 float64
			for e := 0; e+m <= len(y); e += m {
				u, v := (*[2]float64)(x[e+c:]), (*[4]float64)(y[e+k:])
				a0 += u[0] * v[0]
				a1 += u[0] * v[1]
				a2 += u[0] * v[2]
				a3 += u[0] * v[3]
				b0 += u[1] * v[0]
				b1 += u[1] * v[1]
				b2 += u[1] * v[2]
				b3 += u[1] * v[3]
			}
			s := (*[4]float64)(sums[c*m+k:])
			s[0], s[1], s[2], s[3] = s[0]+a0, s[1]+a1, s[2]+a2, s[3]+a3
			s = (*[4]float64)(sums[(c+1)*m+k:])
			s[0], s[1], s[2], s[3] = s[0]+b0, s[1]+b1, s[2]+b2, s[3]+b3
		}
	}
}

// edge is products for the remainder: up to two columns at c by four at k.
func edge(sums, x, y []float64, m, c, k int) {
	for i := c; i < min(c+2, m); i++ {
		for j := k; j < min(k+4, m); j++ {
			var s float64
			for e := 0; e+m <= len(y); e += m {
				s += x[e+i] * y[e+j]
			}
			sums[i*m+j] += s
		}
	}
}

// combine replaces the first block by S C, and the third, if there is one, by S C without the part
// of the first; likewise for L S. C has a row for each column of the blocks. It then sets r = L x -
// x theta for the new x and returns the sums of squares of its columns.
func (b *basis) combine(blocks int, c mat.Matrix, theta []float64, r vec.Matrix[float64]) []float64 {
	n, m := b.s[0].Rows, b.m
	coeff := b.coeff[:blocks*m*m]
	clear(b.coeff[blocks*m*m:])
	for k := range blocks * m {
		for j := range m {
			coeff[k*m+j] = c.At(k, j)
		}
	}
	norms, level := make([]float64, m), simd.Best()
	par.Ranges(b.threads, n, piece, func(t, from, to int) {
		sums := b.part[t*m : (t+1)*m]
		clear(sums)
		if m == wide && blocks > 1 {
			b.rows(level, from, to, theta, sums, r)
			return
		}
		next := make([]float64, 2*m)
		for i := from; i < to; i++ {
			b.row(b.s, i, blocks, coeff, next)
			b.row(b.ls, i, blocks, coeff, next)
			x, lx, o := b.s[0].Row(i), b.ls[0].Row(i), r.Row(i)
			for k, v := range theta {
				o[k] = lx[k] - v*x[k]
				sums[k] += o[k] * o[k]
			}
		}
	})
	for p := range par.Pieces(n, piece) {
		for k, v := range b.part[p*m : (p+1)*m] {
			norms[k] += v
		}
	}
	return norms
}

// rows is combine for rows of four columns. An unused block has zeros, and zero coefficients.
func (b *basis) rows(level simd.Level, from, to int, theta, sums []float64, r vec.Matrix[float64]) {
	coeff := (*[3 * wide * wide]float64)(b.coeff)
	for ; from < to; from += strip {
		a, e := from*wide, min(to, from+strip)*wide
		combineLevel(level, b.s[0].Data[a:e], b.s[1].Data[a:e], b.s[2].Data[a:e], coeff)
		combineLevel(level, b.ls[0].Data[a:e], b.ls[1].Data[a:e], b.ls[2].Data[a:e], coeff)
		residualLevel(level, r.Data[a:e], b.s[0].Data[a:e], b.ls[0].Data[a:e], (*[wide]float64)(theta), (*[wide]float64)(sums))
	}
}

// row combines row i of the blocks; next is a workspace of two rows.
func (b *basis) row(s []vec.Matrix[float64], i, blocks int, coeff, next []float64) {
	m := b.m
	x, p := next[:m], next[m:2*m]
	own := s[0].Data[i*m : (i+1)*m]
	j := 0
	for ; j+4 <= m; j += 4 {
		s0, s1, s2, s3 := four(own, coeff[j:], 0, 0, 0, 0)
		var t0, t1, t2, t3 float64
		for block := 1; block < blocks; block++ {
			t0, t1, t2, t3 = four(s[block].Data[i*m:(i+1)*m], coeff[block*m*m+j:], t0, t1, t2, t3)
		}
		*(*[4]float64)(x[j:]) = [4]float64{s0 + t0, s1 + t1, s2 + t2, s3 + t3}
		*(*[4]float64)(p[j:]) = [4]float64{t0, t1, t2, t3}
	}
	for ; j < m; j++ {
		var sum, change float64
		for k, v := range own {
			sum += v * coeff[k*m+j]
		}
		for block := 1; block < blocks; block++ {
			for k, v := range s[block].Data[i*m : (i+1)*m] {
				change += v * coeff[(block*m+k)*m+j]
			}
		}
		x[j], p[j] = sum+change, change
	}
	copy(own, x)
	if blocks > 1 {
		copy(s[2].Data[i*m:], p)
	}
}

// four adds row v times the coefficients, which are len(v) apart, to four sums.
func four(v, coeff []float64, s0, s1, s2, s3 float64) (float64, float64, float64, float64) {
	for k, u := range v {
		f := (*[4]float64)(coeff[k*len(v):])
		s0 += u * f[0]
		s1 += u * f[1]
		s2 += u * f[2]
		s3 += u * f[3]
	}
	return s0, s1, s2, s3
}

// center subtracts the mean of every column of x, or its part in the kernel. If others are given,
// it also subtracts the part in their span; they must be orthonormal and have mean zero.
func (b *basis) center(x vec.Matrix[float64], others ...vec.Matrix[float64]) {
	n, m := x.Rows, b.m
	block := m * m
	if m == wide {
		block *= 2 // see productsGeneric
	}
	size, level := m+len(others)*block, simd.Best()
	par.Ranges(b.threads, n, piece, func(t, from, to int) {
		sums := b.part[t*size : (t+1)*size]
		clear(sums)
		for i := from; i < to; i++ {
			weight := b.weight(i)
			for c, v := range x.Row(i) {
				sums[c] += weight * v
			}
		}
		for ; from < to; from += strip {
			end := min(to, from+strip)
			for k, o := range others {
				own, other := x.Data[from*m:end*m], o.Data[from*m:end*m]
				if m == wide {
					productsLevel(level, (*[2 * wide * wide]float64)(sums[m+k*block:]), other, own, own)
				} else {
					products(sums[m+k*block:], other, own, m)
				}
			}
		}
	})
	total := b.part[:size]
	for p := size; p < size*par.Pieces(n, piece); p += size {
		for k, v := range b.part[p : p+size] {
			total[k] += v
		}
	}
	square := float64(n)
	if b.kernel != nil {
		square = vec.SquaredNorm(b.kernel)
	}
	for c := range m {
		total[c] /= square
	}
	par.Ranges(b.threads, n, piece, func(_, from, to int) {
		for i := from; i < to; i++ {
			row, weight := x.Row(i), b.weight(i)
			for c, v := range total[:m] {
				row[c] -= weight * v
			}
		}
		for k, o := range others {
			part := total[m+k*block:]
			if m == wide {
				projectLevel(level, x.Data[from*m:to*m], o.Data[from*m:to*m], (*[wide * wide]float64)(part))
				continue
			}
			for i := from; i < to; i++ {
				row := x.Row(i)
				for c, v := range o.Row(i) {
					for j, f := range part[c*m : (c+1)*m] {
						row[j] -= v * f
					}
				}
			}
		}
	})
}

// weight is element i of the kernel.
func (b *basis) weight(i int) float64 {
	if b.kernel == nil {
		return 1
	}
	return b.kernel[i]
}
