package spd

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"unfold/internal/vec"
)

// random returns B B' + n I for a random B.
func random(seed uint64, n int) vec.Matrix[float64] {
	r := rand.New(rand.NewPCG(seed, 1))
	b := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			b.Set(i, j, r.NormFloat64())
		}
	}
	a := vec.New[float64](n, n)
	c := mat.NewDense(n, n, a.Data)
	c.Mul(b, b.T())
	for i := range n {
		a.Data[i*n+i] += float64(n)
	}
	return a
}

func worst(got, want []float64) (d float64) {
	scale := 0.0
	for i := range want {
		d, scale = max(d, math.Abs(got[i]-want[i])), max(scale, math.Abs(want[i]))
	}
	return d / scale
}

// Factor, log determinant, inverse and solutions agree with gonum, and ignore the upper triangle.
// The bits are the same for any number of threads.
func TestAgainstGonum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 330).Draw(rt, "n")
		a := random(rapid.Uint64().Draw(rt, "seed"), n)
		var c mat.Cholesky
		if !c.Factorize(mat.NewSymDense(n, slices.Clone(a.Data))) {
			rt.Skip("gonum finds it indefinite")
		}
		var want mat.SymDense
		if err := c.InverseTo(&want); err != nil {
			rt.Skip(err)
		}
		l := a.Clone()
		for i := range n {
			for j := i + 1; j < n; j++ {
				l.Data[i*n+j] = math.NaN()
			}
		}
		if err := Factor(l, 2); err != nil {
			rt.Fatal(err)
		}
		if got := LogDet(l); math.Abs(got-c.LogDet()) > 1e-10*math.Abs(c.LogDet())+1e-12 {
			rt.Errorf("log determinant %g, want %g", got, c.LogDet())
		}
		b := vec.New[float64](n, 3)
		for i := range b.Data {
			b.Data[i] = math.Sin(float64(i))
		}
		var solved mat.Dense
		if err := c.SolveTo(&solved, mat.NewDense(n, 3, slices.Clone(b.Data))); err != nil {
			rt.Skip(err)
		}
		Solve(l, b, 2)
		if d := worst(b.Data, solved.RawMatrix().Data); !(d < 1e-10) {
			rt.Errorf("solution differs by %g", d)
		}
		one := l.Clone()
		Invert(l, 2)
		Invert(one, 1)
		if !slices.Equal(l.Data, one.Data) {
			rt.Error("the inverse depends on the number of threads")
		}
		for i := range n {
			for j := range n {
				if !(math.Abs(l.Data[i*n+j]-want.At(i, j)) <= 1e-10*want.At(i, i)+1e-12) || l.Data[i*n+j] != l.Data[j*n+i] {
					rt.Fatalf("inverse (%d,%d): %g, want %g", i, j, l.Data[i*n+j], want.At(i, j))
				}
			}
		}
	})
}

// Right sides that are solved during the factorisation and the inversion equal those solved
// afterwards, and the factor and inverse do not change, for any number of threads.
func TestSolveAlong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(1, 330).Draw(t, "n"), rapid.IntRange(0, 110).Draw(t, "m")
		a, b := vec.New[float64](n, n), vec.New[float64](n, m)
		for i := range a.Data {
			a.Data[i] = math.Sin(float64(i)) // the lower triangle counts
		}
		for i := range n {
			a.Row(i)[i] += float64(n)
		}
		for i := range b.Data {
			b.Data[i] = math.Cos(float64(i))
		}
		threads := rapid.IntRange(1, 4).Draw(t, "threads")
		l, x := a.Clone(), b.Clone()
		if err := Factor(l, 1); err != nil {
			t.Fatal(err)
		}
		if m > 0 {
			HalfSolve(l, x, 1)
		}
		along, y := a.Clone(), b.Clone()
		if err := FactorSolve(along, y, threads); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(along.Data, l.Data) {
			t.Fatal("the factor depends on right sides, or on threads")
		}
		if m > 0 && !(worst(y.Data, x.Data) < 1e-12) {
			t.Errorf("half of the solution differs by %g", worst(y.Data, x.Data))
		}
		if m > 0 {
			SecondHalf(l, x, 1)
		}
		InvertSolve(along, y, threads)
		InvertLower(l, 1)
		if !slices.Equal(along.Data, l.Data) {
			t.Fatal("the inverse depends on right sides, or on threads")
		}
		if m > 0 && !(worst(y.Data, x.Data) < 1e-12) {
			t.Errorf("the solution differs by %g", worst(y.Data, x.Data))
		}
	})
}

