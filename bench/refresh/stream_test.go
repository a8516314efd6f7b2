package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
)

// TestConnections: duplicates share a row, and the encoding of rows is determined by the first
// connections alone.
func TestConnections(t *testing.T) {
	c, err := readConnections(t.Context(), "", 200, 3000)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.event) != 3000 || len(c.class) != 3000 || c.x.Rows >= 3000 || c.x.Rows != len(c.at) || len(c.x.Data) != c.x.Rows*c.x.Cols {
		t.Fatalf("%d events, %d classes, %d rows of %d in %d numbers", len(c.event), len(c.class), c.x.Rows, c.x.Cols, len(c.x.Data))
	}
	next := int32(0)
	for i, row := range c.event {
		if row > next {
			t.Fatalf("event %d is row %d, before row %d came", i, row, next)
		}
		if row == next {
			next++
		}
	}
	for row := range c.x.Rows {
		if got := c.row(c.x.Row(row)); got != int32(row) {
			t.Fatalf("row %d is found as %d", row, got)
		}
	}
	if c.names[0] != "normal" || len(c.names) < 5 {
		t.Errorf("types %q", c.names)
	}
	longer, err := readConnections(t.Context(), "", 200, 4000)
	if err != nil {
		t.Fatal(err)
	}
	if longer.x.Cols != c.x.Cols || !bytes.Equal([]byte(keyOf(longer.x.Row(7))), []byte(keyOf(c.x.Row(7)))) {
		t.Error("what comes later changes what came before")
	}
	other, err := readConnections(t.Context(), "", 2000, 3000)
	if err != nil {
		t.Fatal(err)
	}
	if other.x.Cols <= c.x.Cols {
		t.Errorf("%d values from 2000 connections, %d from 200: no word was learnt", other.x.Cols, c.x.Cols)
	}
}

// TestJudge: every event counts, and duplicates count each time. In a tie the nearest neighbour
// decides.
func TestJudge(t *testing.T) {
	if got := majority([]int32{2, 0, 1}, []int32{5, 6, 7}); got != 7 {
		t.Errorf("a tie goes to %d", got)
	}
	if got := majority([]int32{2, 0, 1}, []int32{5, 5, 7}); got != 5 {
		t.Errorf("the majority is %d", got)
	}
	known, labels := vec.New[float32](20, 2), make([]int32, 20)
	for i := range 20 {
		known.Row(i)[0], labels[i] = float32(100*(i%2)), int32(i%2)
	}
	placed := vec.Of(2, 2, []float32{1, 0, 99, 0})
	b := &block{events: []int32{3, 8, 8, 8, 3}, class: []int32{0, 1, 0, 1, 2}, rows: []int32{3, 8}}
	var c contestant
	if err := c.judge(t.Context(), b, known, placed, labels); err != nil {
		t.Fatal(err)
	}
	c.close()
	if len(c.Wrong) != 1 || c.Wrong[0] != 2 || *c.errors[0] != (tally{2, 1}) || *c.errors[1] != (tally{2, 0}) || *c.errors[2] != (tally{1, 1}) {
		t.Errorf("%v wrong, by type %v", c.Wrong, c.errors)
	}
	if math.Abs(c.ByType-(.5+0+1)/3) > 1e-12 {
		t.Errorf("mean of the types' errors %v", c.ByType)
	}
}

// TestMissingPeer: a peer that is not installed is named. A peer that fails is an error.
func TestMissingPeer(t *testing.T) {
	for _, k := range []struct {
		program, want string
		code          int
	}{
		{"echo '{\"missing\": \"umap-learn is not installed\"}'", "| missing: umap-learn is not installed |", 0},
		{"echo 'out of luck' >&2; exit 3", "out of luck", 1},
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "venv", "bin"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "venv", "bin", "python"), []byte("#!/bin/sh\n"+k.program+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		code := run(t.Context(), []string{"-small", "-only", inOrder, "-out", dir, "-venv", filepath.Join(dir, "venv")}, io.Discard, &log)
		page, _ := harness.ReadPage(filepath.Join(dir, "refresh.md")) // not there in the second case
		if code != k.code || !strings.Contains(string(page)+log.String(), k.want) {
			t.Errorf("%s: exit code %d\n%s\n%s", k.program, code, page, &log)
		}
	}
}
