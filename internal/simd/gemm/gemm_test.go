package gemm

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

const u = 0x1p-53

var (
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	triangles  = []blas.Uplo{blas.Upper, blas.Lower}
)

// each calls f with one thread and with three, with every instruction set.
func each(f func(g Implementation)) {
	for _, level := range simd.Levels() {
		for _, threads := range []int{1, 3} {
			f(Implementation{Threads: threads, reduced: simd.Best() - level})
		}
	}
}

func drawSize(t *rapid.T, name string) int {
	return rapid.OneOf(rapid.IntRange(1, 30), rapid.IntRange(1, 200), rapid.SampledFrom([]int{96, 256, 257, 300})).Draw(t, name)
}

// drawMatrix draws rows x cols normal numbers, with a stride that may exceed cols.
func drawMatrix(t *rapid.T, name string, rows, cols int) ([]float64, int) {
	ld := cols + rapid.IntRange(0, 3).Draw(t, name+" gap")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, name), 1))
	x := make([]float64, (rows-1)*ld+cols)
	for k := range x {
		x[k] = rng.NormFloat64()
	}
	return x, ld
}

// drawOperand draws a matrix whose op is rows x cols.
func drawOperand(t *rapid.T, name string, tr blas.Transpose, rows, cols int) ([]float64, int) {
	if tr != blas.NoTrans {
		rows, cols = cols, rows
	}
	return drawMatrix(t, name, rows, cols)
}

func magnitudes(x []float64) []float64 {
	out := make([]float64, len(x))
	for k, v := range x {
		out[k] = math.Abs(v)
	}
	return out
}

// compare checks the elements of got that wanted selects against gonum's result, and all others
// against their previous values.
func compare(t *rapid.T, got, want, before, size []float64, ld, cols, k int, wanted func(i, j int) bool) {
	tolerance := u * float64(2*k+8) // gonum's own errors included
	for at, v := range got {
		i, j := at/ld, at%ld
		switch {
		case j >= cols || !wanted(i, j):
			if v != before[at] {
				t.Fatalf("element (%d,%d) does not belong to the result and was written", i, j)
			}
		case !(math.Abs(v-want[at]) <= tolerance*size[at]):
			t.Fatalf("element (%d,%d) is %v, want %v, error of at most %g", i, j, v, want[at], tolerance*size[at])
		}
	}
}

func TestDgemm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n, k := drawSize(t, "m"), drawSize(t, "n"), drawSize(t, "k")
		tA, tB := rapid.SampledFrom(transposes).Draw(t, "tA"), rapid.SampledFrom(transposes).Draw(t, "tB")
		alpha, beta := rapid.SampledFrom([]float64{1, 0, -0.7}).Draw(t, "alpha"), rapid.SampledFrom([]float64{0, 1, 1.3}).Draw(t, "beta")
		a, lda := drawOperand(t, "a", tA, m, k)
		b, ldb := drawOperand(t, "b", tB, k, n)
		c, ldc := drawMatrix(t, "c", m, n)
		want, size := slices.Clone(c), magnitudes(c)
		var ref gonum.Implementation
		ref.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, want, ldc)
		ref.Dgemm(tA, tB, m, n, k, math.Abs(alpha), magnitudes(a), lda, magnitudes(b), ldb, math.Abs(beta), size, ldc)
		var last []float64
		each(func(g Implementation) {
			got := slices.Clone(c)
			g.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, got, ldc)
			compare(t, got, want, c, size, ldc, n, k, func(i, j int) bool { return true })
			if g.Threads > 1 && !slices.Equal(got, last) {
				t.Fatal("three threads give other bits than one")
			}
			last = got
		})
	})
}

func TestDsyrk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := drawSize(t, "n"), drawSize(t, "k")
		ul, tA := rapid.SampledFrom(triangles).Draw(t, "ul"), rapid.SampledFrom(transposes).Draw(t, "tA")
		alpha, beta := rapid.SampledFrom([]float64{1, 0, -0.7}).Draw(t, "alpha"), rapid.SampledFrom([]float64{0, 1, 1.3}).Draw(t, "beta")
		a, lda := drawOperand(t, "a", tA, n, k)
		c, ldc := drawMatrix(t, "c", n, n)
		want, size := slices.Clone(c), magnitudes(c)
		var ref gonum.Implementation
		ref.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, want, ldc)
		ref.Dsyrk(ul, tA, n, k, math.Abs(alpha), magnitudes(a), lda, math.Abs(beta), size, ldc)
		var last []float64
		each(func(g Implementation) {
			got := slices.Clone(c)
			g.Dsyrk(ul, tA, n, k, alpha, a, lda, beta, got, ldc)
			compare(t, got, want, c, size, ldc, n, k, func(i, j int) bool { return i == j || (ul == blas.Upper) == (i < j) })
			if g.Threads > 1 && !slices.Equal(got, last) {
				t.Fatal("three threads give other bits than one")
			}
			last = got
		})
	})
}

