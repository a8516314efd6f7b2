package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"unfold/ingest"
)

// blobs writes rows around three centres as CSV, every third with its label. It returns the labels
// of all rows.
func blobs(t *testing.T, path string, rows int, seed uint64) (truth []string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 6))
	var b strings.Builder
	b.WriteString("a,b,c,kind\n")
	for i := range rows {
		c, label := rnd.IntN(3), ""
		truth = append(truth, []string{"low", "high", "odd"}[c])
		if i%3 == 0 {
			label = truth[i]
		}
		fmt.Fprintf(&b, "%g,%g,%g,%s\n", rnd.NormFloat64()+float64(9*c), rnd.NormFloat64()-float64(9*(c%2)), rnd.NormFloat64(), label)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return truth
}

// A model learnt with labels predicts the classes of unlabelled rows.
func TestClassify(t *testing.T) {
	t.Chdir(t.TempDir())
	known, others := blobs(t, "train.csv", 240, 1), blobs(t, "test.csv", 90, 2)
	must(t, "-q", "fit", "train.csv", "--columns", "a,b,c", "--label", "kind", "--classify", "-o", "m.unfold", "--map", "train.parquet")
	must(t, "-q", "embed", "test.csv", "-m", "m.unfold", "-o", "test.parquet")
	for path, truth := range map[string][]string{"train.parquet": known, "test.parquet": others} {
		d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{Vector: "embedding", Selection: ingest.Selection{Keep: []string{"class_probability"}, Label: "class"}}})
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for i, c := range d.Label {
			p, ok := d.Kept[0].Float(i)
			if !ok || !(p > 1./3 && p <= 1) {
				t.Fatalf("%s: class %q with probability %v", path, c, p)
			}
			if c == truth[i] {
				right++
			}
		}
		if len(d.Label) != len(truth) || right < len(truth)*9/10 {
			t.Errorf("%s: %d of %d classes are right, of %d", path, right, len(d.Label), len(truth))
		}
	}
	if got := must(t, "inspect", "m.unfold"); !strings.Contains(got, "3 told apart: high, low, odd") {
		t.Errorf("inspect says\n%s", got)
	}
}

// With --class-probabilities the outputs have the probabilities of all classes and the uncertainty.
// Files, lines and fit agree.
func TestClassProbabilities(t *testing.T) {
	t.Chdir(t.TempDir())
	blobs(t, "train.csv", 240, 1)
	const between = "a,b,c\n4.5,-4.5,0\n0,0,0\n"
	if err := os.WriteFile("two.csv", []byte(between), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, words("-q fit train.csv --columns a,b,c --label kind --classify --class-probabilities -o m.unfold --map train.jsonl")...)
	must(t, words("-q embed two.csv -m m.unfold -o two.jsonl --class-probabilities")...)
	must(t, words("-q embed two.csv -m m.unfold -o two.arrow --class-probabilities")...)
	must(t, words("-q embed two.csv -m m.unfold -o two.parquet --class-probabilities")...)
	type place struct {
		Class         string             `json:"class"`
		Probability   float32            `json:"class_probability"`
		Probabilities map[string]float64 `json:"class_probabilities"`
		Entropy       float64            `json:"class_entropy"`
	}
	read := func(name string) (all []place) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var p place
			if err := json.Unmarshal([]byte(line), &p); err != nil {
				t.Fatal(err)
			}
			sum, entropy := 0.0, 0.0
			for _, v := range p.Probabilities {
				sum, entropy = sum+v, entropy-v*math.Log(v)
			}
			if len(p.Probabilities) != 3 || math.Abs(sum-1) > 1e-5 || math.Abs(entropy-p.Entropy) > 1e-4 || float32(p.Probabilities[p.Class]) != p.Probability {
				t.Fatalf("%s: %+v", name, p)
			}
			all = append(all, p)
		}
		return all
	}
	if all := read("train.jsonl"); len(all) != 240 {
		t.Errorf("%d rows of the map have classes", len(all))
	}
	two := read("two.jsonl")
	if two[1].Class != "low" || !(two[0].Entropy > 2*two[1].Entropy) {
		t.Errorf("between two groups and in the midst of one: %+v", two)
	}
	// The probabilities are read back, and the same from Arrow and Parquet.
	var texts []string
	for _, name := range []string{"two.arrow", "two.parquet"} {
		if got := must(t, "inspect", name); !strings.Contains(got, "class_probabilities") || !strings.Contains(got, "class_entropy") || strings.Contains(got, "not read") {
			t.Errorf("inspect says\n%s", got)
		}
		m, err := ingest.ReadMap(t.Context(), name, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := m.Column("class_probabilities")
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, c.Text(0)+c.Text(1))
		must(t, "plot", name, "--color", "class_probabilities", "-o", "two.png")
		must(t, "export", name, "-o", "two.html")
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "low") {
		t.Errorf("probabilities of Arrow and Parquet: %q", texts)
	}
	// The page of the model lists its least certain points.
	hub, err := (&shownFlags{Map: "m.unfold"}).hub(t.Context(), &program{})
	if err != nil {
		t.Fatal(err)
	}
	if points := hub.Uncertain(3); len(points) != 3 || points[0].Entropy < points[2].Entropy || points[0].Classes[0].Class == "" {
		t.Errorf("least certain points of the model: %+v", points)
	}
	// The columns of classes follow the variance, which no map has constant.
	names := ""
	for _, c := range hub.Columns() {
		names += c.Name + " "
	}
	if names != "variance class class_probability class_entropy " {
		t.Errorf("the model's columns are %q", names)
	}
	blobs(t, "plain.csv", 100, 1)
	must(t, words("-q fit plain.csv --columns a,b,c -o plain.unfold")...)
	for args, want := range map[string]string{
		"embed two.csv -m plain.unfold -o x.csv --class-probabilities":                 "predicts no classes",
		"fit train.csv --columns a,b,c --label kind --class-probabilities -o x.unfold": "add --classify",
	} {
		if code, _, out := run(t, words("-q "+args)...); code != 2 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, says %q, not %q", args, code, out, want)
		}
	}
}

// --classify needs labels, and rejects a label column whose values all differ.
func TestClassifyRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	blobs(t, "train.csv", 240, 1)
	for _, c := range []struct {
		code       int
		want, args string
	}{
		{2, "--classify: name the labels", "--columns a,b"},
		{3, "there are 240 classes among the labels", "--columns b,c --label a"},
	} {
		code, _, out := run(t, words("-q fit train.csv -o m.unfold --classify "+c.args)...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit %d, says %q, not %q", c.args, code, out, c.want)
		}
		if _, err := os.Stat("m.unfold"); err == nil {
			t.Error("a model is left")
		}
	}
}
