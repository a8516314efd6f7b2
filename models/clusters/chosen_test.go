package clusters

import (
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/modeltest"
	"unfold/sparse/distance"
)

// TestChosen: each selected cluster of the tree has the label of its points, each label once, and no
// point without a label is inside one.
func TestChosen(t *testing.T) {
	x := modeltest.Blobs(240, 3, 4)
	for name, s := range map[string]Settings{"mass": {}, "leaves": {Selection: Leaf}, "joined": {Epsilon: 2}, "all in one": {Epsilon: 1e3, AllowSingle: true}} {
		s.MinSize, s.MinSamples = 8, 4
		c, err := Find(t.Context(), x, s)
		if err != nil {
			t.Fatal(err)
		}
		chosen := c.Chosen()
		var labels []int32
		for _, l := range chosen {
			if l != Noise {
				labels = append(labels, l)
			}
		}
		slices.Sort(labels)
		if want := len(slices.Compact(slices.Clone(labels))); len(labels) != c.Count() || want != c.Count() || c.Count() == 0 {
			t.Errorf("%s: %d clusters have the labels %v", name, c.Count(), labels)
		}
		for i, l := range c.Label {
			inside := Noise
			for v := c.Tree.Of[i]; v >= 0; v = c.Tree.Parent[v] {
				if chosen[v] != Noise {
					inside = chosen[v]
				}
			}
			if l != inside && chosen[0] == Noise || l != Noise && l != inside { // the root has noise of its own
				t.Fatalf("%s: point %d of label %d is inside cluster %d", name, i, l, inside)
			}
		}
	}
}

// TestRootWithinEpsilonMax: with AllowSingle, all points are one cluster if they come together at
// EpsilonMax at the latest. Here two rows of points with steps of 3 are 4 apart, and no point is left
// outside when they split. Below that distance neither all nor the two are a cluster.
func TestRootWithinEpsilonMax(t *testing.T) {
	var x []float32
	for i := range 10 {
		x = append(x, float32(3*i), float32(27+4+3*i))
	}
	for most, want := range map[float64]int{0: 1, 5: 1, 4: 1, 3.5: 0} {
		c, err := Find(t.Context(), vec.Of(len(x), 1, x), Settings{MinSize: 4, MinSamples: 1, AllowSingle: true, EpsilonMax: most})
		if err != nil {
			t.Fatal(err)
		}
		if c.Count() != want {
			t.Errorf("EpsilonMax %v: %d clusters, want %d", most, c.Count(), want)
		}
	}
}

// TestRootWithinMaxSize: with AllowSingle, all points are one cluster if MaxSize permits those that
// are left when they split. One far outlier does not count.
func TestRootWithinMaxSize(t *testing.T) {
	x := []float32{1000}
	for i := range 10 {
		x = append(x, float32(3*i), float32(27+4+3*i))
	}
	for most, want := range map[int]int{0: 1, 21: 1, 20: 1, 19: 2} {
		c, err := Find(t.Context(), vec.Of(len(x), 1, x), Settings{MinSize: 4, MinSamples: 1, AllowSingle: true, MaxSize: most})
		if err != nil {
			t.Fatal(err)
		}
		if c.Count() != want {
			t.Errorf("MaxSize %d: %d clusters, want %d", most, c.Count(), want)
		}
	}
}

// TestPredictorOfLengths: a predictor takes from the hierarchy whether lambda is of distances or of
// their roots.
func TestPredictorOfLengths(t *testing.T) {
	x := modeltest.Blobs(150, 3, 4)
	set := Settings{MinSize: 8, MinSamples: 4, Distance: distance.Manhattan, Lengths: true}
	c, err := Find(t.Context(), x, set)
	if err != nil {
		t.Fatal(err)
	}
	events := modeltest.Events(3, 40, 3)
	want, err := NewPredictor(c, x).Predict(t.Context(), events)
	if err != nil {
		t.Fatal(err)
	}
	got, err := PredictorOf(c.Hierarchy(), x, Settings{Distance: distance.Manhattan}).Predict(t.Context(), events)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Label, want.Label) || !slices.Equal(got.Probability, want.Probability) {
		t.Errorf("probabilities %v, want %v", got.Probability, want.Probability)
	}
}
