package clusters

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

// leaving records that a point leaves a cluster, which is identified by its first point, size and
// birth.
type leaving struct {
	first, size   int
	birth, lambda float64
}

// defined follows the definition. It splits the points of a cluster at the largest reachability
// that connects them, over all pairs.
type defined struct {
	reach2  func(i, j int) float64
	minSize int
	out     []leaving
}

// parts returns the components of some points, if pairs nearer than a level are connected.
func (d *defined) parts(points []int, level float64) (out [][]int) {
	left := slices.Clone(points)
	for len(left) > 0 {
		part := []int{left[0]}
		left = left[1:]
		for k := 0; k < len(part); k++ {
			left = slices.DeleteFunc(left, func(j int) bool {
				near := d.reach2(part[k], j) < level
				if near {
					part = append(part, j)
				}
				return near
			})
		}
		slices.Sort(part)
		out = append(out, part)
	}
	return out
}

// level returns the smallest level at which some points are connected.
func (d *defined) level(points []int) float64 {
	var all []float64
	for _, i := range points {
		for _, j := range points {
			if i != j {
				all = append(all, d.reach2(i, j))
			}
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	at, _ := slices.BinarySearchFunc(all, true, func(level float64, _ bool) int {
		if len(d.parts(points, math.Nextafter(level, math.Inf(1)))) == 1 {
			return 1
		}
		return -1
	})
	return all[at]
}

func (d *defined) apart(cluster leaving, points []int) {
	level := d.level(points)
	lambda := 1 / math.Sqrt(level)
	parts := d.parts(points, level)
	large := 0
	for _, p := range parts {
		if len(p) >= d.minSize {
			large++
		}
	}
	for _, p := range parts {
		switch {
		case len(p) < d.minSize:
			for _, i := range p {
				d.out[i] = cluster
				d.out[i].lambda = lambda
			}
		case large == 1:
			d.apart(cluster, p)
		default:
			d.apart(leaving{first: p[0], size: len(p), birth: lambda}, p)
		}
	}
}

// TestDefinition: the condensed tree follows its definition, also for points with many equal
// distances and duplicates.
func TestDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(2, 40).Draw(t, "n"), rapid.SampledFrom([]int{1, 2, 3, boxedColumns + 1}).Draw(t, "dim")
		width := rapid.SampledFrom([]int{2, 5, 1000}).Draw(t, "width")
		x := vec.New[float32](n, dim)
		for i := range x.Data {
			x.Data[i] = float32(rapid.IntRange(0, width).Draw(t, "x"))
		}
		s := Settings{MinSize: rapid.IntRange(2, 8).Draw(t, "min size"), MinSamples: rapid.IntRange(1, 6).Draw(t, "m"), Threads: 1,
			Selection: rapid.SampledFrom([]Selection{ExcessOfMass, Leaf}).Draw(t, "selection")}
		c, err := Find(t.Context(), x, s)
		if err != nil {
			t.Fatal(err)
		}
		d := &defined{minSize: s.MinSize, out: make([]leaving, n)}
		d.reach2 = func(i, j int) float64 {
			return max(c.Core2[i], c.Core2[j], vec.SquaredDistance(x.Row(i), x.Row(j)))
		}
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		d.apart(leaving{first: 0, size: n}, all)
		first := make([]int, len(c.Tree.Parent))
		for v := range first {
			first[v] = n
		}
		for i, v := range c.Tree.Of {
			for ; v >= 0; v = c.Tree.Parent[v] {
				first[v] = min(first[v], i)
			}
		}
		for i, want := range d.out {
			v := c.Tree.Of[i]
			if got := (leaving{first[v], int(c.Tree.Size[v]), c.Tree.Birth[v], c.Tree.Lambda[i]}); got != want {
				t.Fatalf("point %d leaves as %+v, want %+v", i, got, want)
			}
		}
		consistent(t, c)
	})
}

