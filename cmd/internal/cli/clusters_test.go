package cli

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"unfold/cmd/internal/plot"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/foreign"
	"unfold/internal/vec"
	"unfold/models/clusters"
)

//go:embed testdata/clusters.py
var readClusters string

// A map made by pandas, with three groups and an outlier, is clustered by its columns x and y.
// pandas and polars read the clusters from files of every format.
func TestClustersOfForeignMap(t *testing.T) {
	t.Chdir(t.TempDir())
	foreign.Run(t, `
import numpy as np, pandas as pd
random = np.random.default_rng(1)
kind = np.arange(1203) % 3
xy = np.array([[0, 0], [9, 0], [0, 9]])[kind] + random.normal(size=(1203, 2))
xy[1202] = [90, 90]
pd.DataFrame({"user": [f"u{i}" for i in range(1203)], "x": xy[:, 0], "y": xy[:, 1], "kind": kind, "note": "-"}).to_parquet("theirs.parquet")
`)
	var files []string
	for _, extension := range emit.Extensions {
		if extension != ".npy" {
			files = append(files, "clusters"+extension)
			out := must(t, "-q", "clusters", "theirs.parquet", "--columns", "x,y", "--id", "user", "--label", "kind", "--min-size", "10", "--min-samples", "5", "-o", files[len(files)-1])
			if !strings.Contains(out, "3 clusters of at least 10") {
				t.Errorf("it prints\n%s", out)
			}
		}
	}
	var seen struct{ Files, Noise int }
	if out := foreign.Run(t, readClusters, files...); json.Unmarshal(out, &seen) != nil || seen.Files != len(files) || seen.Noise < 1 {
		t.Errorf("of %d files was read: %s", len(files), out)
	}
}

// The clusters of a map depend only on its places, not on the file format. Its own points join
// their own clusters.
func TestClustersOfMap(t *testing.T) {
	t.Chdir(t.TempDir())
	blobs(t, "train.csv", 240, 1)
	said := must(t, "-q", "fit", "train.csv", "--columns", "*", "-o", "m.unfold", "--map", "map.parquet", "--steps", "20", "--keep", "kind", "--clusters", "--cluster-min-size", "20")
	for _, path := range []string{"map.csv", "map.npy", "map.arrows"} {
		must(t, "-q", "embed", "train.csv", "-m", "m.unfold", "-o", path)
	}
	m, err := ingest.ReadMap(t.Context(), "map.parquet", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := clusters.Find(t.Context(), m.Embedding, clusters.Settings{MinSize: 20})
	if err != nil || want.Count() < 2 {
		t.Fatalf("%d clusters, %v", want.Count(), err)
	}
	labelled(t, "map.parquet", want)
	if got := column(t, "map.parquet", emit.ClusterName); !slices.Equal(got, numbers(want.Label)) {
		t.Errorf("the fit says clusters are %v, want %v", got, want.Label)
	}
	for i, p := range column(t, "map.parquet", emit.ClusterProbabilityName) {
		if p != float64(float32(want.Probability[i])) {
			t.Errorf("the fit says the probability of row %d is %v, want %v", i, p, want.Probability[i])
		}
	}
	if line := fmt.Sprintf("240 points in 2 dimensions: %d clusters of at least 20, ", want.Count()); !strings.Contains(said, line) || !strings.Contains(said, " --color cluster\n") {
		t.Errorf("the fit prints\n%s", said)
	}
	for _, path := range []string{"map.csv", "map.npy", "map.arrows"} {
		at, err := ingest.ReadMap(t.Context(), path, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		of, err := clusters.Find(t.Context(), at.Embedding, clusters.Settings{MinSize: 20})
		if err != nil {
			t.Fatal(err)
		}
		labelled(t, path, of)
		must(t, "-q", "clusters", "map.parquet", "--min-size", "20", "--new", path, "-o", "joined.csv")
		joined, err := clusters.NewPredictor(want, m.Embedding).Predict(t.Context(), at.Embedding)
		if err != nil {
			t.Fatal(err)
		}
		if got := column(t, "joined.csv", emit.ClusterName); !slices.Equal(got, numbers(joined.Label)) {
			t.Errorf("the rows of %s join %v, want %v", path, got, joined.Label)
		}
	}
	for _, flags := range [][]string{nil, {"--beside", "clusters.csv"}} {
		must(t, append([]string{"-q", "plot", "map.parquet", "--color", emit.ClusterName, "-o", "map.svg"}, flags...)...)
		picture, err := os.ReadFile("map.svg")
		if err != nil || !strings.Contains(string(picture), ">"+emit.ClusterName+"<") {
			t.Errorf("plot %v: %v, the legend does not name the column", flags, err)
		}
	}
}

// labelled checks the clusters of a file.
func labelled(t *testing.T, path string, want *clusters.Clusters) {
	t.Helper()
	must(t, "-q", "clusters", path, "--min-size", "20", "-o", "clusters.csv")
	if got := column(t, "clusters.csv", emit.ClusterName); !slices.Equal(got, numbers(want.Label)) {
		t.Errorf("%s: clusters are %v, want %v", path, got, want.Label)
	}
	probability := vec.Convert[float32](vec.Of(1, len(want.Label), want.Probability)).Data
	for i, p := range column(t, "clusters.csv", emit.ClusterProbabilityName) {
		if math.Abs(p-float64(probability[i])) > 1e-6 { // text is parsed in double precision
			t.Errorf("%s: the probability of row %d is %v, want %v", path, i, p, probability[i])
		}
	}
}

func numbers(label []int32) (out []float64) {
	for _, l := range label {
		out = append(out, float64(l))
	}
	return out
}

// column reads a column of numbers of a table.
func column(t *testing.T, path, name string) []float64 {
	t.Helper()
	r, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	at, err := r.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := at.Need(name)
	if err != nil {
		t.Fatal(err)
	}
	values, _ := c.Floats()
	return values
}

// Clusters are plotted as classes, however many there are. Other numbers get a colour scale.
func TestManyClustersAreClasses(t *testing.T) {
	n := 2 * fewWhole
	m := &emit.Map{Output: emit.Output{Embedding: vec.New[float32](n, 2)}}
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(i - 1)
	}
	m.Kept = []table.Column{table.Int64Column(emit.ClusterName, values), table.Int64Column("size", values)}
	for name, classes := range map[string]bool{emit.ClusterName: true, "size": false} {
		var out plot.Map
		if err := (&plotCmd{Color: name}).color(t.Context(), &out, m); err != nil || (out.Class != nil) != classes || (out.Value != nil) == classes {
			t.Errorf("%s: %d classes and %d values, %v", name, len(out.Class), len(out.Value), err)
		}
	}
}

// Pictures name clusters by their distinguishing columns. Noise has neither name nor colour.
func TestNamesOfClusters(t *testing.T) {
	n := 300
	m := &emit.Map{Output: emit.Output{Embedding: vec.New[float32](n, 2)}}
	of, label, service := make([]int64, n), make([]string, n), make([]string, n)
	for i := range of {
		of[i] = int64(i%3) - 1
		service[i] = []string{"dns", "http", "smtp"}[i%3]
		if i%3 == 2 && i%2 == 0 {
			label[i] = "spam"
		}
	}
	m.Kept = []table.Column{table.Int64Column(emit.ClusterName, of), table.StringColumn(ingest.LabelName, label), table.StringColumn("service", service)}
	var out plot.Map
	if err := (&plotCmd{Color: emit.ClusterName}).color(t.Context(), &out, m); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"", "0: service=http", "1: spam"} {
		if out.Class[i] != want {
			t.Errorf("row %d of cluster %d is called %q, want %q", i, of[i], out.Class[i], want)
		}
	}
}

