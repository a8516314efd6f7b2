package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/internal/testkit/tier"
)

// TestSmall measures everything with few rows. Every case must have all its figures, and the page
// is made from them. IVF is skipped, since it needs more rows.
func TestSmall(t *testing.T) {
	tier.Full(t, "it runs a whole measurement on small data")
	dir := t.TempDir()
	var log strings.Builder
	args := []string{"-small", "-rounds", "1", "-data", "", "-out", dir, "-o", filepath.Join(dir, "page.md")}
	if code := run(context.Background(), args, &log); code != 0 {
		t.Fatalf("exit code %d\n%s", code, log.String())
	}
	text, err := harness.ReadPage(filepath.Join(dir, "page.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts() {
		for _, method := range p.methods {
			if method != byCells && !strings.Contains(string(text), method) {
				t.Errorf("the page does not name %q", method)
			}
		}
	}
	// The page is written again without measuring.
	if code := run(context.Background(), append(args, "-page"), &log); code != 0 {
		t.Fatalf("-page: exit code %d\n%s", code, log.String())
	}
	again, err := harness.ReadPage(filepath.Join(dir, "page.md"))
	if err != nil || string(again) != string(text) {
		t.Errorf("the page written again is another one (%v)", err)
	}
}

func TestTimes(t *testing.T) {
	r := &results{Lines: []line{
		{Part: "graph", Data: digits, N: 10, Dim: 2, Method: "a", Figures: map[string]float64{"cpu": 3}},
		{Part: "graph", Data: digits, N: 10, Dim: 2, Method: "b", Figures: map[string]float64{"cpu": 2, "recall": .5}},
	}}
	if got, err := r.times("graph", digits, 10, 2, "a", "b", "cpu"); got != "1.5" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := r.share("graph", digits, 10, 2, "b", "recall"); got != "50.00%" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, c := range [][2]string{{"a", "c"}, {"c", "a"}} {
		if _, err := r.times("graph", digits, 10, 2, c[0], c[1], "cpu"); err == nil {
			t.Errorf("%v: what was not measured has a ratio", c)
		}
	}
	if _, err := r.table("index"); err == nil {
		t.Error("a part without lines has a table")
	}
}

// Recall of a list counts places no farther than the true last neighbour.
func TestShare(t *testing.T) {
	lists := [][]float64{{1, 2}, {1, 4}}
	if got := (truth{2, 3}).share(func(i int) []float64 { return lists[i] }); got != .75 {
		t.Errorf("%v, want 0.75", got)
	}
}
