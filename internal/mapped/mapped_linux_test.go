package mapped

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// resident returns the resident file-mapped memory of this process in bytes.
func resident(t *testing.T) (bytes int64) {
	t.Helper()
	f, err := os.Open("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		rest, file := strings.CutPrefix(s.Text(), "RssFile:")
		more, shared := strings.CutPrefix(s.Text(), "RssShmem:") // of a folder in memory
		if shared {
			rest = more
		}
		if file || shared {
			var kilobytes int64
			if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
				t.Fatal(err)
			}
			bytes += kilobytes << 10
		}
	}
	return bytes
}

// Values survive Release, which reduces the resident memory by their size. No file stays in the
// folder.
func TestRows(t *testing.T) {
	dir := t.TempDir()
	const rows, cols = 1 << 16, 100
	r, x, err := New(dir, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	if x.Rows != rows || x.Cols != cols || len(x.Data) != rows*cols {
		t.Fatalf("%d x %d, %d values", x.Rows, x.Cols, len(x.Data))
	}
	value := func(i int) float32 { return float32(math.Sin(float64(i))) }
	for i := range x.Data {
		x.Data[i] = value(i)
	}
	before := resident(t)
	if err := r.Release(); err != nil {
		t.Fatal(err)
	}
	if freed := before - resident(t); freed < 4*rows*cols*9/10 {
		t.Errorf("%d bytes let go of %d", freed, 4*rows*cols)
	}
	for i, v := range x.Data {
		if v != value(i) {
			t.Fatalf("value %d is %g, want %g", i, v, value(i))
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v stay, %v", left, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// Invalid arguments are errors.
func TestNoRows(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		dir        string
		rows, cols int
	}{
		"no folder":       {filepath.Join(dir, "none"), 2, 2},
		"no rows":         {dir, 0, 2},
		"beyond the disk": {dir, 1 << 44, 100},
	} {
		if _, _, err := New(c.dir, c.rows, c.cols); err == nil {
			t.Errorf("%s: rows", name)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v stay, %v", left, err)
	}
}

// Values of lists survive Release too, and are aligned.
func TestLists(t *testing.T) {
	const count = 1<<20 + 1
	r, index, value, err := NewLists(t.TempDir(), count)
	if err != nil {
		t.Fatal(err)
	}
	if len(index) != count || len(value) != count {
		t.Fatalf("%d numbers and %d values", len(index), len(value))
	}
	for i := range index {
		index[i], value[i] = int32(i), math.Sqrt(float64(i))
	}
	before := resident(t)
	if err := r.Release(); err != nil {
		t.Fatal(err)
	}
	if freed := before - resident(t); freed < 12*count*9/10 {
		t.Errorf("%d bytes let go of %d", freed, 12*count)
	}
	for i := range index {
		if index[i] != int32(i) || value[i] != math.Sqrt(float64(i)) {
			t.Fatalf("entry %d is %d and %g", i, index[i], value[i])
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, _, _, err := NewLists(t.TempDir(), 0); err == nil {
		t.Error("lists without an entry")
	}
}
