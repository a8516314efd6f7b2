package placing

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
)

// The row equal to an event comes first, at distance 0, even if the search missed it. The lists of
// other events stay.
func TestEqualRowComesFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cols := rapid.IntRange(1, 9).Draw(t, "columns")
		rows := rapid.SliceOfNDistinct(rapid.SliceOfN(rapid.IntRange(-1, 1), cols, cols), 2, 60, func(row []int) string {
			b := make([]byte, len(row))
			for c, v := range row {
				b[c] = byte(v + 1)
			}
			return string(b)
		}).Filter(func(rows [][]int) bool { return len(rows) >= 2 })
		if cols == 1 {
			rows = rapid.Just([][]int{{1}, {0}, {-1}})
		}
		var data []float32
		list := rows.Draw(t, "rows")
		for _, row := range list {
			for _, v := range row {
				data = append(data, float32(v))
			}
		}
		x := vec.Of(len(list), cols, data)
		e := newEquals(x)
		for q := range x.Rows + 3 {
			z := make([]float32, cols)
			for c := range z {
				if z[c] = 2; q < x.Rows {
					z[c] = x.Row(q)[c]
				}
				if z[c] == 0 && q%2 == 0 {
					z[c] = float32(math.Copysign(0, -1))
				}
			}
			index, dist2 := []int32{-5, -6, -7}, []float64{1, 2, 3}
			want, far := slices.Clone(index), slices.Clone(dist2)
			if q < x.Rows {
				want, far = []int32{int32(q), -5, -6}, []float64{0, 1, 2}
			}
			if e.first(x, z, index, dist2); !slices.Equal(index, want) || !slices.Equal(dist2, far) {
				t.Fatalf("event %d has the neighbours %v at %v, want %v at %v", q, index, dist2, want, far)
			}
		}
		// If the search found the equal row, or is exact, the list stays as it is.
		index, dist2 := []int32{-5, -6}, []float64{0, 2}
		e.first(x, x.Row(0), index, dist2)
		(*equals)(nil).first(x, x.Row(0), index, []float64{1, 2})
		if !slices.Equal(index, []int32{-5, -6}) || !slices.Equal(dist2, []float64{0, 2}) {
			t.Fatalf("the neighbours become %v at %v", index, dist2)
		}
	})
}

// Rows that differ little have distant slots. Few collide, whichever element and bit differs.
func TestHashSpreads(t *testing.T) {
	const n = 2048
	for name, row := range map[string]func(i int) []float32{
		"whole numbers":    func(i int) []float32 { return []float32{float32(i), 0, 1} },
		"last element":     func(i int) []float32 { return []float32{1, 0, float32(i)} },
		"a grid":           func(i int) []float32 { return []float32{float32(i % 32), float32(i / 32)} },
		"lowest bits":      func(i int) []float32 { return []float32{math.Float32frombits(0x3f800000 + uint32(i))} },
		"highest bits":     func(i int) []float32 { return []float32{math.Float32frombits(uint32(i) << 19), 3} },
		"one hot":          func(i int) []float32 { v := make([]float32, n); v[i] = 1; return v },
		"bits of a number": func(i int) []float32 { return bitsOf(i, 11) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := vec.New[float32](n, len(row(0)))
			for i := range n {
				copy(x.Row(i), row(i))
			}
			e := newEquals(x)
			if len(e.slots) < 2*n || len(e.slots) > 4*n {
				t.Errorf("%d slots for %d rows", len(e.slots), n)
			}
			// For a random function of n keys, at most 22 % collide, and the longest run is about
			// 20.
			var met, run, longest int
			used := make([]bool, len(e.slots))
			for i := range n {
				at := e.hash(x.Row(i))
				if used[at] {
					met++
				}
				used[at] = true
			}
			for _, s := range e.slots {
				if run++; s == 0 {
					run = 0
				}
				longest = max(longest, run)
			}
			if met > n*26/100 || longest > 60 {
				t.Errorf("%d of %d rows meet another, the longest run is %d slots", met, n, longest)
			}
		})
	}
}

func bitsOf(i, n int) []float32 {
	out := make([]float32, n)
	for b := range out {
		out[b] = float32(i >> b & 1)
	}
	return out
}
