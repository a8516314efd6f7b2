package cli

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"unfold/internal/vec"
)

// Vectors come back as they were, and nothing stays in the folder.
func TestAside(t *testing.T) {
	dir := t.TempDir()
	x := vec.New[float32](3, asideBlock/2)
	for i := range x.Data {
		x.Data[i] = float32(math.Sin(float64(i)))
	}
	a, err := setAside(dir, x)
	if err != nil {
		t.Fatal(err)
	}
	y, err := a.fetch()
	if err != nil || y.Rows != x.Rows || y.Cols != x.Cols || !slices.Equal(y.Data, x.Data) {
		t.Errorf("%d x %d came back, %v", y.Rows, y.Cols, err)
	}
	if err := a.file.Truncate(10); err != nil {
		t.Fatal(err)
	}
	if _, err := a.fetch(); err == nil {
		t.Error("a file that lost its end is read")
	}
	a.close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v stay, %v", left, err)
	}
	if _, err := setAside(filepath.Join(dir, "none"), x); err == nil {
		t.Error("a folder that is not there holds vectors")
	}
}
