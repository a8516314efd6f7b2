package clusters

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

// selectionCase has settings in the names of hdbscan, and its results.
type selectionCase struct {
	AllowSingle   bool      `json:"allow_single_cluster"`
	Method        Selection `json:"cluster_selection_method"`
	Epsilon       float64   `json:"cluster_selection_epsilon"`
	EpsilonMax    float64   `json:"cluster_selection_epsilon_max"`
	MaxSize       int       `json:"max_cluster_size"`
	Labels        []int32
	Probabilities []float64
}

// Settings that select clusters select those of hdbscan, with either treatment of ties and from
// given distances.
func TestSelectionFixtures(t *testing.T) {
	text, err := os.ReadFile("testdata/selection.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		MinSize    int `json:"min_cluster_size"`
		MinSamples int `json:"min_samples"`
		Sets       []struct {
			Name  string
			X     rows
			Cases []selectionCase
		}
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	for _, set := range f.Sets {
		x := set.X.matrix()
		for _, c := range set.Cases {
			s := Settings{MinSize: f.MinSize, MinSamples: f.MinSamples, Selection: c.Method, Epsilon: c.Epsilon, EpsilonMax: c.EpsilonMax, MaxSize: c.MaxSize, AllowSingle: c.AllowSingle}
			together, err := Find(t.Context(), x, s)
			if err != nil {
				t.Fatal(err)
			}
			given, err := FindDistances(t.Context(), distancesOf(x), s)
			if err != nil {
				t.Fatal(err)
			}
			s.Ties = Apart
			apart, err := Find(t.Context(), x, s)
			if err != nil {
				t.Fatal(err)
			}
			givenApart, err := FindDistances(t.Context(), distancesOf(x), s)
			if err != nil {
				t.Fatal(err)
			}
			if set.Name == "one" { // its clusters depend on ties
				together, given = apart, apart
			}
			for way, got := range map[string]*Clusters{"together": together, "given distances": given, "apart": apart, "given distances, apart": givenApart} {
				if !slices.Equal(renumbered(got.Label), renumbered(c.Labels)) {
					t.Errorf("%s, %s, %+v: labels are\n%v, want\n%v", set.Name, way, s, got.Label, renumbered(c.Labels))
					continue
				}
				near(t, set.Name+", "+way+": probabilities", got.Probability, c.Probabilities, 1e-8)
			}
		}
	}
}

// distancesOf returns all distances of rows.
func distancesOf[T vec.Float](x vec.Matrix[T]) vec.Matrix[float64] {
	d := vec.New[float64](x.Rows, x.Rows)
	for i := range x.Rows {
		for j := range x.Rows {
			d.Row(i)[j] = math.Sqrt(distance.Between(distance.Euclidean, x.Row(i), x.Row(j)))
		}
	}
	return d
}

// New points that are given by distances join the clusters that their rows would join. A point that
// joins the root below the level of its members is noise.
func TestDistancePredictor(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	x, q := vec.New[float64](80, 2), vec.New[float64](40, 2)
	for i := range x.Data {
		x.Data[i] = random.NormFloat64()
	}
	for i := range q.Data {
		q.Data[i] = 3 * random.NormFloat64()
	}
	s := Settings{MinSize: 10, MinSamples: 4, AllowSingle: true, MaxSize: 80}
	c, err := Find(t.Context(), x, s)
	if err != nil {
		t.Fatal(err)
	}
	given, err := FindDistances(t.Context(), distancesOf(x), s)
	if err != nil {
		t.Fatal(err)
	}
	far := vec.New[float64](q.Rows, x.Rows)
	for i := range q.Rows {
		for j := range x.Rows {
			far.Row(i)[j] = math.Sqrt(distance.Between(distance.Euclidean, q.Row(i), x.Row(j)))
		}
	}
	want, err := NewPredictor(c, x).Predict(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	got, err := NewDistancePredictor[float64](given).Predict(t.Context(), far)
	if err != nil {
		t.Fatal(err)
	}
	if c.Count() != 1 || !slices.Equal(got.Label, want.Label) || !slices.Contains(got.Label, Noise) || !slices.Contains(got.Label, 0) {
		t.Errorf("%d clusters, labels %v, want %v, some of them noise", c.Count(), got.Label, want.Label)
	}
	near(t, "probabilities", got.Probability, want.Probability, double)
	for _, wrong := range []vec.Matrix[float64]{vec.New[float64](2, 3), vec.Of(2, 2, []float64{0, -1, -1, 0}), vec.Of(2, 2, []float64{0, math.NaN(), 1, 0})} {
		if _, err := FindDistances(t.Context(), wrong, Settings{}); !models.IsBadInput(err) {
			t.Errorf("distances %v: error %v", wrong.Data, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := FindDistances(stopped, distancesOf(x), s); err == nil {
		t.Error("a stopped search has no error")
	}
}

// With Lengths, lambda is the reciprocal of the Manhattan distance, and epsilon is such a distance.
func TestLengths(t *testing.T) {
	x := vec.Of(8, 1, []float64{0, 1, 2, 3, 12, 13, 14, 15})
	s := Settings{MinSize: 3, MinSamples: 1, Distance: distance.Manhattan, Epsilon: 5}
	for lengths, want := range map[bool]int{true: 2, false: 1} {
		s.Lengths, s.AllowSingle = lengths, true
		c, err := Find(t.Context(), x, s)
		if err != nil {
			t.Fatal(err)
		}
		birth := 1 / 3.0
		if lengths {
			birth = 1 / 9.0
		}
		if c.Tree.Birth[1] != birth || c.Count() != want {
			t.Errorf("lengths %v: clusters appear at %v, and %d are selected; want %v and %d", lengths, c.Tree.Birth[1], c.Count(), birth, want)
		}
	}
}

// With ties apart, given distances lead to the same clusters as rows at these distances: equal
// edges are cut in the same order.
func TestTiesApartOfDistances(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		x := vec.New[float64](60, 2)
		for i := range x.Data {
			x.Data[i] = math.Round(64*r.NormFloat64()) / 16 // so that squares are exact
		}
		s := Settings{MinSize: 3, MinSamples: 4, Ties: Apart, Selection: Leaf}
		rows, err := Find(t.Context(), x, s)
		if err != nil {
			t.Fatal(err)
		}
		given, err := FindDistances(t.Context(), distancesOf(x), s)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(rows.Label, given.Label) || !slices.Equal(rows.Tree.Of, given.Tree.Of) {
			t.Errorf("seed %d: %d clusters of rows, %d of their distances, or others", seed, rows.Count(), given.Count())
		}
	}
}

// Given distances are lengths: the settings Lengths and Distance do not change their clusters.
func TestGivenDistancesAreLengths(t *testing.T) {
	d := distancesOf(vec.Of(8, 1, []float64{0, 1, 2, 3, 12, 13, 14, 15}))
	s := Settings{MinSize: 3, MinSamples: 1}
	want, err := FindDistances(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Lengths, s.Distance = true, distance.Manhattan
	got, err := FindDistances(t.Context(), d, s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Tree.Birth, want.Tree.Birth) || !slices.Equal(got.Tree.Lambda, want.Tree.Lambda) || want.Tree.Birth[1] != 1/9. {
		t.Errorf("clusters appear at %v, want %v", got.Tree.Birth, want.Tree.Birth)
	}
}

// Clusters that are updated treat ties as Together, whatever the settings say, because a tree that is
// updated has no order of equal edges.
func TestLiveTiesTogether(t *testing.T) {
	differ := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 9))
		x := vec.New[float32](60, 2)
		for i := range x.Data {
			x.Data[i] = float32(r.IntN(12))
		}
		s := Settings{MinSize: 3, MinSamples: 2, Selection: Leaf}
		want, err := Find(t.Context(), x, s)
		if err != nil {
			t.Fatal(err)
		}
		s.Ties = Apart
		apart, err := Find(t.Context(), x, s)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(apart.Label, want.Label) {
			differ++
		}
		l, err := NewLive(2, s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Insert(t.Context(), x); err != nil {
			t.Fatal(err)
		}
		got, err := l.Clusters()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Label, want.Label) {
			t.Errorf("seed %d: labels %v, want %v", seed, got.Label, want.Label)
		}
	}
	if differ == 0 {
		t.Error("ties apart make no difference here")
	}
}
