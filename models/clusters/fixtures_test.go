package clusters

import (
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"unfold/internal/vec"
)

// answer is what the fixtures say of some points.
type answer struct {
	Core          []float64
	MSTWeights    []float64 `json:"mst_weights"`
	Agree         bool
	Labels        []int32
	Probabilities []float64
	OutlierScores []float64 `json:"outlier_scores"`
	Persistence   []float64
	Condensed     struct {
		Clusters        int
		Lambdas, Splits []*float64
		Sizes           []int32
	}
}

// rows are points.
type rows [][]float64

func (r rows) matrix() vec.Matrix[float64] { return vec.Of(len(r), len(r[0]), slices.Concat(r...)) }

// fixture is a file of reference numbers.
type fixture struct {
	Kind           string
	N, Dim         int
	X              rows
	MinClusterSize int `json:"min_cluster_size"`
	MinSamples     int `json:"min_samples"`
	Selection      Selection
	Epsilon        float64
	answer
	New *struct {
		X             rows
		Labels        []int32
		Probabilities []float64
	}
	Steps  []struct{ Insert, Delete []int32 }
	Checks []struct {
		After int
		Alive []int32
		answer
	}
}

func (f *fixture) settings() Settings {
	return Settings{MinSize: f.MinClusterSize, MinSamples: f.MinSamples, Selection: f.Selection, Epsilon: f.Epsilon}
}

// each runs a test for every fixture of a kind, those in the folder that UNFOLD_FIXTURES
// names as well.
func each(t *testing.T, kind string, test func(t *testing.T, f *fixture)) {
	folders := []string{filepath.Join("..", "..", "testdata", "fixtures")}
	if more := os.Getenv("UNFOLD_FIXTURES"); more != "" {
		folders = append(folders, more)
	}
	found := 0
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "clusters", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f := &fixture{}
			if err := json.Unmarshal(text, f); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if f.Kind == kind {
				found++
				t.Run(filepath.Base(file), func(t *testing.T) { test(t, f) })
			}
		}
	}
	if found == 0 {
		t.Errorf("there are no fixtures of kind %s", kind)
	}
}

// TestFixtures: batch clusters are the reference's.
func TestFixtures(t *testing.T) {
	each(t, "clusters", func(t *testing.T, f *fixture) {
		c, err := Find(t.Context(), f.X.matrix(), f.settings())
		if err != nil {
			t.Fatal(err)
		}
		f.check(t, c)
		if f.New == nil || !f.Agree || ordered(c) {
			return
		}
		got, err := NewPredictor(c, f.X.matrix()).Predict(t.Context(), f.New.X.matrix())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(renumbered(got.Label), renumbered(f.New.Labels)) {
			t.Errorf("new points have labels %v, want %v", got.Label, f.New.Labels)
		}
		near(t, "probabilities of new points", got.Probability, f.New.Probabilities)
	})
}

// TestStreamFixturesInBatch: so are those of what is left of a stream.
func TestStreamFixturesInBatch(t *testing.T) {
	each(t, "clusters-stream", func(t *testing.T, f *fixture) {
		all := f.X.matrix()
		for i := range f.Checks {
			c, err := Find(t.Context(), vec.Take(all, f.Checks[i].Alive), f.settings())
			if err != nil {
				t.Fatal(err)
			}
			f.Checks[i].check(t, c)
		}
	})
}

// ordered reports whether the clusters would depend on the order in which equal edges of
// the tree join: where three or more parts meet at one level, and those that are not large
// could go with one large part or another, or be one together. There the reference follows
// the order of its rows, and clusters here depend on the points alone.
func ordered(c *Clusters) bool {
	l := link(len(c.Core2), c.Spanning)
	for v := l.n; v < len(l.level); v++ {
		large, small := 0, 0
		for _, u := range l.of(int32(v)) {
			if int(l.size[u]) >= c.set.MinSize {
				large++
			} else {
				small += int(l.size[u])
			}
		}
		if large > 2 || large == 2 && small > 0 || small >= c.set.MinSize && len(l.of(int32(v))) > 2 && !(large == 0 && int(l.size[v]) < c.set.MinSize) {
			return true
		}
	}
	return false
}