// Factor and inverse in two parts, with the second computed elsewhere, equal those of the whole
// matrix.
func TestLeading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 150).Draw(t, "n")
		k := rapid.IntRange(0, n).Draw(t, "k")
		a := random(rapid.Uint64().Draw(t, "seed"), n)
		want, rest := a.Clone(), vec.New[float64](n-k, n-k)
		if err := Factor(want, 1); err != nil {
			t.Fatal(err)
		}
		if err := FactorLeading(a, k, 2); err != nil {
			t.Fatal(err)
		}
		for i := range n - k {
			copy(rest.Row(i), a.Row(k + i)[k:])
		}
		if err := Factor(rest, 2); err != nil {
			t.Fatal(err)
		}
		Invert(rest, 2)
		for i := range n - k {
			copy(a.Row(k + i)[k:], rest.Row(i))
		}
		InvertLeading(a, k, 2)
		Invert(want, 1)
		if k > 0 {
			if d := worst(a.Data, want.Data); !(d < 1e-10) {
				t.Errorf("the inverse differs by %g", d)
			}
		}
	})
}

// Turn transposes and Mirror makes a matrix symmetric, for any number of threads.
func TestTurn(t *testing.T) {
	for _, n := range []int{1, 31, 32, 40, 65, 130} {
		for _, threads := range []int{1, 3} {
			a := vec.New[float64](n, n)
			for k := range a.Data {
				a.Data[k] = float64(k)
			}
			turned := a.Clone()
			Turn(turned, threads)
			Mirror(a, threads)
			for i := range n {
				for j := range n {
					if turned.Row(i)[j] != float64(j*n+i) || a.Row(i)[j] != float64(max(i, j)*n+min(i, j)) {
						t.Fatalf("n = %d: element %d, %d", n, i, j)
					}
				}
			}
		}
	}
}

func TestIndefinite(t *testing.T) {
	for _, n := range []int{1, 30, 200, 500} {
		a := random(5, n)
		row := n * 2 / 3
		a.Data[row*n+row] = -1
		var bad *IndefiniteError
		if err := Factor(a, 3); !errors.As(err, &bad) || bad.Row != row || !(bad.Pivot < 0) {
			t.Errorf("n = %d: %v, want row %d", n, err, row)
		}
	}
	a := random(5, 4)
	a.Data[0] = math.NaN()
	if err := Factor(a, 1); err == nil {
		t.Error("NaN on the diagonal is taken")
	}
}

// A matrix of rank 1 gets the smallest jitter that is tried; a negative matrix is an error.
func TestJitter(t *testing.T) {
	const n = 60
	a := vec.New[float64](n, n)
	for i := range n {
		for j := range n {
			a.Data[i*n+j] = 1
		}
	}
	shifted := a.Clone()
	jitter, err := FactorJitter(a, 1)
	if err != nil || jitter <= 0 || jitter > 1e-6 {
		t.Fatalf("jitter %g (%v)", jitter, err)
	}
	for i := range n {
		shifted.Data[i*n+i] += jitter
	}
	if err := Factor(shifted, 1); err != nil || LogDet(shifted) != LogDet(a) {
		t.Errorf("not the factor of the matrix with %g more: %v", jitter, err)
	}
	good := random(7, n)
	if jitter, err := FactorJitter(good, 1); jitter != 0 || err != nil {
		t.Errorf("a definite matrix gets %g (%v)", jitter, err)
	}
	bad := random(7, n)
	for i := range n {
		bad.Data[i*n+i] = 1
	}
	if _, err := FactorJitter(bad, 1); err == nil {
		t.Error("a matrix far from definite has a factor")
	}
}

func BenchmarkInverse(b *testing.B) {
	for _, n := range []int{400, 800, 2000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			a := random(1, n)
			l := a.Clone()
			for b.Loop() {
				copy(l.Data, a.Data)
				if err := Factor(l, 0); err != nil {
					b.Fatal(err)
				}
				Invert(l, 0)
			}
			b.ReportMetric(float64(n)*float64(n)*float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
