package score

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
)

// A placed point is ranked as if it alone were added to the map.
func TestPlaced(t *testing.T) {
	const n, m, dim, k = 60, 9, 4, 5
	r := rand.New(rand.NewPCG(2, 7))
	random := func(rows, cols int) vec.Matrix[float32] {
		x := vec.New[float32](rows, cols)
		for i := range x.Data {
			x.Data[i] = float32(r.NormFloat64())
		}
		return x
	}
	x, y, px, py := random(n, dim), random(n, 2), random(m, dim), random(m, 2)
	mean, deviation, err := Placed(t.Context(), x, y, px, py, 1000, Settings{K: k})
	if err != nil {
		t.Fatal(err)
	}
	d2 := func(a, b []float32) (s float64) {
		for i := range a {
			s += float64(a[i]-b[i]) * float64(a[i]-b[i])
		}
		return s
	}
	rank := func(of, at vec.Matrix[float32], i, j int) (rank int) {
		for l := range n {
			if d2(at.Row(i), of.Row(l)) <= d2(at.Row(i), of.Row(j)) {
				rank++
			}
		}
		return rank
	}
	var sum, squares float64
	for i := range m {
		one := 1.
		for j := range n {
			if rank(y, py, i, j) <= k {
				one -= float64(max(0, rank(x, px, i, j)-k)) * 2 / float64(k*(2*(n+1)-3*k-1))
			}
		}
		sum, squares = sum+one, squares+one*one
	}
	want := sum / m
	wantError := math.Sqrt((squares - m*want*want) / (m - 1) * (1./m - 1./1000))
	if math.Abs(mean-want) > 1e-12 || math.Abs(deviation-wantError) > 1e-12 {
		t.Errorf("trustworthiness %v with error %v, want %v with %v", mean, deviation, want, wantError)
	}
	if mean, _, err := Placed(t.Context(), x, x, px, px, m, Settings{K: k}); err != nil || mean != 1 {
		t.Errorf("a map that is the data: %v, %v", mean, err)
	}
	for name, of := range map[string][2]int{"no placed points": {0, 5}, "more than all": {m, m - 1}} {
		if _, _, err := Placed(t.Context(), x, y, px.Slice(0, of[0]), py.Slice(0, of[0]), of[1], Settings{K: k}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, _, err := Placed(t.Context(), x, y, px, py, m, Settings{K: n / 2}); err == nil {
		t.Error("half of all points as neighbours: no error")
	}
}
