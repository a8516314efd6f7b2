package clusters

import (
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// TestHierarchyRefused: parts that do not fit each other are refused by name.
func TestHierarchyRefused(t *testing.T) {
	part := func(name string, cols int, data ...float64) snapshot.Part {
		return snapshot.Part{Name: name, Rows: len(data) / cols, Cols: cols, Data: data}
	}
	whole := func(name string, cols int, data ...uint32) snapshot.Part {
		return snapshot.Part{Name: name, Rows: len(data) / cols, Cols: cols, Data: data}
	}
	for _, c := range []struct {
		points, tree, death []float64
		of, above           []uint32
		want                string
	}{
		{points: []float64{0, 1, 0, 2}, of: []uint32{0, 1}, tree: []float64{0, 2, 1, 2}, above: []uint32{0, 0, 1, 1}, death: []float64{3, 2}},
		{points: nil, of: nil, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{3}, want: "there are no points"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2, 1, 2}, above: []uint32{0, 0}, death: []float64{3}, want: "2 clusters of the tree, of which 1 are in others"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{0.5}, want: "m = 0.5"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{1}},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{math.MaxInt32}},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{math.MaxInt32 + 1}, want: "m = 2.147483648e+09"},
		{points: []float64{0, 1}, of: []uint32{1}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{1}, want: "point 0 has cluster of the tree 1 of 1"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2, 1, 2}, above: []uint32{0, 0, 0, 0}, death: []float64{1}, want: "cluster 1 of the tree is in none"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2, 1, 2}, above: []uint32{0, 0, 2, 0}, death: []float64{1}, want: "cluster of the tree 1 has one above 2 of 2"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{1, 0}, death: []float64{1}, want: "cluster of the tree 0 has one above 1 of 1"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 1}, death: []float64{1}, want: "cluster of the tree 0 has cluster 1 of 1"},
		{points: []float64{0, -1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{1}, want: "value 1 of part \"" + partPoints + "\" is -1: want no less than 0"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{math.NaN(), 2}, above: []uint32{0, 0}, death: []float64{1}, want: "value 0 of part \"" + partTree + "\" is NaN"},
		{points: []float64{0, 1}, of: []uint32{0}, tree: []float64{0, 2}, above: []uint32{0, 0}, death: []float64{1, -0.5}, want: "value 1 of part \"" + partDeath + "\" is -0.5"},
	} {
		s := &snapshot.Snapshot{Mu: vec.New[float64](len(c.points)/2, 2), Parts: []snapshot.Part{
			part(partPoints, 2, c.points...), whole(partLeaf, 1, c.of...), part(partTree, 2, c.tree...), whole(partAbove, 2, c.above...), part(partDeath, 1, c.death...),
		}}
		h, err := HierarchyOf(s)
		if c.want == "" {
			if err != nil || h.MinSamples != int(c.death[0]) || len(h.Of) != len(c.of) || len(h.Death) != len(c.death)-1 {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if !models.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestRowBytes: rows take more bytes with more neighbours, and none with refused settings.
func TestRowBytes(t *testing.T) {
	for _, c := range []struct {
		dim, want int
		s         Settings
	}{
		{0, 12*50 + 160, Settings{}}, {10, 12*50 + 80 + 160, Settings{}}, {3, 12*16 + 24 + 160, Settings{MinSize: 5}},
		{3, 12*30 + 24 + 160, Settings{MinSize: 5, MinSamples: 30}}, {3, 0, Settings{MinSize: 1}},
	} {
		if got := RowBytes(c.dim, c.s); got != c.want {
			t.Errorf("%d columns, %+v: %d bytes, want %d", c.dim, c.s, got, c.want)
		}
	}
}

// TestSettingsEdges: the smallest and largest valid values.
func TestSettingsEdges(t *testing.T) {
	for _, c := range []struct {
		s    Settings
		want string
	}{
		{Settings{MinSize: 2, MinSamples: 1, Selection: Leaf, Epsilon: 1e300, Recall: 1e-9}, ""}, {Settings{Epsilon: math.Inf(1)}, "epsilon"},
		{Settings{Epsilon: -1}, "epsilon"}, {Settings{Recall: -0.5}, "recall"}, {Settings{Recall: 1.0000001}, "recall"}, {Settings{MinSize: 1}, "min_size"},
		{Settings{MinSamples: -1}, "min_samples"},
	} {
		if _, err := c.s.Filled(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.s, err, c.want)
		}
	}
}

// TestDuplicatesPersist: clusters of equal points persist to infinity, and none of their points is
// an outlier.
func TestDuplicatesPersist(t *testing.T) {
	x := vec.New[float32](31, 1)
	for i := range x.Data {
		x.Data[i] = float32(i % 2 * 5)
	}
	x.Data[30] = 40
	c, err := Find(t.Context(), x, Settings{MinSize: 5, MinSamples: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.Persistence, []float64{1, 1}) || !slices.Equal(c.Size, []int{15, 15}) || c.Label[30] != Noise {
		t.Errorf("persistence %v of %v, the last is in %d", c.Persistence, c.Size, c.Label[30])
	}
	for i := range 30 {
		if c.Label[i] != int32(i%2) || c.Probability[i] != 1 || c.Outlier[i] != 0 {
			t.Errorf("point %d is in %d with %v, an outlier by %v", i, c.Label[i], c.Probability[i], c.Outlier[i])
		}
	}
	if c.Probability[30] != 0 || c.Outlier[30] < 0.9 {
		t.Errorf("the last point has %v, and is an outlier by %v", c.Probability[30], c.Outlier[30])
	}
	for _, v := range []struct{ lambda, most, want float64 }{{0, 0, 1}, {3, 0, 1}, {math.Inf(1), 2, 1}, {math.Inf(1), math.Inf(1), 1}, {1, 4, 0.25}, {9, 4, 1}, {0, 4, 0}} {
		if got := share(v.lambda, v.most); got != v.want {
			t.Errorf("the share of %v of %v is %v", v.lambda, v.most, got)
		}
	}
}

// TestTreeByHand: stabilities, deaths and last lambdas of a small tree, and the clusters selected
// from it.
func TestTreeByHand(t *testing.T) {
	// The root splits into 1 and 2 at lambda 1, and 2 into 3 and 4 at lambda 2.
	tree := &Tree{Parent: []int32{-1, 0, 0, 2, 2}, Birth: []float64{0, 1, 1, 2, 2}, Size: []int32{9, 3, 5, 2, 2},
		Of: []int32{0, 1, 1, 1, 2, 3, 3, 4, 4}, Lambda: []float64{0.5, 2, 3, 4, 1.5, 3, 3, 2.5, 5}}
	if got := tree.stability(); !slices.Equal(got, []float64{0.5 + 3 + 5, 6, 0.5 + 2 + 2, 2, 3.5}) {
		t.Errorf("stability %v", got)
	}
	if got := tree.deaths(); !slices.Equal(got, []float64{1, 4, 2, 3, 5}) {
		t.Errorf("deaths %v", got)
	}
	if got := tree.last(); !slices.Equal(got, []float64{5, 4, 5, 3, 5}) {
		t.Errorf("last %v", got)
	}
	for _, c := range []struct {
		name   string
		s      Settings
		weight []float64
		want   []int32
	}{
		{"most mass", Settings{}, nil, []int32{1, 3, 4}}, {"equal mass", Settings{}, []float64{1, 1, 5.5 / 4.5, 1, 1}, []int32{1, 2}}, {"weighed", Settings{}, []float64{1, 1, 2, 1, 1}, []int32{1, 2}},
		{"leaves", Settings{Selection: Leaf}, nil, []int32{1, 3, 4}}, {"leaves, weighed", Settings{Selection: Leaf}, []float64{1, 1, 9, 1, 1}, []int32{1, 3, 4}},
		{"below 0.6", Settings{Epsilon: 0.6}, nil, []int32{1, 2}}, {"below 0.5", Settings{Epsilon: 0.5}, nil, []int32{1, 3, 4}}, {"below 3", Settings{Epsilon: 3}, nil, []int32{1, 2}},
	} {
		chosen := tree.choose(c.s, c.weight)
		var got []int32
		for v, is := range chosen {
			if is {
				got = append(got, int32(v))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		around := tree.around(chosen)
		for v := range around {
			want := Noise
			for at := int32(v); at >= 0; at = tree.Parent[at] {
				if chosen[at] {
					want = at
				}
			}
			if around[v] != want {
				t.Errorf("%s: cluster %d is in %d, want %d", c.name, v, around[v], want)
			}
		}
	}
}

// TestJoinedByHand: the neighbour that a new point joins, and its position in the tree.
func TestJoinedByHand(t *testing.T) {
	h := &Hierarchy{MinSamples: 2, Inner2: []float64{1, 1, 16, 1}, Of: []int32{1, 2, 2, 0, 1}, Lambda: []float64{0.5, 2, 3, 0.1, 0.25}, Parent: []int32{-1, 0, 1}, Birth: []float64{0, 0.25, 1}}
	for _, c := range []struct {
		near   nearest
		best   int32
		lambda float64
	}{
		{nearest{{0, 4}, {1, 4}, {3, 9}}, 0, 1. / 3}, {nearest{{2, 1}, {1, 4}, {3, 9}, {0, 16}}, 1, 1. / 3}, {nearest{{2, 1}, {1, 2}, {0, 4}}, 1, 0.5}, {nearest{{2, 1}}, 2, 0.25}, {nearest{{1, 0}, {0, 0}, {3, 0}}, 1, 1},
	} {
		if best, lambda := h.joined(c.near, Settings{}.Length); best != c.best || lambda != c.lambda {
			t.Errorf("%v: it joins %d at %v, want %d at %v", c.near, best, lambda, c.best, c.lambda)
		}
	}
	for _, c := range []struct {
		point  int32
		lambda float64
		want   place
	}{
		{1, 5, place{2, 2}}, {1, 2, place{2, 2}}, {1, 1.5, place{2, 1.5}}, {1, 1, place{1, 1}}, {1, 0.5, place{1, 0.5}}, {1, 0.25, place{0, 0.25}}, {1, 0.1, place{0, 0.1}}, {0, 0.5, place{1, 0.5}}, {3, 0.05, place{0, 0.05}}, {3, 0, place{0, 0}}, {4, 0.25, place{1, 0.25}}, {4, 0.5, place{1, 0.25}}, {4, 0.2, place{0, 0.2}},
	} {
		if got := h.place(c.point, c.lambda); got != c.want {
			t.Errorf("point %d at %v: %+v, want %+v", c.point, c.lambda, got, c.want)
		}
	}
}