// consistent checks the properties of any clusters.
func consistent(t *rapid.T, c *Clusters) {
	size := make([]int, c.Count())
	for i, l := range c.Label {
		if l >= 0 {
			size[l]++
		}
		if p := c.Probability[i]; !(p >= 0 && p <= 1) || l < 0 && p > 0 {
			t.Fatalf("point %d of cluster %d has probability %v", i, l, p)
		}
		if o := c.Outlier[i]; !(o >= 0 && o <= 1) {
			t.Fatalf("point %d has the outlier score %v", i, o)
		}
	}
	for l, n := range size {
		if n != c.Size[l] || n < c.set.MinSize {
			t.Fatalf("cluster %d has %d points, fewer than %d", l, n, c.set.MinSize)
		}
		if p := c.Persistence[l]; !(p >= 0 && p <= 1) {
			t.Fatalf("cluster %d has persistence %v", l, p)
		}
	}
}

// TestOrderOfRows: clusters do not depend on the order of the points.
func TestOrderOfRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(10, 60).Draw(t, "n")
		x := vec.New[float32](n, 2)
		for i := range x.Data {
			x.Data[i] = float32(rapid.IntRange(0, 12).Draw(t, "x"))
		}
		order := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := 0; i < n && yield(i); i++ {
			}
		})).Draw(t, "order")
		s := Settings{MinSize: 4, MinSamples: 3, Threads: 1}
		a, err := Find(t.Context(), x, s)
		if err != nil {
			t.Fatal(err)
		}
		b, err := Find(t.Context(), vec.Take(x, order), s)
		if err != nil {
			t.Fatal(err)
		}
		to := map[int32]int32{}
		for k, i := range order {
			if want, seen := to[a.Label[i]]; seen && want != b.Label[k] || a.Probability[i] != b.Probability[k] || a.Outlier[i] != b.Outlier[k] {
				t.Fatalf("point %d is in cluster %d, and as row %d in %d", i, a.Label[i], k, b.Label[k])
			}
			to[a.Label[i]] = b.Label[k]
		}
	})
}

