package cli

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"unfold/models/points"
	"unfold/models/snapshot"
)

// atLabels changes to a folder with learn.csv and other.csv, rows of two overlapping classes, a
// third of them without label. bare.csv is other.csv without the label column.
func atLabels(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(3, 1))
	table := func(n int) (whole, bare string) {
		whole, bare = "u,v,w,kind\n", "u,v,w\n"
		for i := range n {
			row := make([]string, 3)
			for c := range row {
				row[c] = fmt.Sprintf("%.4f", r.NormFloat64()+float64(i%2))
			}
			kind := ""
			if i%3 > 0 {
				kind = []string{"even", "odd"}[i%2]
			}
			whole += strings.Join(append(row, kind), ",") + "\n"
			bare += strings.Join(row, ",") + "\n"
		}
		return whole, bare
	}
	learn, _ := table(240)
	other, bare := table(60)
	write(t, "learn.csv", learn)
	write(t, "other.csv", other)
	write(t, "bare.csv", bare)
}

// placesIn reads the places of a CSV map, without its other columns.
func placesIn(t *testing.T, file string) (places []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		var at []string
		for c, name := range rows[0] {
			if name != "kind" {
				at = append(at, row[c])
			}
		}
		places = append(places, strings.Join(at, ","))
	}
	return places
}

// labelsKept returns the number of labelled points of a model and of all its points. Both are 0 if
// it stores no labels.
func labelsKept(t *testing.T, s *snapshot.Snapshot) (labelled, all int) {
	t.Helper()
	label, err := points.LabelsOf(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range label {
		if l != "" {
			labelled++
		}
	}
	return labelled, len(label)
}

// Labels shape a map, which stores them. Places of other rows do not depend on their labels.
func TestSuperviseShapesTheMapAlone(t *testing.T) {
	atLabels(t)
	fit := []string{"-q", "fit", "learn.csv", "--columns", "u,v,w", "--steps", "30", "-o"}
	must(t, append(fit, "plain.unfold", "--label", "kind")...)
	must(t, append(fit, "by.unfold", "--supervise", "kind")...)
	must(t, append(fit, "same.unfold", "--label", "kind", "--supervision", "0.9")...)
	must(t, append(fit, "more.unfold", "--supervise", "kind", "--supervision", "1")...)
	mu := map[string]*snapshot.Snapshot{}
	for _, name := range []string{"plain", "by", "same", "more"} {
		s, err := snapshot.ReadFile(name + ".unfold")
		if err != nil {
			t.Fatal(err)
		}
		mu[name] = s
	}
	equal := func(a, b string) bool { return fmt.Sprint(mu[a].Mu.Data) == fmt.Sprint(mu[b].Mu.Data) }
	if equal("by", "plain") || !equal("by", "same") || equal("by", "more") {
		t.Error("places do not follow the share of labels in learning")
	}
	for name, want := range map[string]int{"plain": 0, "by": 160} {
		if got, _ := labelsKept(t, mu[name]); got != want {
			t.Errorf("%s keeps %d labels, want %d", name, got, want)
		}
	}
	places := map[string][]string{}
	for _, file := range []string{"other", "bare"} {
		must(t, "-q", "embed", file+".csv", "-m", "more.unfold", "-o", file+"-map.csv")
		places[file] = placesIn(t, file+"-map.csv")
	}
	if len(places["other"]) != 61 || fmt.Sprint(places["other"]) != fmt.Sprint(places["bare"]) {
		t.Error("rows are placed by their labels")
	}
	bare, err := os.ReadFile("bare.csv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "one.csv", strings.Replace(strings.ReplaceAll(string(bare), "\n", ",x\n"), ",x", ",kind", 1))
	code, _, stderr := run(t, "fit", "one.csv", "--columns", "u,v,w", "--steps", "5", "--supervise", "kind", "-o", "one.unfold")
	if want := "rows have 1 label: the map is the same without"; code != exitDone || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, want a note that %s: %s", code, want, stderr)
	}
	if text := must(t, "inspect", "more.unfold"); !strings.Contains(text, "supervision") {
		t.Errorf("inspect does not say that labels took part:\n%s", text)
	}
}

// update learns with the labels of added rows, and accepts rows without labels.
func TestUpdateTakesLabels(t *testing.T) {
	atLabels(t)
	must(t, "-q", "fit", "learn.csv", "--columns", "u,v,w", "--steps", "30", "--supervise", "kind", "--supervision", "1", "-o", "m.unfold")
	for file, want := range map[string]int{"other.csv": 160 + 40, "bare.csv": 160} {
		must(t, "-q", "update", "m.unfold", file, "-o", "n.unfold")
		must(t, "-q", "update", "n.unfold", "bare.csv", "-o", "n.unfold") // rows that are in the map already
		s, err := snapshot.ReadFile("n.unfold")
		if err != nil {
			t.Fatal(err)
		}
		got, all := labelsKept(t, s)
		if all != 300 || got != want {
			t.Errorf("%s: %d of %d points have labels, want %d of 300", file, got, all, want)
		}
	}
}

// Settings that conflict with supervision are rejected.
func TestSuperviseThatDoesNotFit(t *testing.T) {
	atLabels(t)
	for _, c := range []struct {
		name  string
		flags []string
		code  int
		want  string
	}{
		{"no labels", []string{"--supervision", "0.5"}, exitUsage, "name the labels by --supervise, --label or --label-file"},
		{"two columns", []string{"--supervise", "kind", "--label", "u"}, exitUsage, "keep one of them"},
		{"another kind", []string{"--supervise", "kind", "--kind", "lllvm"}, exitUsage, "it goes with kind lvm, not with lllvm"},
		{"gaussian tails", []string{"--supervise", "kind", "--tails", "gaussian"}, exitUsage, "belongs to heavy tails"},
		{"too much", []string{"--supervise", "kind", "--supervision", "1.5"}, exitUsage, "1.5 is not in 0 to 1"},
		{"no such column", []string{"--supervise", "sort"}, exitBadInput, "sort"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := run(t, append([]string{"fit", "learn.csv", "--columns", "u,v,w", "-o", "m.unfold"}, c.flags...)...)
			if code != c.code || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d, want %d with %q: %s", code, c.code, c.want, stderr)
			}
		})
	}
}
