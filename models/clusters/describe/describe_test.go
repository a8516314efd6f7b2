package describe_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"unfold/internal/vec"
	"unfold/models/clusters/describe"
)

// groups returns rows of two clusters and some noise. The first has many bytes and is often http,
// the second is characterised by its labels.
func groups() describe.Data {
	r := rand.New(rand.NewPCG(4, 4))
	d := describe.Data{
		X: vec.New[float32](900, 4), Count: 2, Cluster: make([]int32, 900), Label: make([]string, 900),
		Columns: []describe.Column{{Name: "bytes"}, {Name: "service", Category: "http", Indicator: true}, {Name: "noise"}, {Name: "fixed"}},
	}
	for i := range d.Cluster {
		c := int32(i%3) - 1
		d.Cluster[i] = c
		row := d.X.Row(i)
		row[0], row[2], row[3] = float32(r.NormFloat64()), float32(r.NormFloat64()), 7
		if r.Float64() < 0.1 {
			row[1] = 2
		}
		switch c {
		case 0:
			if row[0] += 9; r.Float64() < 0.9 {
				row[1] = 2
			}
		case 1:
			if i%2 == 0 {
				d.Label[i] = []string{"smurf", "smurf", "smurf", "normal"}[r.IntN(4)]
			}
		}
	}
	return d
}

func TestDescribe(t *testing.T) {
	d := groups()
	got, err := describe.Describe(t.Context(), d, describe.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, trait := range got[0].Traits {
		names = append(names, trait.String())
	}
	if slices.Sort(names); !slices.Equal(names, []string{"bytes high", "service=http"}) {
		t.Errorf("the first cluster has traits %+v", got[0].Traits)
	}
	for _, trait := range got[0].Traits {
		// Odds of 9 and 1/9 differ by log 81 in logarithm, with half a row added to each.
		if want := math.Log(81) * math.Sqrt(3) / math.Pi; trait.Category == "http" && (math.Abs(trait.Effect-want) > 0.35 || math.Abs(trait.In-0.9) > 0.05 || math.Abs(trait.Out-0.1) > 0.05) {
			t.Errorf("%+v, want an effect of about %.2f", trait, want)
		}
		if trait.Column == "bytes" && (math.Abs(trait.In-9) > 0.3 || math.Abs(trait.Out) > 0.3) {
			t.Errorf("%+v", trait)
		}
	}
	if n := got[1].Name(); n != "smurf" || got[1].Labelled != 150 || got[1].Labels[0].Rows < 90 {
		t.Errorf("the second cluster is %q, %+v", n, got[1])
	}
	for _, threads := range []int{1, 3} {
		again, err := describe.Describe(t.Context(), d, describe.Settings{Threads: threads})
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%d threads say otherwise: %v", threads, err)
		}
	}
	few, err := describe.Describe(t.Context(), d, describe.Settings{Rows: 100, Traits: 1})
	if err != nil || len(few[0].Traits) != 1 || len(few[1].Labels) != 1 || few[1].Labelled != 150 {
		t.Errorf("with fewer rows and one trait: %+v, %v", few, err)
	}
	for i := range d.Label {
		d.Label[i] = []string{"same", "same", "other"}[i/3%3]
	}
	if got, err := describe.Describe(t.Context(), d, describe.Settings{}); err != nil || got[0].Label != "" || got[0].Labels[0].Label != "same" || got[0].Name() == "" {
		t.Errorf("a label that is as frequent elsewhere: %+v, %v", got[0], err)
	}
}

// TestRobust: a few infinite or missing values change nothing, and a constant column still has a
// scale.
func TestRobust(t *testing.T) {
	d := groups()
	for i := 0; i < 900; i += 60 {
		d.X.Row(i)[2] = 1e30
		d.X.Row(i + 1)[0] = float32(math.NaN())
	}
	for i := range d.Cluster {
		d.X.Row(i)[3] = 0
		if d.Cluster[i] == 1 {
			d.X.Row(i)[3] = 5
		}
	}
	got, err := describe.Describe(t.Context(), d, describe.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for c, want := range []string{"bytes high", "fixed high"} {
		traits := got[c].Traits
		if len(traits) == 0 || traits[0].String() != want || slices.ContainsFunc(traits, func(t describe.Trait) bool { return t.Column == "noise" }) {
			t.Errorf("cluster %d has %+v, want %s first and no noise", c, traits, want)
		}
	}
}

// TestNothingToSay: clusters without labels or columns, one cluster of all rows, and no clusters
// have an empty description.
func TestNothingToSay(t *testing.T) {
	for name, d := range map[string]describe.Data{
		"no columns": {Cluster: []int32{0, 0, -1}, Count: 1},
		"all rows":   {X: vec.Of(2, 1, []float32{1, 2}), Columns: []describe.Column{{Name: "x"}}, Cluster: []int32{0, 0}, Count: 1},
		"missing":    {X: vec.Of(2, 1, []float32{float32(math.NaN()), float32(math.NaN())}), Columns: []describe.Column{{Name: "x"}}, Cluster: []int32{0, -1}, Count: 1},
		"rare": {X: vec.New[float32](40, 1), Columns: []describe.Column{{Name: "service", Category: "other", Indicator: true}},
			Cluster: append(make([]int32, 4), slices.Repeat([]int32{-1}, 36)...), Count: 1},
		"none": {X: vec.Of(1, 1, []float32{1}), Columns: []describe.Column{{Name: "x"}}, Cluster: []int32{-1}},
	} {
		got, err := describe.Describe(t.Context(), d, describe.Settings{})
		if err != nil || len(got) != d.Count || len(got) > 0 && got[0].Name() != "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A cluster of two labels is named by both, and one of many labels by its traits.
func TestMixture(t *testing.T) {
	var d describe.Data
	d.Count = 3
	for i := range 300 {
		c := i % 3
		label := strconv.Itoa(i / 3 % 7)
		switch c {
		case 0:
			label = []string{"4", "9"}[i/3%2]
		case 1:
			label = "1"
		}
		d.Cluster, d.Label = append(d.Cluster, int32(c)), append(d.Label, label)
	}
	got, err := describe.Describe(t.Context(), d, describe.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if names := []string{got[0].Name(), got[1].Name(), got[2].Name()}; !slices.Equal(names, []string{"4 / 9 (50 %, 50 %)", "1", ""}) {
		t.Errorf("the clusters are named %q", names)
	}
}
