package unfold_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold"
)

// groups returns n vectors around three centres, in turn; element 0 distinguishes the groups.
func groups(n int, seed uint64) (x unfold.Rows, label []string) {
	x = cloud(n, 5, seed)
	for i := range x {
		x[i][0] += float32(12 * (i % 3))
		label = append(label, string(rune('a'+i%3)))
	}
	return x, label
}

// Clusters of a map are the groups that it was learnt from, and new vectors join theirs.
func TestClusters(t *testing.T) {
	x, _ := groups(240, 3)
	m := fitted(t, x, unfold.Options{Threads: 1})
	c, err := m.Clusters(t.Context(), unfold.ClusterOptions{MinSize: 20, MinSamples: 5})
	if err != nil || len(c.Size) != 3 {
		t.Fatalf("%v, error %v", c, err)
	}
	mine := func(of *unfold.Clusters, i int) bool { return of.Label[i] == -1 || of.Label[i] == i%3 }
	noise := 0
	for i, l := range c.Label {
		if l < 0 {
			noise++
		}
		if !mine(c, i) {
			t.Errorf("row %d is in cluster %d", i, l)
		}
	}
	if noise > 48 {
		t.Errorf("%d of 240 rows are noise", noise)
	}
	y, _ := groups(30, 4)
	at, err := m.Place(t.Context(), y)
	if err != nil {
		t.Fatal(err)
	}
	joined, err := c.Predict(t.Context(), at.Embedding)
	if err != nil {
		t.Fatal(err)
	}
	for i := range y {
		if !mine(joined, i) {
			t.Errorf("new row %d joins cluster %d", i, joined.Label[i])
		}
	}
	of, err := unfold.FindClusters(t.Context(), x, unfold.ClusterOptions{MinSize: 20})
	if err != nil || len(of.Size) != 3 || !mine(of, 100) {
		t.Errorf("clusters of the rows themselves: %v, error %v", of.Size, err)
	}
	var option *unfold.OptionError
	if _, err := m.Clusters(t.Context(), unfold.ClusterOptions{MinSize: 1}); !errors.As(err, &option) || option.Name != "ClusterOptions.MinSize" {
		t.Errorf("clusters of one: %v", err)
	}
}

// Rows of different lengths are an error that names the row, not a panic.
func TestClustersOfRaggedRows(t *testing.T) {
	x, _ := groups(60, 3)
	c, err := unfold.FindClusters(t.Context(), x, unfold.ClusterOptions{MinSize: 5})
	if err != nil {
		t.Fatal(err)
	}
	var row *unfold.RowError
	if _, err := c.Predict(t.Context(), unfold.Rows{x[0], x[0][:1]}); !errors.As(err, &row) || row.Row != 1 {
		t.Errorf("new rows: %v", err)
	}
	x[7] = x[7][:1]
	if _, err := unfold.FindClusters(t.Context(), x, unfold.ClusterOptions{}); !errors.As(err, &row) || row.Row != 7 {
		t.Errorf("rows: %v", err)
	}
}

// Classes are predicted from places. A map that was learnt without labels has no classifier.
func TestLearnClasses(t *testing.T) {
	x, label := groups(240, 5)
	m := fitted(t, x, unfold.Options{Threads: 1})
	for i := range label {
		if i%4 == 0 {
			label[i] = "" // unknown
		}
	}
	c, err := m.LearnClasses(t.Context(), x, label)
	if err != nil || !slices.Equal(c.Names, []string{"a", "b", "c"}) {
		t.Fatalf("%v, error %v", c, err)
	}
	y, want := groups(30, 6)
	p, err := c.Predict(t.Context(), y)
	if err != nil {
		t.Fatal(err)
	}
	for i := range y {
		row := p.Probability.RawRowView(i)
		if got := c.Names[slices.Index(row, slices.Max(row))]; got != want[i] || p.Name[i] != got {
			t.Errorf("row %d of class %s: %s, %v", i, want[i], p.Name[i], row)
		}
	}
	if _, err := m.LearnClasses(t.Context(), x, label[1:]); !errors.Is(err, unfold.ErrBadInput) {
		t.Errorf("too few labels: %v", err)
	}
	again, err := unfold.Open(bytes.NewReader(saved(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	if c, err := again.Classifier(); c != nil || !errors.Is(err, unfold.ErrBadInput) {
		t.Errorf("a map that was learnt without labels has classes %v, error %v", c, err)
	}
}

// The reason of a strange row is its strange element, with its value and that of its neighbours.
func TestExplain(t *testing.T) {
	for name, o := range map[string]unfold.Options{"plain": {}, "projected": {PCA: 4}, "manhattan": {Metric: unfold.Manhattan}} {
		t.Run(name, func(t *testing.T) {
			x, _ := groups(200, 7)
			o.Threads = 1
			m := fitted(t, x, o)
			strange := slices.Clone(x[9])
			strange[0] = 60
			why, err := m.Explain(t.Context(), unfold.Rows{x[4], strange}, 2)
			if err != nil || len(why) != 2 || len(why[1]) == 0 || len(why[1]) > 2 {
				t.Fatalf("%v, error %v", why, err)
			}
			if r := why[1][0]; r.Element != 0 || r.Share < 0.8 || r.Share > 1.01 || r.Value != 60 || math.Abs(r.Expected-24) > 4 {
				t.Errorf("%+v", r)
			}
			if _, err := m.Explain(t.Context(), x, 0); !errors.Is(err, unfold.ErrBadInput) {
				t.Errorf("no reasons: %v", err)
			}
		})
	}
}

// Vectors of the same distribution raise no alarm, others do.
func TestDrift(t *testing.T) {
	x, _ := groups(900, 8)
	m := fitted(t, x, unfold.Options{Threads: 1, Steps: 5})
	d, err := m.Drift(unfold.DriftOptions{Window: 60})
	if err != nil {
		t.Fatal(err)
	}
	raised := func(x unfold.Rows) (raised bool) {
		looks, err := d.Add(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range looks {
			raised = raised || l.Raised && l.Alarm && l.Level > l.Bound
		}
		return raised
	}
	same, _ := groups(120, 9)
	if raised(same) {
		t.Error("an alarm without a change")
	}
	other, _ := groups(120, 10)
	for i := range other {
		other[i][1] += 3
	}
	if !raised(other) {
		t.Error("no alarm after a change")
	}
	if _, err := m.Drift(unfold.DriftOptions{Window: 10}); err == nil || !strings.Contains(err.Error(), "DriftOptions.Window") {
		t.Errorf("a window of 10: %v", err)
	}
}

// The metric determines the neighbours and is stored in the file. Unknown metrics, and options that
// exclude it, are errors.
func TestMetric(t *testing.T) {
	x, _ := groups(120, 11)
	m := fitted(t, x, unfold.Options{Threads: 1, Steps: 5, Metric: unfold.Chebyshev})
	again, err := unfold.Open(bytes.NewReader(saved(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*unfold.Map{m, again} {
		n, err := m.Neighbors(t.Context(), x[:1], 2)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for c, v := range x[0] {
			want = max(want, math.Abs(float64(v)-float64(x[n.Point[0][1]][c])))
		}
		if got := n.Distance[0][1]; math.Abs(got-want) > 1e-6 {
			t.Errorf("a neighbour at %v, want %v", got, want)
		}
	}
	var option *unfold.OptionError
	for _, o := range []unfold.Options{{Metric: "cosine"}, {Kind: unfold.GPLVM, Metric: unfold.Manhattan}, {PCA: 2, Metric: unfold.Manhattan}} {
		if _, err := unfold.Fit(t.Context(), x, o); !errors.As(err, &option) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
