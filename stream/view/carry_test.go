package view

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Carry agrees with a brute-force search over all base points, and takes base points exactly to
// their new places.
func TestCarry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 60).Draw(t, "n")
		place := rapid.Float32Range(-100, 100)
		var a, b Base
		for i := range n {
			a.Keys, a.X, a.Y = append(a.Keys, uint64(i)), append(a.X, place.Draw(t, "x")), append(a.Y, place.Draw(t, "y"))
			b.Keys, b.X, b.Y = append(b.Keys, uint64(i)), append(b.X, place.Draw(t, "to x")), append(b.Y, place.Draw(t, "to y"))
		}
		move := Carry(a, b)
		i := rapid.IntRange(0, n-1).Draw(t, "one of them")
		unique := true
		for j := range n {
			unique = unique && (j == i || a.X[j] != a.X[i] || a.Y[j] != a.Y[i])
		}
		if x, y := move(a.X[i], a.Y[i]); unique && (math.Abs(float64(x-b.X[i])) > 1e-4 || math.Abs(float64(y-b.Y[i])) > 1e-4) {
			t.Fatalf("point %d goes to %v, %v, not %v, %v", i, x, y, b.X[i], b.Y[i])
		}
		x, y := rapid.Float32Range(-150, 150).Draw(t, "at x"), place.Draw(t, "at y")
		dist := make([]float64, n)
		order := make([]int, n)
		for j := range n {
			dist[j], order[j] = math.Pow(float64(a.X[j]-x), 2)+math.Pow(float64(a.Y[j]-y), 2), j
		}
		slices.SortFunc(order, func(i, j int) int {
			if dist[i] < dist[j] {
				return -1
			}
			return 1
		})
		if dist[order[0]] < 1e-9 || n > 3 && dist[order[3]]-dist[order[2]] < 1e-3 {
			t.Skip("equally near")
		}
		var wx, wy, sum float64
		for _, j := range order[:3] {
			w := 1 / dist[j]
			wx, wy, sum = wx+w*float64(b.X[j]-a.X[j]), wy+w*float64(b.Y[j]-a.Y[j]), sum+w
		}
		gx, gy := move(x, y)
		if math.Abs(float64(gx-x)-wx/sum) > 1e-2 || math.Abs(float64(gy-y)-wy/sum) > 1e-2 {
			t.Fatalf("(%v, %v) goes by (%v, %v), want (%v, %v)", x, y, gx-x, gy-y, wx/sum, wy/sum)
		}
	})
	if Carry(Base{Keys: []uint64{1, 2}, X: make([]float32, 2), Y: make([]float32, 2)}, Base{}) != nil {
		t.Error("two points carry others")
	}
}
