package main

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/internal/testkit/tier"
)

// The program under test starts itself to measure processes: see harness.Process.
func TestMain(m *testing.M) {
	if code, ok := harness.ProcessMain(os.Args[1:], os.Stderr); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// program builds the program under test.
func program(t *testing.T) string {
	t.Helper()
	tier.Full(t, "it runs a whole measurement on small data")
	product, err := harness.Product(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "unfold")
	if text, err := exec.CommandContext(t.Context(), "go", "build", "-C", product, "-o", path, "./cmd/unfold").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return path
}

// TestSmall makes a page, tables of tried settings and quick figures on toy data, and uses results
// again.
func TestSmall(t *testing.T) {
	unfold, dir := program(t), t.TempDir()
	only := []string{mnistName, "mammoth"}
	small := func(more ...string) (stdout, stderr string) {
		t.Helper()
		args := append([]string{"-small", "-skip-peers", "-unfold", unfold, "-out", dir}, more...)
		var out, log bytes.Buffer
		if code := run(t.Context(), args, &out, &log); code != 0 {
			t.Fatalf("%q: exit code %d\n%s", more, code, &log)
		}
		return out.String(), log.String()
	}
	small("-only", strings.Join(append(only, partSplit, partDims, partSeeds, partCost), ","), "-before", unfold)
	page, err := harness.ReadPage(filepath.Join(dir, "small", "quality.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"### MNIST", "### Mammoth", "R_NX", "| placed, d = 10, unfold |", "| d = 3 |", "seed 3 |",
		"| " + harness.ToyData + " |", "](quality/mammoth-unfold.png)", "*standard error, at most*"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, no := range []string{"NaN", "Inf", "%!", harness.Missed, "| " + harness.Met + " |"} {
		if strings.Contains(string(page), no) {
			t.Errorf("the page has %q", no)
		}
	}
	checkResults(t, dir, only)
	if t.Failed() {
		t.Logf("%s", page)
	}
	if _, log := small("-keep", "-only", "mammoth"); strings.Contains(log, "mammoth/") {
		t.Errorf("a kept map is made again:\n%s", log)
	}
	table, log := small("-only", "swissroll,mammoth", "-fit", "--neighbors 9", "-try", "wide=--neighbors 15")
	if n := strings.Count(log, "/try-"); n != 4 || strings.Contains(log, "/unfold") {
		t.Errorf("%d maps are tried:\n%s", n, log)
	}
	for _, want := range []string{"--neighbors 9", "wide", "unfold, earlier", "true distances", "R_NX"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table lacks %q:\n%s", want, table)
		}
	}
	if able, err := (&bench{unfold: unfold}).able(t.Context(), method{needs: "--no-such-flag"}); able || err != nil {
		t.Errorf("a program has what it has not: %v", err)
	}
	if table, log = small("-quick", "-only", "oil"); strings.Count(table, "\n") != 2 || !strings.Contains(table, "unfold") || strings.Contains(log, "thorough") {
		t.Errorf("quick figures:\n%s\n%s", table, log)
	}
}

// checkResults checks that every map of the sets was made with all seeds and scored, and that the
// map of the first seed was drawn.
func checkResults(t *testing.T, dir string, sets []string) {
	t.Helper()
	for _, set := range sets {
		for _, m := range []string{byDefault, byFifty, thorough, gaussian} {
			if m == byFifty && set != mnistName {
				continue // of few columns
			}
			for seed := 1; seed <= seedCount; seed++ {
				name := strings.ReplaceAll(mapName(set, m, seed), "/", "-")
				text, err := os.ReadFile(filepath.Join(dir, "small", "results", name+".json"))
				if err != nil {
					t.Fatal(err)
				}
				var r result
				if err := json.Unmarshal(text, &r); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				for _, f := range structure() {
					if v, ok := r.Figures[f.key]; !ok || !(v >= -1 && v <= 1) {
						t.Errorf("%s: %s is %g, %v", name, f.title, v, ok)
					}
				}
			}
		}
		f, err := os.Open(filepath.Join(dir, "small", "quality", set+"-"+byDefault+".png"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := png.Decode(f); err != nil {
			t.Errorf("the picture of %s: %v", set, err)
		}
	}
}
