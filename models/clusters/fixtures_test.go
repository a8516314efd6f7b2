package clusters

import (
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"unfold/internal/vec"
)

// answer holds the reference results for some points.
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
	Checks []aliveAnswer
}

// aliveAnswer holds the reference results after some steps of a stream, for the points at some
// positions.
type aliveAnswer struct {
	After int
	Alive []int32
	answer
}

func (f *fixture) settings() Settings {
	return Settings{MinSize: f.MinClusterSize, MinSamples: f.MinSamples, Selection: f.Selection, Epsilon: f.Epsilon}
}

// each runs a test for every fixture of a kind, including those in the folder UNFOLD_FIXTURES.
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

// TestFixtures: batch clusters equal those of the reference.
func TestFixtures(t *testing.T) {
	each(t, "clusters", func(t *testing.T, f *fixture) {
		c, err := Find(t.Context(), f.X.matrix(), f.settings())
		if err != nil {
			t.Fatal(err)
		}
		f.check(t, c, double)
		if f.New != nil && f.Agree && f.Condensed.Clusters == len(c.Tree.Parent) {
			f.predicted(t, c)
		}
	})
}

// predicted compares the membership of new points. It skips points that join one of several tied
// points, where the reference may choose another.
func (f *fixture) predicted(t *testing.T, c *Clusters) {
	t.Helper()
	p := NewPredictor(c, f.X.matrix())
	m, err := p.Predict(t.Context(), f.New.X.matrix())
	if err != nil {
		t.Fatal(err)
	}
	point, _, err := p.join(t.Context(), f.New.X.matrix())
	if err != nil {
		t.Fatal(err)
	}
	ties := tiesOf(c)
	var got, want answer
	for r := range point {
		if ties.choices[point[r]] == nil {
			got.Labels, want.Labels = append(got.Labels, m.Label[r]), append(want.Labels, f.New.Labels[r])
			got.Probabilities, want.Probabilities = append(got.Probabilities, m.Probability[r]), append(want.Probabilities, f.New.Probabilities[r])
		}
	}
	if len(got.Labels) < len(point)*9/10 {
		t.Errorf("only %d of %d new points are compared", len(got.Labels), len(point))
	}
	if !slices.Equal(renumbered(got.Labels), renumbered(want.Labels)) {
		t.Errorf("new points have labels %v, want %v", got.Labels, want.Labels)
	}
	near(t, "probabilities of new points", got.Probabilities, want.Probabilities, double)
}

// TestStreamFixturesInBatch: batch clusters of the remaining points of a stream equal those of the
// reference.
func TestStreamFixturesInBatch(t *testing.T) {
	each(t, "clusters-stream", func(t *testing.T, f *fixture) {
		all := f.X.matrix()
		for i := range f.Checks {
			c, err := Find(t.Context(), vec.Take(all, f.Checks[i].Alive), f.settings())
			if err != nil {
				t.Fatal(err)
			}
			f.Checks[i].check(t, c, double)
		}
	})
}

// ties lists where the reference may differ. It takes equal edges one by one in the order of its
// rows, while the clusters here depend on the points alone.
type ties struct {
	// choices of a point that leaves a cluster at the level where the cluster splits. It may
	// instead belong to one of the new clusters and leave that at once. Nil for all other points.
	choices [][]int32
	points  int // points with choices
	// extra lists lambdas where several parts that are too small alone meet a part that is large
	// enough. The small parts together may be a cluster that ends at once, and split the cluster
	// that continues here.
	extra map[float64]bool
}

func tiesOf(c *Clusters) ties {
	type split struct {
		parent int32
		lambda float64
	}
	born := map[split][]int32{}
	for v := 1; v < len(c.Tree.Parent); v++ {
		at := split{c.Tree.Parent[v], c.Tree.Birth[v]}
		born[at] = append(born[at], int32(v))
	}
	t := ties{choices: make([][]int32, len(c.Label)), extra: map[float64]bool{}}
	for i := range t.choices {
		if t.choices[i] = born[split{c.Tree.Of[i], c.Tree.Lambda[i]}]; t.choices[i] != nil {
			t.points++
		}
	}
	l, least := link(len(c.Core2), c.Spanning, Together), c.set.MinSize
	for v := l.n; v < len(l.level); v++ {
		large, small, parts := 0, 0, 0
		for _, u := range l.of(int32(v)) {
			if size := int(l.size[u]); size >= least {
				large++
			} else {
				small += size
				parts++
			}
		}
		if parts > 1 && (large > 0 && small >= least || small >= 2*least) {
			t.extra[1/math.Sqrt(l.level[v])] = true
		}
	}
	return t
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

// Relative tolerances for the reference's rows, and for rows rounded to float32.
const (
	double = 1e-9
	single = 1e-5
)

func closeTo(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

// near compares with a relative tolerance.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	for i, w := range want {
		if !closeTo(got[i], w, tolerance) {
			t.Errorf("%s: entry %d is %.17g, want %.17g", what, i, got[i], w)
			return
		}
	}
}

