package vec

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestMatrixViews(t *testing.T) {
	m := Of(3, 2, []float64{0, 1, 10, 11, 20, 21})
	if got := m.Row(1); !slices.Equal(got, []float64{10, 11}) || cap(got) != 2 {
		t.Fatalf("row %v with capacity %d", got, cap(got))
	}
	s := m.Slice(1, 3)
	s.Data[0] = -10
	if m.Data[2] != -10 || s.Rows != 2 {
		t.Fatalf("a slice does not share memory: %v", m)
	}
	c := m.Clone()
	c.Data[0] = 99
	if m.Data[0] != 0 {
		t.Fatal("a clone shares memory")
	}
	if got := Take(m, []int32{2, 0, 2}); !slices.Equal(got.Data, []float64{20, 21, 0, 1, 20, 21}) {
		t.Fatalf("took %v", got.Data)
	}
	if got := Transpose(m); !slices.Equal(got.Data, []float64{0, -10, 20, 1, 11, 21}) || got.Rows != 2 {
		t.Fatalf("transpose %v", got)
	}
	if got := Convert[float32](m); got.Data[5] != float32(21) {
		t.Fatalf("converted %v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("Of took 5 values for a 3 x 2 matrix")
		}
	}()
	Of(3, 2, make([]float64, 5))
}

// The kernels satisfy their contracts: sums in float64 in index order, symmetric distances, and the
// polarisation identity up to rounding.
func TestKernels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		f := rapid.Float64Range(-1e3, 1e3)
		a, b := make([]float64, n), make([]float64, n)
		for k := range a {
			a[k], b[k] = f.Draw(t, "a"), f.Draw(t, "b")
		}
		var want float64
		for k := range a {
			d := a[k] - b[k]
			want += float64(d * d) // rounded, and not fused into the sum
		}
		d2 := SquaredDistance(a, b)
		if d2 != want || SquaredDistance(b, a) != d2 || SquaredDistance(a, a) != 0 {
			t.Fatalf("distance %v, want %v", d2, want)
		}
		sum := SquaredNorm(a) + SquaredNorm(b)
		if got := sum - 2*Dot(a, b); math.Abs(got-d2) > 1e-12*(1+sum) {
			t.Fatalf("|a|^2+|b|^2-2ab = %v, |a-b|^2 = %v", got, d2)
		}
		y := slices.Clone(b)
		Axpy(-1, a, y)
		if got := SquaredNorm(y); math.Abs(got-d2) > 1e-12*(1+d2) {
			t.Fatalf("|b-a|^2 = %v, want %v", got, d2)
		}
		Scale(0.5, y)
		if got := 4 * SquaredNorm(y); math.Abs(got-d2) > 1e-12*(1+d2) {
			t.Fatalf("scaled: %v, want %v", got, d2)
		}
	})
}

// Distances of float32 vectors are computed in float64: the distance of neighbouring floats is not
// lost.
func TestSquaredDistanceFloat32(t *testing.T) {
	a := []float32{1 << 23, 1e-3}
	b := []float32{1<<23 + 1, 1e-3}
	if got := SquaredDistance(a, b); got != 1 {
		t.Fatalf("distance %v, want 1", got)
	}
}

func TestFinite(t *testing.T) {
	if !Finite[float64](nil) || !Finite([]float64{0, -math.MaxFloat64, math.SmallestNonzeroFloat64}) || !Finite([]float32{math.MaxFloat32}) {
		t.Error("finite numbers are not")
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if Finite([]float64{1, v}) || Finite([]float32{float32(v), 1}) {
			t.Errorf("%v is finite", v)
		}
	}
}