// Small tables have small clusters: the default of --min-size is a twentieth of few points.
func TestClustersOfFewRows(t *testing.T) {
	t.Chdir(t.TempDir())
	var text strings.Builder
	fmt.Fprintln(&text, "x,y")
	for i := range 90 {
		at := float64(i % 6)
		fmt.Fprintf(&text, "%g,%g\n", 10*at+0.3*math.Sin(float64(i*i)), 0.3*math.Cos(float64(3*i)))
	}
	write(t, "few.csv", text.String())
	if out := must(t, "-q", "clusters", "few.csv", "--columns", "x,y"); !strings.Contains(out, "6 clusters of at least 5") {
		t.Errorf("clusters prints\n%s", out)
	}
	if out := must(t, "-q", "clusters", "few.csv", "--columns", "x,y", "--min-size", "20"); strings.Contains(out, "6 clusters") || !strings.Contains(out, "of at least 20") {
		t.Errorf("clusters --min-size 20 prints\n%s", out)
	}
}

// New rows need no label, as on a map: neither the named one nor one that was guessed.
func TestNewRowsWithoutALabel(t *testing.T) {
	t.Chdir(t.TempDir())
	var labelled, plain strings.Builder
	fmt.Fprintln(&labelled, "a,b,group")
	fmt.Fprintln(&plain, "a,b")
	for i := range 60 {
		at := fmt.Sprintf("%g,%g", float64(10*(i%2))+0.3*math.Sin(float64(i*i)), 0.3*math.Cos(float64(3*i)))
		fmt.Fprintf(&labelled, "%s,%c\n", at, "ab"[i%2])
		fmt.Fprintln(&plain, at)
	}
	write(t, "old.csv", labelled.String())
	write(t, "new.csv", plain.String())
	for _, flags := range [][]string{nil, {"--label", "group"}} {
		must(t, append([]string{"-q", "clusters", "old.csv", "--new", "new.csv", "-o", "joined.csv"}, flags...)...)
		must(t, append([]string{"-q", "clusters", "old.csv", "-o", "clusters.csv"}, flags...)...)
		joined, of := strings.Split(contentsOf(t, "joined.csv"), "\n"), strings.Split(contentsOf(t, "clusters.csv"), "\n")
		if len(joined) != len(of) || !strings.HasPrefix(joined[0], "id,cluster,") || !strings.HasPrefix(of[0], "id,group,cluster,") {
			t.Fatalf("%v: predictions\n%s\nof clusters\n%s", flags, joined[0], of[0])
		}
		for i, line := range joined[:len(joined)-1] {
			if got, want := strings.Split(line, ",")[1], strings.Split(of[i], ",")[2]; got != want {
				t.Errorf("%v: line %d: cluster %s, want %s", flags, i, got, want)
			}
		}
	}
}