// check compares clusters with the reference.
func (a *answer) check(t *testing.T, c *Clusters, tolerance float64) {
	t.Helper()
	root := func(d2 []float64) []float64 {
		out := make([]float64, len(d2))
		for i, v := range d2 {
			out[i] = math.Sqrt(v)
		}
		return out
	}
	near(t, "core distances", root(c.Core2), a.Core, tolerance)
	near(t, "tree", root(lengths(c)), a.MSTWeights, tolerance)
	if !a.Agree {
		return
	}
	ties := tiesOf(c)
	if ties.points > max(5, len(a.Labels)/40) {
		t.Errorf("%d of %d points leave where a cluster splits", ties.points, len(a.Labels))
	}
	a.condensed(t, c.Tree, ties, tolerance)
	number := a.labels(t, c, ties)
	if a.Condensed.Clusters != len(c.Tree.Parent) {
		return // a cluster that continues here is split in two there: see ties.extra
	}
	a.memberships(t, c, ties, number, tolerance)
	a.persistence(t, c, number, tolerance)
}

// labels compares the labels of all points without choices, and returns the reference's cluster of
// each cluster.
func (a *answer) labels(t *testing.T, c *Clusters, ties ties) map[int32]int32 {
	t.Helper()
	number, back := map[int32]int32{Noise: Noise}, map[int32]int32{Noise: Noise}
	for i, l := range a.Labels {
		if ties.choices[i] != nil {
			continue
		}
		if _, ok := number[l]; !ok {
			number[l] = c.Label[i]
		}
		if _, ok := back[c.Label[i]]; !ok {
			back[c.Label[i]] = l
		}
		if number[l] != c.Label[i] || back[c.Label[i]] != l {
			t.Errorf("point %d is in cluster %d, want %d", i, c.Label[i], number[l])
		}
	}
	return number
}

// memberships compares probabilities and outlier scores. For a point with choices, they and the
// label must match one of the choices.
func (a *answer) memberships(t *testing.T, c *Clusters, ties ties, number map[int32]int32, tolerance float64) {
	t.Helper()
	last := c.Tree.last()
	for i, l := range a.Labels {
		same := func(label int32, probability, outlier float64) bool {
			return number[l] == label && closeTo(a.Probabilities[i], probability, tolerance) && closeTo(a.OutlierScores[i], outlier, tolerance)
		}
		ok := same(c.Label[i], c.Probability[i], c.Outlier[i])
		for _, v := range ties.choices[i] {
			probability := 0.0
			if l := c.labels[v]; l >= 0 {
				probability = share(c.Tree.Lambda[i], c.death[l])
			}
			ok = ok || same(c.labels[v], probability, 1-share(c.Tree.Lambda[i], last[v]))
		}
		if !ok {
			t.Errorf("point %d is in cluster %d with %v, outlier %v; want %d with %v, outlier %v (%d choices)", i,
				c.Label[i], c.Probability[i], c.Outlier[i], number[l], a.Probabilities[i], a.OutlierScores[i], len(ties.choices[i]))
		}
	}
}

// persistence compares stabilities per point. Points with choices change the number of points.
func (a *answer) persistence(t *testing.T, c *Clusters, number map[int32]int32, tolerance float64) {
	t.Helper()
	size := make([]int, c.Count())
	for _, l := range a.Labels {
		if l >= 0 {
			size[number[l]]++
		}
	}
	got := make([]float64, c.Count())
	for l, p := range c.Persistence {
		got[l] = p * float64(c.Size[l]) / float64(size[l])
	}
	slices.Sort(got)
	near(t, "persistence", got, a.Persistence, tolerance)
}

// condensed compares the condensed tree. The level at which a point leaves does not depend on the
// order of equal edges. The sizes of new clusters do, as far as points with choices belong to them.
func (a *answer) condensed(t *testing.T, tree *Tree, ties ties, tolerance float64) {
	t.Helper()
	if n := len(tree.Parent); a.Condensed.Clusters != n && (len(ties.extra) == 0 || a.Condensed.Clusters < n) {
		t.Errorf("the condensed tree has %d clusters, want %d", n, a.Condensed.Clusters)
	}
	splits := map[float64]bool{}
	lambdas := slices.Clone(tree.Lambda)
	for _, lambda := range tree.Birth[1:] {
		splits[lambda] = true
		lambdas = append(lambdas, lambda)
	}
	for _, lambda := range finite(a.Condensed.Splits) {
		known := func(at float64) bool { return closeTo(at, lambda, tolerance) }
		if slices.ContainsFunc(slices.Collect(maps.Keys(splits)), known) {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(ties.extra)), known) {
			t.Errorf("the reference splits a cluster at %v", lambda)
		}
		lambdas = append(lambdas, lambda, lambda)
	}
	slices.Sort(lambdas)
	near(t, "lambdas", lambdas, finite(a.Condensed.Lambdas), tolerance)
	if a.Condensed.Clusters != len(tree.Parent) {
		return
	}
	if len(splits) != len(a.Condensed.Splits) {
		t.Errorf("clusters split at %d lambdas, want %d", len(splits), len(a.Condensed.Splits))
	}
	more := 0
	for v, size := range slices.Sorted(slices.Values(tree.Size[1:])) {
		if a.Condensed.Sizes[v] < size {
			t.Errorf("child cluster %d by size has %d points, want %d", v, size, a.Condensed.Sizes[v])
		}
		more += int(a.Condensed.Sizes[v] - size)
	}
	if more < 0 || more > ties.points {
		t.Errorf("child clusters of the reference have %d points more, and %d have choices", more, ties.points)
	}
}

// finite converts null to infinity.
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
