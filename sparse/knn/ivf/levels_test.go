package ivf

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"unfold/internal/simd"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// inBatches returns the lists of all queries, searched in batches of a size.
func inBatches(t testing.TB, ix *Index, q vec.Matrix[float32], k, size int) *knn.Neighbors {
	t.Helper()
	out := knn.NewNeighbors(q.Rows, k)
	for from := 0; from < q.Rows; from += size {
		part := lists(t, ix, q.Slice(from, min(from+size, q.Rows)), k, 2)
		copy(out.Index[from*k:], part.Index)
		copy(out.Dist2[from*k:], part.Dist2)
	}
	return out
}

// digest is a hash of lists.
func digest(t testing.TB, nb *knn.Neighbors) string {
	t.Helper()
	h := sha256.New()
	for _, v := range []any{nb.Index, nb.Dist2} {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// fileOfDigest is the environment variable with which TestLevels runs itself.
const fileOfDigest = "UNFOLD_TEST_DIGEST"

// Every level of vector instructions finds the same lists, to the bit, in batches of any size. Some
// queries equal rows, some are far outside the rows, and some are equally near to several.
func TestLevels(t *testing.T) {
	x, q := blobs(6000, 1000, 50)
	copy(x.Data[:20*x.Cols], x.Data[20*x.Cols:40*x.Cols])
	copy(q.Data, x.Data[:10*x.Cols])
	for i := range 10 {
		q.Row(500 + i)[i] += 1e4
	}
	ix := index(t, x, Settings{K: 41, Recall: 0.99})
	want := inBatches(t, ix, q, 41, 1000)
	if path := os.Getenv(fileOfDigest); path != "" {
		if err := os.WriteFile(path, []byte(digest(t, want)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, size := range []int{1, 7} {
		if got := inBatches(t, ix, q, 41, size); !slices.Equal(got.Index, want.Index) || !slices.Equal(got.Dist2, want.Dist2) {
			t.Errorf("batches of %d have other lists than one of 1000", size)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range simd.Levels() {
		name := strings.Replace(l.String(), "generic", "plain", 1)
		path := t.TempDir() + "/digest"
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestLevels$", "-test.count=1")
		cmd.Env = append(os.Environ(), simd.Variable+"="+name, fileOfDigest+"="+path)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != digest(t, want) {
			t.Errorf("%s has other lists than %v: error %v", name, simd.Best(), err)
		}
	}
}

// Lists by ranks are those by insertion, and are refused if single precision does not tell distances
// apart.
func TestRanked(t *testing.T) {
	x, q := blobs(3000, 60, 20)
	copy(x.Data[:5*x.Cols], x.Data[5*x.Cols:10*x.Cols])
	ix := index(t, x, Settings{K: 30, Recall: 0.99})
	w := ix.borrow()
	some := 0
	for i := range q.Rows {
		row := q.Row(i)
		if i < 10 {
			row = x.Row(i)
		}
		ix.code(w, row)
		ix.pass(w, 1)
		wantIndex, want := make([]int32, 30), make([]float64, 30)
		w.report(x, row, wantIndex, want)
		w.inserted(wantIndex, want)
		index, dist2 := make([]int32, 30), make([]float64, 30)
		if !w.ranked(index, dist2) {
			continue
		}
		if some++; i < 10 {
			t.Errorf("query %d has two equal rows among its nearest, and they were told apart", i)
		}
		if !slices.Equal(index, wantIndex) || !slices.Equal(dist2, want) {
			t.Errorf("query %d: %v, %v, want %v, %v", i, index, dist2, wantIndex, want)
		}
	}
	if some < q.Rows/2 {
		t.Errorf("only %d of %d queries were ranked", some, q.Rows)
	}
}
