package spectral

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"unfold/internal/simd/gemm"
	"unfold/internal/vec"
)

// blocks is the number of blocks of a basis, after which a new one starts from the best vectors.
const blocks = 10

// Columns returns the number of columns of n numbers that Lowest stores for count vectors with a
// complete factor.
func Columns(count int) int { return (blocks + 4) * (count + guard) }

// lanczos has a basis Q (n x k), orthonormal and without part in the kernel, spanned by a first
// block and its images under the inverse. It also has the inverse projected on it, Q'A^-1 Q.
type lanczos struct {
	*inverse
	g     gemm.Implementation
	m     int
	q     vec.Matrix[float64] // k columns of them are in use
	k     int
	t     *mat.SymDense
	x     vec.Matrix[float64] // n x m, the block that is next
	mu    []float64           // descending, Ritz values
	y     *mat.Dense          // and vectors in the basis
	gram  *mat.SymDense       // of x, orthogonal to the basis
	width int                 // of the last block
}

// byInverse runs block Lanczos iterations on the inverse of A (Grimes, Lewis and Simon, SIAM
// Journal on Matrix Analysis 15, 1994), with count+guard vectors, every vector orthogonal to all
// before.
func byInverse(ctx context.Context, v *inverse, count int, s Settings) (*Result, error) {
	n, m := v.w.N, count+guard
	most := min(n-1, blocks*m)
	l := &lanczos{
		inverse: v, g: gemm.Implementation{Threads: s.Threads}, m: m,
		q: vec.New[float64](n, most), t: mat.NewSymDense(most, nil), x: vec.New[float64](n, m),
	}
	r := rand.New(rand.NewPCG(s.Seed, 0x5bec7a1))
	for k := range l.x.Data {
		l.x.Data[k] = r.NormFloat64()
	}
	v.center(l.x)
	res := &Result{}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.extend()
		res.Iterations++
		if err := l.ritz(); err != nil {
			return nil, err
		}
		res.Residual, res.Converged = l.residual(count, s.Tolerance)
		res.Rounding = res.Converged && res.Residual > s.Tolerance
		if s.Progress != nil {
			s.Progress(res.Iterations, res.Residual)
		}
		if res.Converged || res.Iterations >= s.MaxIterations {
			break
		}
		if l.k+m > most {
			l.again()
		}
	}
	res.Vectors = l.vectors(count)
	res.Values = v.quotients(res.Vectors)
	return res, nil
}

// extend adds the next block to the basis. Its image, without the part in the basis, becomes the
// next block.
func (l *lanczos) extend() {
	n := l.q.Rows
	for range 2 { // the second corrects the rounding of the first
		l.center(l.x)
		l.project(nil)
		l.width = l.orthonormal()
	}
	if l.width == 0 { // the basis has the image of all of it
		return
	}
	for i := range n {
		copy(l.q.Row(i)[l.k:l.k+l.width], l.x.Row(i))
	}
	from := l.k
	l.k += l.width
	l.apply(l.x)
	for range 2 {
		l.project(func(i, j int, v float64) {
			if i <= from+j {
				l.t.SetSym(i, from+j, l.t.At(i, from+j)+v)
			}
		})
	}
	l.gram = l.products()
}

// project removes the part in the basis from the next block, and calls add with its coefficients.
func (l *lanczos) project(add func(i, j int, v float64)) {
	if l.k == 0 {
		return
	}
	m := l.x.Cols
	h := make([]float64, l.k*m)
	l.g.Dgemm(blas.Trans, blas.NoTrans, l.k, m, l.q.Rows, 1, l.q.Data, l.q.Cols, l.x.Data, m, 0, h, m)
	l.g.Dgemm(blas.NoTrans, blas.NoTrans, l.q.Rows, m, l.k, -1, l.q.Data, l.q.Cols, h, m, 1, l.x.Data, m)
	for k, v := range h {
		if add != nil {
			add(k/m, k%m, v)
		}
	}
}

