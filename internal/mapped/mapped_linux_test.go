package mapped

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"unfold/internal/procfs"
)

// resident returns the resident file-mapped memory of this process in bytes.
func resident(t *testing.T) (bytes int64) {
	t.Helper()
	for _, field := range []string{"RssFile", "RssShmem"} { // the second of a folder in memory
		n, err := procfs.Memory(os.Getpid(), field)
		if err != nil {
			t.Fatal(err)
		}
		bytes += n
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

// A process whose address space is bounded can still map a file that is larger than the bound.
func TestBoundSpace(t *testing.T) {
	if os.Getenv("UNFOLD_TEST_BOUND") == "" {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		c := exec.Command(self, "-test.run", "^TestBoundSpace$")
		c.Env = append(os.Environ(), "UNFOLD_TEST_BOUND=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return
	}
	const bound = 256 << 20
	if err := BoundSpace(bound); err != nil {
		t.Fatal(err)
	}
	anonymous := func(size int) error {
		b, err := syscall.Mmap(-1, 0, size, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err == nil {
			err = syscall.Munmap(b)
		}
		return err
	}
	for range 2 { // the bound is the same after a file is unmapped
		r, x, err := New(t.TempDir(), 2*bound/4, 1)
		if err != nil {
			t.Fatal(err)
		}
		x.Row(x.Rows - 1)[0] = 1
		if err := anonymous(2 * bound); err == nil {
			t.Error("the bound does not hold beside a file")
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if err := anonymous(2 * bound); err == nil {
			t.Error("the bound does not hold after a file")
		}
	}
}
