package cli

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/fit"
	"unfold/models/snapshot"
)

// someDigits writes the first rows of a part of MNIST as CSV, with their digits.
func someDigits(t *testing.T, home, cut, path string, rows int) *ingest.Dataset {
	t.Helper()
	at := func(kind string) string {
		return filepath.Join(home, "testdata", "digits", cut+kind+"-ubyte.gz")
	}
	d, err := ingest.ReadAll(t.Context(), []string{at("-images-idx3")}, ingest.ReadOptions{LabelFiles: []string{at("-labels-idx1")}})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for c := range d.X.Cols {
		fmt.Fprintf(&b, "p%d,", c)
	}
	b.WriteString("digit\n")
	for i := range rows {
		for _, v := range d.X.Row(i) {
			fmt.Fprintf(&b, "%g,", v)
		}
		b.WriteString(d.Label[i] + "\n")
	}
	write(t, path, b.String())
	d.X, d.Label = d.X.Slice(0, rows), d.Label[:rows]
	return d
}

// fit --kind gplvm --supervise learns vectors and labels together, as the library does. The model
// predicts the digits of other rows far better than chance, also in log probability.
func TestFitSharesOneSpace(t *testing.T) {
	home, err := filepath.Abs(repository)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	learn := someDigits(t, home, "train", "learn.csv", 100)
	other := someDigits(t, home, "test", "other.csv", 100)
	must(t, words("-q fit learn.csv --columns p* --kind gplvm --supervise digit --steps 20 -o m.unfold --map learn.jsonl --report r.json --class-probabilities")...)
	must(t, words("-q embed other.csv -m m.unfold -o other.jsonl --class-probabilities")...)
	must(t, words("-q embed other.csv -m m.unfold -o again.jsonl --class-probabilities --threads 1")...)

	spec := fit.Spec{Kind: fit.GPLVM, Common: models.Common{Labels: learn.Label, Steps: 20, Seed: 1}, GPLVM: gplvm.Options{Supervision: 1}}
	want, _, err := fit.Fit(t.Context(), learn.X, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := snapshot.ReadFile("m.unfold")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Mu.Data, want.Mu.Data) || !slices.Equal(got.Sigma2, want.Sigma2) {
		t.Error("the library learns another map")
	}

	text, err := os.ReadFile("other.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile("again.jsonl"); err != nil || string(again) != string(text) {
		t.Errorf("another number of threads places otherwise, %v", err)
	}
	right, loglik := 0, 0.0
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var p struct {
			Class string             `json:"class"`
			All   map[string]float64 `json:"class_probabilities"`
		}
		if err := json.Unmarshal([]byte(line), &p); err != nil || len(p.All) != 10 {
			t.Fatal(err, line)
		}
		if p.Class == other.Label[i] {
			right++
		}
		loglik += math.Log(p.All[other.Label[i]]) / 100
	}
	if right < 40 || loglik < math.Log(.1)+.4 {
		t.Errorf("%d of 100 digits are right, mean log probability %.3f; chance is 10 and %.3f", right, loglik, math.Log(.1))
	}
	if out := must(t, "inspect", "m.unfold"); !strings.Contains(out, "100 of the reference points, 100 of them with a label") || !strings.Contains(out, "10 told apart") || !strings.Contains(out, "one of vectors and labels") {
		t.Errorf("inspect says\n%s", out)
	}
	if mapped, err := os.ReadFile("learn.jsonl"); err != nil || strings.Count(string(mapped), `"class_probabilities":{"`) != 100 {
		t.Errorf("rows of the map lack classes, %v", err)
	}
	if raw, err := os.ReadFile("r.json"); err != nil || !strings.Contains(string(raw), `"inducing": 30`) {
		t.Errorf("the report is %s, %v", raw, err)
	}
}

// fit --kind gplvm --supervise learns rows with missing values by the others, and reports that the
// model fills them in. embed places the same rows where the fit did, and predicts their classes.
func TestFitSharesOneSpaceOfHoles(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("id,u,v,w,kind\n")
	for i := range 60 {
		side := float64(2*(i%2) - 1)
		cells := []string{fmt.Sprint(side + .1*math.Sin(float64(i))), fmt.Sprint(2*side + .2*math.Cos(float64(3*i))), fmt.Sprint(.1*math.Sin(float64(5*i)) - side)}
		if i%4 < 2 {
			cells[i%3] = ""
		}
		fmt.Fprintf(&b, "%d,%s,%s\n", i, strings.Join(cells, ","), []string{"low", "high"}[i%2])
	}
	write(t, "holes.csv", b.String())
	code, _, errs := run(t, words("-q fit holes.csv --columns u,v,w --id id --kind gplvm --supervise kind --steps 10 -o m.unfold --map a.csv --report r.json")...)
	if code != 0 || !strings.Contains(errs, "missing values are filled in by the model, which learns from the others: u (10 rows)") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	must(t, words("-q embed holes.csv -m m.unfold -o b.csv")...)
	if fitted, placed := cells(t, "a.csv", 9), cells(t, "b.csv", 9); fitted != placed {
		t.Errorf("embed does not place rows where fit did:\n%s\n%s", fitted, placed)
	}
	text, err := os.ReadFile("b.csv")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		if !strings.Contains(line, ","+[]string{"low", "high"}[i%2]+",") {
			t.Errorf("row %d: %s", i, line)
		}
	}
	if raw, err := os.ReadFile("r.json"); err != nil || !strings.Contains(string(raw), `"filled": 30`) {
		t.Errorf("the report is %s, %v", raw, err)
	}
	if out := must(t, "inspect", "m.unfold"); !strings.Contains(out, "30 values of those that are learnt, filled in") {
		t.Errorf("inspect prints\n%s", out)
	}
}

// Settings that conflict with one latent space for both are rejected.
func TestFitSharesOneSpaceRefuses(t *testing.T) {
	atLabels(t)
	for args, want := range map[string]string{
		"--kind gplvm --supervise kind --restarts 2": "--restarts: it does not go with supervision of kind gplvm",
		"--kind gplvm --supervision 1":               "name the labels by --supervise",
		"--kind lllvm --supervise kind":              "supervision",
	} {
		if code, _, out := run(t, words("-q fit learn.csv --columns u,v,w -o x.unfold "+args)...); code != exitUsage || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, says %q, not %q", args, code, out, want)
		}
	}
	write(t, "one.csv", "u,v,w,kind\n1,2,3,a\n2,3,1,a\n3,1,2,a\n4,4,1,\n5,1,1,a\n2,2,9,a\n")
	if code, _, out := run(t, words("-q fit one.csv --columns u,v,w -o x.unfold --kind gplvm --supervise kind")...); code != exitBadInput || !strings.Contains(out, "labels of 1 classes") {
		t.Errorf("one class: exit %d, says %q", code, out)
	}
}