// TestSpanningTree: edges are as long as those of Prim's algorithm over all pairs, for separate
// groups, by boxes and by tiles. They are the same edges for any number of threads.
func TestSpanningTree(t *testing.T) {
	for _, dim := range []int{1, 2, boxedColumns, boxedColumns + 1} {
		random := rand.New(rand.NewPCG(1, uint64(dim)))
		x := vec.New[float32](600, dim)
		for i := range x.Rows {
			for k, at := range x.Row(i) {
				x.Row(i)[k] = at + float32(i%7*(k+1)%5*20) + float32(i%7+1)*float32(random.NormFloat64())
			}
		}
		copy(x.Row(9), x.Row(2)) // points that are equal
		var first *Clusters
		for _, threads := range []int{1, 3} {
			c, err := Find(t.Context(), x, Settings{MinSize: 10, MinSamples: 4, Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = c
			} else if !slices.Equal(first.Spanning, c.Spanning) {
				t.Errorf("dim %d: the tree depends on the number of threads", dim)
			}
		}
		if want := prim(distance.Euclidean, x, first.Core2); !slices.Equal(lengths(first), want) {
			t.Errorf("dim %d: the edges are not the shortest", dim)
		}
	}
}

// TestRecall: a tree made from lists connects all points, and its k-th shortest edge is no shorter
// than that of the minimum spanning tree. This holds for a batch tree and an updated one.
func TestRecall(t *testing.T) {
	for _, dim := range []int{2, boxedColumns + 4} {
		random := rand.New(rand.NewPCG(2, uint64(dim)))
		x := vec.New[float32](4000, dim)
		for i := range x.Rows {
			for k := range dim {
				x.Row(i)[k] = float32(i%6*(k%3)*4) + float32(i%3+1)*float32(random.NormFloat64())
			}
		}
		set := Settings{MinSize: 20, MinSamples: 5}
		exact, err := Find(t.Context(), x, set)
		if err != nil {
			t.Fatal(err)
		}
		set.Recall = .9
		batch, err := Find(t.Context(), x, set)
		if err != nil {
			t.Fatal(err)
		}
		l, err := NewLive(dim, set)
		if err != nil {
			t.Fatal(err)
		}
		slots, err := l.Insert(t.Context(), x.Slice(0, 3900))
		if err == nil {
			err = l.Delete(t.Context(), slots[3000:3200])
		}
		if err != nil {
			t.Fatal(err)
		}
		// Free slots are filled in order.
		for _, more := range [][2]int{{3000, 3200}, {3900, 4000}} {
			if _, err := l.Insert(t.Context(), x.Slice(more[0], more[1])); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := l.Clusters()
		if err != nil {
			t.Fatal(err)
		}
		want := lengths(exact)
		for name, c := range map[string]*Clusters{"batch": batch, "kept": kept} {
			got, sums := lengths(c), [2]float64{}
			if len(got) != len(want) {
				t.Fatalf("%s, dim %d: %d edges", name, dim, len(got))
			}
			for e := range got {
				if got[e] < want[e] {
					t.Fatalf("%s, dim %d: edge %d has the length %v, of the shortest tree %v", name, dim, e, got[e], want[e])
				}
				sums[0], sums[1] = sums[0]+got[e], sums[1]+want[e]
			}
			if sums[0] > 1.01*sums[1] {
				t.Errorf("%s, dim %d: the tree is %v times as long", name, dim, sums[0]/sums[1])
			}
		}
	}
}

// lengths are those of the tree's edges, squared, ascending.
func lengths(c *Clusters) []float64 {
	out := make([]float64, len(c.Spanning))
	for e := range out {
		out[e] = c.Spanning[e].Dist2
	}
	slices.Sort(out)
	return out
}

// prim returns the squared lengths of the edges of a minimum spanning tree, ascending.
func prim(d distance.Distance, x vec.Matrix[float32], core2 []float64) (out []float64) {
	away := make([]float64, x.Rows) // distance to the tree, -1 in it
	for i := range away {
		away[i] = math.Inf(1)
	}
	for at := 0; at >= 0; {
		away[at] = -1
		next := -1
		for j := range away {
			if away[j] < 0 {
				continue
			}
			away[j] = min(away[j], max(core2[at], core2[j], distance.Between(d, x.Row(at), x.Row(j))))
			if next < 0 || away[j] < away[next] {
				next = j
			}
		}
		if at = next; at >= 0 {
			out = append(out, away[at])
		}
	}
	slices.Sort(out)
	return out
}

// TestWrongSettings: the error names the wrong setting or row.
func TestWrongSettings(t *testing.T) {
	x := vec.Of(3, 1, []float32{1, 2, 4})
	for name, s := range map[string]Settings{
		"min_size": {MinSize: 1}, "min_samples": {MinSamples: -1}, "selection": {Selection: "all"}, "epsilon": {Epsilon: math.NaN()},
		"recall": {Recall: 1.5},
	} {
		_, err := Find(t.Context(), x, s)
		var wrong *models.SettingError
		if !errors.As(err, &wrong) || wrong.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	var row *models.RowError
	if _, err := Find(t.Context(), vec.Of(2, 2, []float64{1, 2, 3, math.NaN()}), Settings{}); !errors.As(err, &row) || row.Row != 1 || row.Column != 1 {
		t.Errorf("NaN: %v", err)
	}
	if _, err := Find(t.Context(), vec.Of(1, 1, []float32{1}), Settings{}); !models.IsBadInput(err) {
		t.Errorf("one row: %v", err)
	}
	c, err := Find(t.Context(), x, Settings{})
	if err != nil || c.Count() != 0 || !slices.Equal(c.Label, []int32{Noise, Noise, Noise}) {
		t.Errorf("three rows: %+v, %v", c, err)
	}
	var dim *models.DimensionError
	if _, err := NewPredictor(c, x).Predict(t.Context(), vec.New[float32](1, 2)); !errors.As(err, &dim) {
		t.Errorf("rows of another length: %v", err)
	}
}
