package main

import (
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/stream/chaos/results"
)

// TestRun: the page is written from a folder of results. An empty folder gives no page.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	var said strings.Builder
	if code := run([]string{"-results", dir, "-o", page}, &said); code != 1 || !strings.Contains(said.String(), dir) {
		t.Errorf("of nothing: code %d, %s", code, &said)
	}
	if err := results.Folder(dir).Save("run", "kill seed 7", results.Run{Scenario: "kill", Seed: 7, Inputs: 12}); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"-results", dir, "-o", page}, &said); code != 0 {
		t.Fatalf("code %d, %s", code, &said)
	}
	text, err := harness.ReadPage(page)
	if err != nil || !strings.Contains(text, "| kill |") {
		t.Errorf("%v, %s", err, text)
	}
}
