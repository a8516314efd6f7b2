package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/bench/internal/harness"

	"unfold/internal/testkit/tier"
)

// The command runs on the bundled sample, and the page contains its output.
func TestSmall(t *testing.T) {
	tier.Full(t, "it runs a whole measurement on small data")
	dir := t.TempDir()
	page := filepath.Join(dir, "reasons.md")
	var log strings.Builder
	if code := run(context.Background(), []string{"-small", "-out", dir, "-o", page}, &log); code != 0 {
		t.Fatal(code, log.String())
	}
	text, err := harness.ReadPage(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## The bundled sample", "| unfold | ", "| unfold, after components | ", "| teardrop | datagrams", "| toy data |"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "NaN") {
		t.Errorf("the page has figures that are no numbers:\n%s", text)
	}
	if code := run(context.Background(), []string{"-data", t.TempDir(), "-skip-peers", "-out", t.TempDir(), "-o", page}, &log); code != 1 {
		t.Errorf("without data: %d", code)
	}
}

// Descriptions of attacks use existing columns, each once.
func TestAttacks(t *testing.T) {
	names, err := columnNames()
	if err != nil || len(names) != features || names[0] != "duration" {
		t.Fatal(names, err)
	}
	for _, a := range attacks {
		seen := map[string]bool{}
		for _, c := range a.columns {
			if !slices.Contains(names, c) || seen[c] {
				t.Errorf("%s has the column %q, which is none or comes twice", a.name, c)
			}
			seen[c] = true
		}
	}
}

func TestPrecision(t *testing.T) {
	of := map[string]bool{"a": true, "b": true}
	for _, c := range []struct {
		name    string
		columns string
		first   int
		want    float64
	}{
		{"both", "a b c", 3, 1},
		{"one of two", "a c d", 3, 0.5},
		{"the first", "c a", 1, 0},
		{"none", "", 3, 0},
	} {
		if got := precision(strings.Fields(c.columns), of, c.first); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