// A triangle of a product equals that of Dgemm.
func TestDgemmtr(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := drawSize(t, "n"), drawSize(t, "k")
		ul := rapid.SampledFrom(triangles).Draw(t, "ul")
		tA, tB := rapid.SampledFrom(transposes).Draw(t, "tA"), rapid.SampledFrom(transposes).Draw(t, "tB")
		alpha, beta := rapid.SampledFrom([]float64{1, -0.7}).Draw(t, "alpha"), rapid.SampledFrom([]float64{0, 1, 1.3}).Draw(t, "beta")
		a, lda := drawOperand(t, "a", tA, n, k)
		b, ldb := drawOperand(t, "b", tB, k, n)
		c, ldc := drawMatrix(t, "c", n, n)
		want, size := slices.Clone(c), magnitudes(c)
		var ref gonum.Implementation
		ref.Dgemm(tA, tB, n, n, k, alpha, a, lda, b, ldb, beta, want, ldc)
		ref.Dgemm(tA, tB, n, n, k, math.Abs(alpha), magnitudes(a), lda, magnitudes(b), ldb, math.Abs(beta), size, ldc)
		for i := range n { // elements outside the triangle stay unchanged
			for j := range n {
				if i != j && (ul == blas.Upper) != (i < j) {
					want[i*ldc+j] = c[i*ldc+j]
				}
			}
		}
		var last []float64
		each(func(g Implementation) {
			got := slices.Clone(c)
			g.Dgemmtr(ul, tA, tB, n, k, alpha, a, lda, b, ldb, beta, got, ldc)
			compare(t, got, want, c, size, ldc, n, k, func(i, j int) bool { return i == j || (ul == blas.Upper) == (i < j) })
			if g.Threads > 1 && !slices.Equal(got, last) {
				t.Fatal("three threads give other bits than one")
			}
			last = got
		})
	})
}

// The residual of every equation is that of a backward stable solution, and the other triangle of A
// is ignored.
func TestDtrsm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := drawSize(t, "m"), drawSize(t, "n")
		side, ul := rapid.SampledFrom([]blas.Side{blas.Left, blas.Right}).Draw(t, "side"), rapid.SampledFrom(triangles).Draw(t, "ul")
		tA, diag := rapid.SampledFrom(transposes).Draw(t, "tA"), rapid.SampledFrom([]blas.Diag{blas.Unit, blas.NonUnit}).Draw(t, "diag")
		alpha := rapid.SampledFrom([]float64{1, 0, -0.7}).Draw(t, "alpha")
		order := n
		if side == blas.Left {
			order = m
		}
		a, lda := drawMatrix(t, "a", order, order)
		for i := range order {
			row := a[i*lda:][:order]
			for j := range row {
				switch {
				case i == j && diag == blas.NonUnit:
					row[j] = 1 + math.Abs(row[j])
				case i == j || (ul == blas.Upper) != (i < j):
					row[j] = math.NaN() // nobody may look
				default:
					row[j] /= math.Sqrt(float64(order))
				}
			}
		}
		b, ldb := drawMatrix(t, "b", m, n)
		var last []float64
		each(func(g Implementation) {
			got := slices.Clone(b)
			g.Dtrsm(side, ul, tA, diag, m, n, alpha, a, lda, got, ldb)
			// B again, and the sums of magnitudes.
			again, size := slices.Clone(got), magnitudes(got)
			var ref gonum.Implementation
			ref.Dtrmm(side, ul, tA, diag, m, n, 1, a, lda, again, ldb)
			ref.Dtrmm(side, ul, tA, diag, m, n, 1, magnitudes(a), lda, size, ldb)
			for at, v := range again {
				if at%ldb >= n {
					if got[at] != b[at] {
						t.Fatalf("element %d between the lines was written", at)
					}
					continue
				}
				if d := math.Abs(v - alpha*b[at]); !(d <= u*float64(2*order+8)*(size[at]+math.Abs(alpha*b[at]))) {
					t.Fatalf("row %d, column %d: residual %g of %g", at/ldb, at%ldb, d, size[at])
				}
			}
			if g.Threads > 1 && !slices.Equal(got, last) {
				t.Fatal("three threads give other bits than one")
			}
			last = got
		})
	})
}

// An element has the same bits in a part of the matrix.
func TestPartsHaveTheSameBits(t *testing.T) {
	const m, n, k = 110, 130, 300
	rng := rand.New(rand.NewPCG(4, 4))
	a, b := simdtest.Fill(t, m*k, 0, rng.NormFloat64), simdtest.Fill(t, k*n, 0, rng.NormFloat64)
	each(func(g Implementation) {
		whole := make([]float64, m*n)
		g.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 0.3, a, k, b, n, 0, whole, n)
		const i, j = 13, 7
		part := make([]float64, (m-i)*(n-j))
		g.Dgemm(blas.NoTrans, blas.NoTrans, m-i, n-j, k, 0.3, a[i*k:], k, b[j:], n, 0, part, n-j)
		for r := range m - i {
			if !slices.Equal(part[r*(n-j):][:n-j], whole[(i+r)*n+j:][:n-j]) {
				t.Fatalf("%v: row %d of a part has other bits", g.level(), r)
			}
		}
	})
}

