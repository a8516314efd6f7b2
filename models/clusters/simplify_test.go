package clusters

import (
	"slices"
	"testing"
)

// With a least persistence, a side that lasts too briefly is no cluster. Here cluster 1 lasts from 1
// to 9 and splits into 3 and 4 at 5, and cluster 2 lasts from 1 to 1.5 only: the split of the root is
// undone, so that 3 and 4 are its sides, and the points of 2 leave where they had split off.
func TestSimplify(t *testing.T) {
	tree := &Tree{
		Parent: []int32{-1, 0, 0, 1, 1}, Birth: []float64{0, 1, 1, 5, 5}, Size: []int32{9, 6, 3, 3, 3},
		Of: []int32{3, 3, 3, 4, 4, 4, 2, 2, 2}, Lambda: []float64{9, 9, 8, 9, 8, 8, 1.5, 1.5, 1.2},
	}
	for _, c := range []struct {
		least         float64
		parent, of    []int32
		birth, lambda []float64
	}{
		{0.1, tree.Parent, tree.Of, tree.Birth, tree.Lambda},
		{1, []int32{-1, 0, 0}, []int32{1, 1, 1, 2, 2, 2, 0, 0, 0}, []float64{0, 5, 5}, []float64{9, 9, 8, 9, 8, 8, 1, 1, 1}},
		{4.5, []int32{-1}, make([]int32, 9), []float64{0}, tree.Lambda}, // 3 and 4 last from 5 to 9 alone
	} {
		got := tree.simplify(c.least)
		if !slices.Equal(got.Parent, c.parent) || !slices.Equal(got.Birth, c.birth) || !slices.Equal(got.Of, c.of) || !slices.Equal(got.Lambda, c.lambda) {
			t.Errorf("least %v: %+v", c.least, got)
		}
	}
}
