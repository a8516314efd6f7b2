package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
)

// TestDigits runs the tutorial unchanged: it learns from 3,000 digits, plots them, places 1,000
// others and scores the map. The scores have to be good.
func TestDigits(t *testing.T) {
	tier.Full(t, "it learns 3,000 digits in several ways")
	root, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, err := range []error{os.Symlink(filepath.Join(root, "testdata"), "testdata"), os.Mkdir("out", 0o755)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range tutorial(t, root) {
		must(t, append([]string{"-q"}, words(line)...)...)
	}
	for _, name := range []string{"digits.unfold", "digits.parquet", "digits.png", "places.parquet"} {
		if _, err := os.Stat(filepath.Join("out", name)); err != nil {
			t.Error(err)
		}
	}
	if printed := string(foreign.Run(t, script(t, page(t, filepath.Join(root, "docs", "tutorial.md")), "look.py"))); strings.Count(printed, "\n") != 6 || !strings.Contains(printed, "novelty_global") {
		t.Errorf("look.py prints\n%s", printed)
	}
	t.Run("report", testReport)

	var s scoreReport
	decode(t, must(t, "-q", "score", "out/places.parquet", "--train", "out/digits.parquet", "--json"), &s)
	if s.HeldOut == nil || s.HeldOut.Train != 3000 || s.HeldOut.Test != 1000 || s.HeldOut.Error[1] > 0.12 {
		t.Errorf("held out: %+v, expected a 9-NN error of at most 0.12", s.HeldOut)
	}
	decode(t, must(t, "-q", "score", "out/digits.parquet", "--data", digits("train-images-idx3"), "--sample", "300", "--json"), &s)
	if s.Data == nil || s.Data.Trustworthiness < 0.95 || s.Data.Continuity < 0.9 || s.Data.Exact || s.Data.Sample != 300 {
		t.Errorf("against the data: %+v", s.Data)
	}

	t.Run("same places for any batch", testSamePlaces)
	t.Run("own rows", testOwnRows)

	must(t, "-q", "plot", "out/digits.parquet", "-o", "train.png", "--width", "800", "--height", "600")
	data, err := os.ReadFile("train.png")
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.Decode(bytes.NewReader(data)); err != nil || img.Bounds().Dx() != 800 {
		t.Errorf("train.png: %v", err)
	}
}

// digits returns the path of a digits file.
func digits(name string) string { return "testdata/digits/" + name + "-ubyte.gz" }

// The report of a fit of 1,000 digits has the documented keys with plausible figures.
func testReport(t *testing.T) {
	must(t, "-q", "fit", digits("test-images-idx3"), "--label-file", digits("test-labels-idx1"), "-o", "m.unfold", "--report", "report.json")
	data, err := os.ReadFile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	decode(t, string(data), &keys)
	for _, k := range strings.Fields(`n dim dims level neighbors edges components landmarks pairs loglik_initial loglik search search_recall iterations seconds
		cpu_seconds peak_rss_bytes predicted_bytes loo1 loo9 trustworthiness continuity seed version`) {
		if keys[k] == nil {
			t.Errorf("the report lacks %s", k)
		}
	}
	var seconds map[string]float64
	decode(t, string(keys["seconds"]), &seconds)
	for _, k := range strings.Fields("read pca knn graph coarse spectral em index write total") {
		if _, ok := seconds[k]; !ok {
			t.Errorf("the report lacks seconds.%s", k)
		}
	}
	var r report
	decode(t, string(data), &r)
	if r.N != 1000 || r.Dim != 784 || r.Dims != 2 || r.Level != 0 || r.Neighbors != 8 || r.Edges != 8000 || r.Iterations != 200 || r.Seed != 1 {
		t.Errorf("report: %+v", r)
	}
	if r.LOO9 == nil || r.Trustworthiness == nil {
		t.Fatalf("report: %+v", r)
	}
	if !(r.Loglik > r.LoglikInitial) || *r.LOO9 < 0.84 || *r.Trustworthiness < 0.95 {
		t.Errorf("report: the likelihood went from %v to %v, accuracy is %v, trustworthiness %v", r.LoglikInitial, r.Loglik, *r.LOO9, *r.Trustworthiness)
	}
	if left, err := filepath.Glob(".unfold-*"); err != nil || len(left) > 0 {
		t.Errorf("rows that waited for the report stay in %v, %v", left, err)
	}
	if p, q := float64(r.PredictedBytes), float64(r.PeakRSSBytes); q > 0 && p > 4*q {
		t.Errorf("predicted %v bytes, used %v", p, q)
	}
}

// Other formats, another order of files, and standard input and output give the same places, to the
// bit.
func testSamePlaces(t *testing.T) {
	want := readPlaces(t, "out/places.parquet")
	must(t, "-q", "embed", digits("test-images-idx3"), "-m", "out/digits.unfold", "-o", "again.arrow", "--threads", "1")
	if got := readPlaces(t, "again.arrow"); !slices.Equal(got.Embedding.Data, want.Embedding.Data) || !slices.Equal(got.Sigma, want.Sigma) {
		t.Error("another format and number of threads give other places")
	}
	code, stream, stderr := run(t, "-q", "embed", digits("train-images-idx3"), digits("test-images-idx3"), "-m", "out/digits.unfold", "-o", "-")
	if code != 0 {
		t.Fatal(stderr)
	}
	write(t, "piped.arrows", stream)
	got := readPlaces(t, "piped.arrows")
	if n := len(got.Embedding.Data); n != 8000 || !slices.Equal(got.Embedding.Data[6000:], want.Embedding.Data) {
		t.Errorf("behind other rows, %d values: other places", n)
	}
}

// Rows of the model get the places of the map.
func testOwnRows(t *testing.T) {
	must(t, "-q", "embed", digits("train-images-idx3"), "-m", "out/digits.unfold", "-o", "own.parquet")
	want, got := readPlaces(t, "out/digits.parquet"), readPlaces(t, "own.parquet")
	if !slices.Equal(got.Embedding.Data, want.Embedding.Data) || !slices.Equal(got.NoveltyGlobal, want.NoveltyGlobal) {
		t.Error("the rows that were learnt from are placed elsewhere than on the map")
	}
}

// The summary counts the edges that join components of the neighbour graph, and the report names
// their rows. A connected graph has no such line.
func TestBridgesAreNamed(t *testing.T) {
	t.Chdir(workspace(t))
	fit := []string{"-q", "fit", "small.csv", "--columns", "x,y,z", "--keep", "group", "--neighbors", "4", "--steps", "20", "-o", "m.unfold", "--report", "report.json"}
	out := must(t, append(fit, "--tails", "gaussian")...)
	var r report
	data, err := os.ReadFile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	decode(t, string(data), &r)
	if r.Components < 2 || len(r.Bridges) != r.Components-1 || r.Bridges[0].Row == r.Bridges[0].Other || r.Bridges[0].Distance <= 0 {
		t.Errorf("%d parts are joined by %v", r.Components, r.Bridges)
	}
	if want := joins(len(r.Bridges)) + " otherwise separate parts"; !strings.Contains(out, want) {
		t.Errorf("the summary lacks %q: %s", want, out)
	}
	var described modelReport
	decode(t, must(t, "inspect", "m.unfold", "--json"), &described)
	if len(described.Bridges) != len(r.Bridges) {
		t.Fatalf("the model has the edges %v, the report %v", described.Bridges, r.Bridges)
	}
	for i, b := range described.Bridges { // no rows are equal, so points are rows
		if want := r.Bridges[i]; b.Point != want.Row || b.Other != want.Other || b.Distance != want.Distance {
			t.Errorf("edge %d of the model is %v, of the report %v", i, b, want)
		}
	}
	if text := must(t, "inspect", "m.unfold"); !strings.Contains(text, fmt.Sprintf("%s otherwise separate parts: points %d and %d", joins(len(r.Bridges)), r.Bridges[0].Row, r.Bridges[0].Other)) {
		t.Errorf("inspect does not name the edges: %s", text)
	}
	if out = must(t, fit...); strings.Contains(out, "otherwise separate") {
		t.Errorf("nothing joins the parts of this map: %s", out)
	}
}

// With components: largest, rows outside are placed and marked.
func TestUnlearntRowsAreFlagged(t *testing.T) {
	t.Chdir(workspace(t))
	out := must(t, "-q", "fit", "small.csv", "--columns", "x,y,z", "--keep", "group", "--neighbors", "4", "--tails", "gaussian", "--components", "largest",
		"-o", "m.unfold", "--map", "map.parquet", "--steps", "20")
	if !strings.Contains(out, "were placed, not learnt") {
		t.Errorf("nothing is said of rows that were not learnt: %s", out)
	}
	m := readPlaces(t, "map.parquet")
	c, err := m.Column(UnlearntName)
	if err != nil {
		t.Fatal(err)
	}
	flagged := 0
	for i := range c.Len() {
		if yes, _ := strconv.ParseBool(c.Text(i)); yes {
			flagged++
		}
	}
	if flagged == 0 || flagged == m.Len() {
		t.Errorf("%d of %d rows are flagged", flagged, m.Len())
	}
}

// Maps of any dimension work with every command on files.
func TestEveryDimension(t *testing.T) {
	tier.Full(t, "it learns many maps")
	t.Chdir(workspace(t))
	for _, d := range []string{"1", "2", "3", "10"} {
		for _, tails := range []string{"student", "gaussian"} {
			must(t, "-q", "fit", "small.csv", "--columns", "x,y,z", "--label", "group", "--tails", tails, "--dims", d,
				"-o", "m.unfold", "--map", "map.parquet", "--report", "r.json", "--neighbors", "5", "--steps", "20")
			must(t, "-q", "embed", "small.csv", "-m", "m.unfold", "-o", "again.parquet")
			learnt, placed := readPlaces(t, "map.parquet"), readPlaces(t, "again.parquet")
			if !slices.Equal(learnt.Embedding.Data, placed.Embedding.Data) || !slices.Equal(learnt.Sigma, placed.Sigma) ||
				strconv.Itoa(learnt.Embedding.Cols) != d {
				t.Errorf("%s tails, d = %s: rows that were learnt are placed elsewhere", tails, d)
			}
			must(t, "-q", "score", "map.parquet", "--json")
			text := must(t, "-q", "inspect", "m.unfold")
			for _, want := range []string{d + " dimensions", "tails", tails} {
				if !strings.Contains(text, want) {
					t.Errorf("%s tails, d = %s: inspect lacks %q: %s", tails, d, want, text)
				}
			}
			code, stdout, stderr := run(t, "-q", "plot", "map.parquet", "-o", "map.png")
			switch want := map[string]string{"1": "a picture needs two", "2": "points", "3": "principal components of 3", "10": "principal components of 10"}[d]; {
			case (code == 0) != (d != "1") || !strings.Contains(stdout+stderr, want):
				t.Errorf("%s tails, d = %s: plot exits with %d: %s%s", tails, d, code, stdout, stderr)
			}
		}
	}
	if text := must(t, "-q", "plot", "map.parquet", "-o", "map.png", "--axes", "9,1"); !strings.Contains(text, "dimensions 9 and 1 of 10") {
		t.Errorf("plot of chosen axes: %s", text)
	}
}

func readPlaces(t *testing.T, path string) *emit.Map {
	t.Helper()
	m, err := ingest.ReadMap(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func decode(t *testing.T, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
