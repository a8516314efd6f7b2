package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/internal/testkit/tier"
)

// The command runs on toy data, and the page contains its output.
func TestSmall(t *testing.T) {
	tier.Full(t, "it runs a whole measurement on small data")
	page := filepath.Join(t.TempDir(), "ep.md")
	var log strings.Builder
	if code := run(context.Background(), []string{"-small", "-out", t.TempDir(), "-o", page}, &log); code != 0 {
		t.Fatal(code, log.String())
	}
	text, err := harness.ReadPage(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"### Toy", "| 1% | ", "| 100% | ", "| unfold | ", "| certain places | ", "| 9-NN, input | ", "| predictions | ", "ep/reliability-1.svg"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(text), "NaN") {
		t.Error("the page has figures that are no numbers")
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(page), "ep", "reliability-1.svg")); err != nil {
		t.Error(err)
	}
	if code := run(context.Background(), []string{"-data", t.TempDir(), "-out", t.TempDir(), "-o", page}, &log); code != 1 {
		t.Errorf("without data: %d", code)
	}
}

// The page about labels in learning contains its results, on toy data.
func TestSupervisionSmall(t *testing.T) {
	tier.Full(t, "it runs a whole measurement on small data")
	page := filepath.Join(t.TempDir(), "supervision.md")
	var log strings.Builder
	if code := run(context.Background(), []string{"-supervision", "-small", "-out", t.TempDir(), "-o", page}, &log); code != 0 {
		t.Fatal(code, log.String())
	}
	text, err := harness.ReadPage(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Toy", "| `--supervision 0` | ", "| `--supervision 1` | ", "| `--supervision 0.9`, shuffled | ", "of 1 sets"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(text), "NaN") || strings.Contains(string(text), "umap-learn 0") {
		t.Error("the page has figures that are no numbers, or peers that were not measured")
	}
}
