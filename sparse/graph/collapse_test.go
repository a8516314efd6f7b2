package graph

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
)

func TestCollapse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		dim := rapid.IntRange(1, 3).Draw(t, "dim")
		x := vec.New[float32](n, dim)
		for p := range x.Data {
			x.Data[p] = rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1, 2}).Draw(t, "v")
		}
		unique, of, count := Collapse(x)
		var wantUnique []int32
		wantCount := map[int32]uint32{}
		for i := range n {
			first := int32(i)
			for j := range i {
				if vec.SquaredDistance(x.Row(i), x.Row(j)) == 0 {
					first = int32(j)
					break
				}
			}
			if first == int32(i) {
				wantUnique = append(wantUnique, first)
			}
			wantCount[first]++
			if got := unique[of[i]]; got != first {
				t.Fatalf("row %d is in the class of row %d, want %d", i, got, first)
			}
		}
		if !slices.Equal(unique, wantUnique) || len(of) != n {
			t.Fatalf("unique rows %v, want %v", unique, wantUnique)
		}
		for c, u := range unique {
			if count[c] != wantCount[u] {
				t.Fatalf("class of row %d has %d rows, want %d", u, count[c], wantCount[u])
			}
		}
	})
}

// Adjacent floating-point numbers are distinct, in either precision, and a NaN equals nothing.
func TestCollapseKeepsApart(t *testing.T) {
	a := vec.Of(4, 1, []float64{1, math.Nextafter(1, 2), 1, math.Nextafter(1, 0)})
	if unique, of, _ := Collapse(a); !slices.Equal(unique, []int32{0, 1, 3}) || !slices.Equal(of, []int32{0, 1, 0, 2}) {
		t.Fatalf("unique %v, of %v", unique, of)
	}
	b := vec.Of(3, 1, []float32{float32(math.NaN()), float32(math.NaN()), 1})
	if unique, _, _ := Collapse(b); len(unique) != 3 {
		t.Fatalf("unique %v", unique)
	}
}