// renumbered numbers labels by their first appearance.
func renumbered(label []int32) []int32 {
	number, out := map[int32]int32{-1: -1}, make([]int32, len(label))
	for i, l := range label {
		if _, ok := number[l]; !ok {
			number[l] = int32(len(number) - 1)
		}
		out[i] = number[l]
	}
	return out
}

// near compares with a relative tolerance of 1e-9.
func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if !(got[i] == w || math.Abs(got[i]-w) <= 1e-9*max(1, math.Abs(w))) {
			t.Errorf("%s: entry %d is %.17g, want %.17g", what, i, got[i], w)
			return
		}
	}
}

// check compares clusters with the reference.
func (a *answer) check(t *testing.T, c *Clusters) {
	t.Helper()
	root := func(d2 []float64) []float64 {
		out := make([]float64, len(d2))
		for i, v := range d2 {
			out[i] = math.Sqrt(v)
		}
		return out
	}
	near(t, "core distances", root(c.Core2), a.Core)
	weights := make([]float64, len(c.Spanning))
	for i, e := range c.Spanning {
		weights[i] = e.Dist2
	}
	slices.Sort(weights)
	near(t, "tree", root(weights), a.MSTWeights)
	if !a.Agree {
		return
	}
	if ordered(c) {
		a.sameBut(t, c)
		return
	}
	if !slices.Equal(c.Label, a.Labels) {
		t.Errorf("labels are %v, want %v", c.Label, a.Labels)
	}
	near(t, "probabilities", c.Probability, a.Probabilities)
	near(t, "outlier scores", c.Outlier, a.OutlierScores)
	persistence := slices.Clone(c.Persistence)
	slices.Sort(persistence)
	near(t, "persistence", persistence, a.Persistence)
	a.condensed(t, c.Tree)
}

// sameBut compares the labels of all points but those that leave a cluster just where it
// splits.
func (a *answer) sameBut(t *testing.T, c *Clusters) {
	t.Helper()
	splits := map[joined]bool{}
	at := func(cluster int32, lambda float64) joined {
		return joined{root: cluster, point: int32(math.Float64bits(lambda)), node: int32(math.Float64bits(lambda) >> 32)}
	}
	for v := 1; v < len(c.Tree.Parent); v++ {
		splits[at(c.Tree.Parent[v], c.Tree.Birth[v])] = true
	}
	number, away := map[int32]int32{-1: -1}, 0
	for i, l := range a.Labels {
		if splits[at(c.Tree.Of[i], c.Tree.Lambda[i])] {
			away++
			continue
		}
		if _, ok := number[l]; !ok {
			number[l] = c.Label[i]
		}
		if number[l] != c.Label[i] {
			t.Errorf("point %d is in cluster %d, want %d", i, c.Label[i], number[l])
		}
	}
	if away > max(2, len(a.Labels)/50) {
		t.Errorf("%d of %d points leave where a cluster splits", away, len(a.Labels))
	}
}

func (a *answer) condensed(t *testing.T, tree *Tree) {
	t.Helper()
	if len(tree.Parent) != a.Condensed.Clusters {
		t.Errorf("the condensed tree has %d clusters, want %d", len(tree.Parent), a.Condensed.Clusters)
	}
	var splits []float64
	for v := 1; v < len(tree.Birth); v++ {
		splits = append(splits, tree.Birth[v])
	}
	lambdas := slices.Concat(tree.Lambda, splits)
	slices.Sort(lambdas)
	near(t, "lambdas", lambdas, finite(a.Condensed.Lambdas))
	slices.Sort(splits)
	near(t, "splits", slices.Compact(splits), finite(a.Condensed.Splits))
	sizes := slices.SortedFunc(slices.Values(tree.Size[1:]), cmp.Compare)
	if !slices.Equal(sizes, a.Condensed.Sizes) {
		t.Errorf("child clusters have sizes %v, want %v", sizes, a.Condensed.Sizes)
	}
}

// finite makes infinity of null.
func finite(v []*float64) []float64 {
	out := make([]float64, len(v))
	for i, p := range v {
		out[i] = math.Inf(1)
		if p != nil {
			out[i] = *p
		}
	}
	slices.Sort(out)
	return out
}