// products returns x'x.
func (l *lanczos) products() *mat.SymDense {
	m := l.x.Cols
	h := make([]float64, m*m)
	l.g.Dgemm(blas.Trans, blas.NoTrans, m, m, l.x.Rows, 1, l.x.Data, m, l.x.Data, m, 0, h, m)
	return mat.NewSymDense(m, h)
}

// orthonormal makes the columns of x orthonormal one after the other, drops those that are 0, and
// returns the number of remaining ones. A column much smaller than others, such as the best vectors
// of an earlier basis, keeps its direction.
func (l *lanczos) orthonormal() int {
	var columns [][]float64
	for c := range l.x.Cols {
		v := make([]float64, l.x.Rows)
		for i := range v {
			v[i] = l.x.Row(i)[c]
		}
		for range 2 {
			for _, o := range columns {
				vec.Axpy(-vec.Dot(o, v), o, v)
			}
		}
		if norm := math.Sqrt(vec.SquaredNorm(v)); norm > 0 {
			vec.Scale(1/norm, v)
			columns = append(columns, v)
		}
	}
	l.x = vec.New[float64](l.x.Rows, len(columns))
	for c, v := range columns {
		for i, e := range v {
			l.x.Row(i)[c] = e
		}
	}
	return len(columns)
}

// errUnsolved reports that an eigenvalue problem of a few rows did not converge.
var errUnsolved = errors.New("spectral: the small eigenvalue problem did not converge; are all weights finite?")

// ritz computes the Ritz pairs of the inverse in the basis, the largest first.
func (l *lanczos) ritz() error {
	small := mat.NewSymDense(l.k, nil)
	for i := range l.k {
		for j := i; j < l.k; j++ {
			small.SetSym(i, j, l.t.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(small, true) {
		return errUnsolved
	}
	var ascending mat.Dense
	e.VectorsTo(&ascending)
	values := e.Values(nil)
	l.mu, l.y = make([]float64, l.k), mat.NewDense(l.k, l.k, nil)
	for c := range l.k {
		l.mu[c] = values[l.k-1-c]
		for i := range l.k {
			l.y.Set(i, c, ascending.At(i, l.k-1-c))
		}
	}
	return nil
}

// residual returns the largest |A^-1 v - mu v|/mu of the first count pairs. Only the image of the
// last block has a part outside the basis.
func (l *lanczos) residual(count int, tolerance float64) (float64, bool) {
	if l.width == 0 {
		return 0, true
	}
	if l.k < count {
		return math.Inf(1), false
	}
	worst, converged := 0.0, true
	for c := range count {
		last := l.y.Slice(l.k-l.width, l.k, c, c+1).(*mat.Dense).ColView(0)
		norm := math.Sqrt(max(0, mat.Inner(last, l.gram, last)))
		worst = max(worst, norm/l.mu[c])
		converged = converged && norm <= tolerance*l.mu[c]+8*epsilon*l.mu[0]
	}
	return worst, converged
}

// vectors returns the first Ritz vectors.
func (l *lanczos) vectors(count int) vec.Matrix[float64] {
	x, y := vec.New[float64](l.q.Rows, count), l.y.RawMatrix()
	l.g.Dgemm(blas.NoTrans, blas.NoTrans, x.Rows, count, l.k, 1, l.q.Data, l.q.Cols, y.Data, y.Stride, 0, x.Data, count)
	return x
}

// again starts a new basis from the best vectors of this one.
func (l *lanczos) again() {
	l.x, l.k = l.vectors(min(l.m, l.k)), 0
	l.t.Zero()
}

// quotients are x'A x of unit columns.
func (p *problem) quotients(x vec.Matrix[float64]) []float64 {
	image, out := vec.New[float64](x.Rows, x.Cols), make([]float64, x.Cols)
	p.a.Mul(image, x, 1)
	for i := range x.Rows {
		for c, v := range x.Row(i) {
			out[c] += v * image.Row(i)[c]
		}
	}
	return out
}