// Arguments that gonum rejects panic with gonum's message.
func TestPanics(t *testing.T) {
	x := make([]float64, 400)
	message := func(f func()) (what any) {
		defer func() { what = recover() }()
		f()
		return nil
	}
	type level3 interface {
		blas.Float64Level3
	}
	for name, f := range map[string]func(g level3){
		"flag of Dgemm":      func(g level3) { g.Dgemm(0, blas.NoTrans, 20, 20, 20, 1, x, 20, x, 20, 0, x, 20) },
		"short a":            func(g level3) { g.Dgemm(blas.NoTrans, blas.NoTrans, 21, 20, 20, 1, x, 20, x, 20, 0, x, 20) },
		"lines of c":         func(g level3) { g.Dgemm(blas.NoTrans, blas.NoTrans, 20, 20, 20, 1, x, 20, x, 20, 0, x, 19) },
		"negative":           func(g level3) { g.Dgemm(blas.NoTrans, blas.NoTrans, -20, 20, 20, 1, x, 20, x, 20, 0, x, 20) },
		"triangle of Dsyrk":  func(g level3) { g.Dsyrk(0, blas.NoTrans, 20, 20, 1, x, 20, 0, x, 20) },
		"short c":            func(g level3) { g.Dsyrk(blas.Upper, blas.Trans, 20, 20, 1, x, 20, 0, x[1:], 20) },
		"side of Dtrsm":      func(g level3) { g.Dtrsm(0, blas.Upper, blas.Trans, blas.Unit, 20, 20, 1, x, 20, x, 20) },
		"short a of Dtrsm":   func(g level3) { g.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.Unit, 20, 20, 1, x[1:], 20, x, 20) },
		"diagonal of Dtrsm":  func(g level3) { g.Dtrsm(blas.Left, blas.Upper, blas.Trans, 0, 20, 20, 1, x, 20, x, 20) },
		"transpose of Dtrsm": func(g level3) { g.Dtrsm(blas.Left, blas.Upper, 0, blas.Unit, 20, 20, 1, x, 20, x, 20) },
	} {
		want, got := message(func() { f(gonum.Implementation{}) }), message(func() { f(Implementation{}) })
		if want == nil || got != want {
			t.Errorf("%s: %v, in gonum %v", name, got, want)
		}
	}
}

// After Use, gonum's products and Cholesky factorisation run on this package.
func TestUse(t *testing.T) {
	old := blas64.Implementation()
	defer blas64.Use(old)
	Use()
	if _, ok := blas64.Implementation().(Implementation); !ok {
		t.Fatalf("gonum computes with %T", blas64.Implementation())
	}
	const n = 300
	rng := rand.New(rand.NewPCG(5, 5))
	x := mat.NewDense(n+20, n, simdtest.Fill(t, (n+20)*n, 0, rng.NormFloat64))
	var gram, product mat.Dense
	gram.Mul(x.T(), x)
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(n, gram.RawMatrix().Data)) {
		t.Fatal("not positive definite")
	}
	var l mat.TriDense
	factor.LTo(&l)
	product.Mul(&l, l.T())
	for i := range n {
		for j := range n {
			if d := math.Abs(product.At(i, j) - gram.At(i, j)); d > 2*n*u*math.Sqrt(gram.At(i, i)*gram.At(j, j)) {
				t.Fatalf("(%d,%d): LL' is %v, want %v", i, j, product.At(i, j), gram.At(i, j))
			}
		}
	}
}

// The product of panels equals the tile of Dgemm.
func TestPanels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, Height).Draw(t, "rows"), rapid.IntRange(1, Width).Draw(t, "cols")
		terms := rapid.IntRange(0, 70).Draw(t, "terms")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		random := func(n int) []float64 {
			v := make([]float64, n)
			for i := range v {
				v[i] = rnd.NormFloat64()
			}
			return v
		}
		a, b, c := random(Height*80), random(Width*80), random(Height*Width)
		want := slices.Clone(c)
		for i := range rows {
			for j := range cols {
				for k := range terms {
					want[i*Width+j] -= 0.5 * a[i*80+k] * b[j*80+k]
				}
			}
		}
		left, right := random(Height*terms), random(Width*terms)
		PackLeft(left, a, 80, rows, terms)
		PackRight(right, b, 80, cols, terms)
		if rows == Height { // by columns is the same
			turned, again := random(terms*Height), random(Height*terms)
			for k := range terms {
				for i := range Height {
					turned[k*Height+i] = a[i*80+k]
				}
			}
			if PackLeftColumns(again, turned, Height, terms); !slices.Equal(again, left) {
				t.Fatal("columns are packed otherwise than rows")
			}
		}
		AddTile(c, Width, left, right, terms, -0.5)
		for i, v := range want {
			if math.Abs(c[i]-v) > 1e-12*(1+math.Abs(v)) {
				t.Fatalf("element %d is %g, want %g", i, c[i], v)
			}
		}
	})
}
