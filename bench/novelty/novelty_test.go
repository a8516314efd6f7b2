package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/internal/testkit/tier"
)

// The command runs on the bundled sample, and its page has the figures of every kind.
func TestSmall(t *testing.T) {
	tier.Full(t, "it learns nine maps")
	page := filepath.Join(t.TempDir(), "novelty.md")
	var log strings.Builder
	if code := run(context.Background(), []string{"-small", "-o", page}, &log); code != 0 {
		t.Fatal(code, log.String())
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kinds {
		if !strings.Contains(string(text), "| 38 | 300 | "+k.name+" | ") || strings.Contains(string(text), "NaN") {
			t.Errorf("the page lacks kind %s, or has figures that are no numbers:\n%s", k.name, text)
		}
	}
}

// Folds hide other classes each time, and no row is in two lots of one.
func TestFolds(t *testing.T) {
	r := &rows{}
	for i := range 90 {
		r.values, r.class = append(r.values, []float32{float32(i % 80)}), append(r.class, string(rune('a'+i%9)))
	}
	for f, fold := range r.folds(set{}, 30, 20) {
		if fold.learnt.Rows != 30 || fold.unseen.Rows != 20 || fold.seen.Rows > 30 {
			t.Errorf("fold %d has lots of %d, %d and %d rows", f, fold.learnt.Rows, fold.seen.Rows, fold.unseen.Rows)
		}
		all := slices.Concat(fold.learnt.Data, fold.seen.Data, fold.unseen.Data)
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("fold %d has a row twice", f)
		}
	}
}
