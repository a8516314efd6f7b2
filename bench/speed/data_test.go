package main

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"testing"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Files written for other programs are read back unchanged.
func TestWritten(t *testing.T) {
	dir := t.TempDir()
	x := vec.Of(2, 3, []float32{1, 2, 3, 4, 5, 6.5})
	npy, idx := filepath.Join(dir, "x.npy"), filepath.Join(dir, "x-idx2-ubyte.gz")
	if err := writeNPY(npy, x); err != nil {
		t.Fatal(err)
	}
	if err := writeIDX(idx, []byte{9, 8, 7, 6}, 2, 2); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]float32{npy: x.Data, idx: {9, 8, 7, 6}} {
		got, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{})
		if err != nil || got.X.Rows != 2 || !slices.Equal(got.X.Data, want) {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	var w bytes.Buffer
	if err := writeArray(&w, []int32{1, -1}, 2); err != nil || w.Len()%64 != 8 || !bytes.Contains(w.Bytes(), []byte("'<i4', 'fortran_order': False, 'shape': (2, )")) {
		t.Errorf("%q, %v", w.Bytes(), err)
	}
	if err := writeArray(&w, []string{"a"}, 1); err == nil {
		t.Error("an array of strings was written")
	}
}

func TestRecallOf(t *testing.T) {
	truth, nb := knn.NewNeighbors(2, 2), knn.NewNeighbors(2, 2)
	copy(truth.Dist2, []float64{1, 2, 1, 3})
	copy(nb.Dist2, []float64{1, 2, 3, 4})
	if got := recallOf(nb, truth); got != .75 {
		t.Errorf("recall %v, want 0.75", got)
	}
	if got := farthest(truth).Data; !slices.Equal(got, []float32{2, 3}) {
		t.Errorf("last neighbours %v", got)
	}
}

func TestOthers(t *testing.T) {
	for name, c := range map[string]struct {
		learnt []int32
		want   []int32
	}{
		"some": {[]int32{0, 2}, []int32{1, 3}},
		"none": {nil, []int32{0, 1, 2, 3}},
		"all":  {[]int32{0, 1, 2, 3}, nil},
	} {
		if got := others(c.learnt, 4); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
