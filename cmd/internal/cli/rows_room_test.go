package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"unfold/models/budget"
	"unfold/sparse/knn"
)

// Rows that are moved out of memory lie in a file. Without a file they stay in memory, with a note.
func TestRowsRoom(t *testing.T) {
	const rows, cols = 5000, 784
	for _, c := range []struct {
		name, folder string
		scored, file bool
	}{
		{"set aside", t.TempDir(), true, true},
		{"not set aside", t.TempDir(), false, false},
		{"no folder", filepath.Join(t.TempDir(), "none"), true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := &bytes.Buffer{}
			p := &program{System: System{Stdout: &bytes.Buffer{}, Stderr: said}}
			r := newRowsRoom(p, budget.Job{Scored: c.scored}, filepath.Join(c.folder, "m.unfold"))
			defer r.close()
			x := r.matrix(rows, cols)
			if x.Rows != rows || x.Cols != cols || len(x.Data) != rows*cols {
				t.Fatalf("%d x %d, %d values", x.Rows, x.Cols, len(x.Data))
			}
			if file := c.file && runtime.GOOS == "linux"; (r.rows != nil) != file {
				t.Errorf("the rows lie in a file: %v, want %v", r.rows != nil, file)
			}
			want := c.scored && !c.file && runtime.GOOS == "linux"
			if noted := strings.Contains(said.String(), "the rows stay in memory"); noted != want {
				t.Errorf("noted %q", said)
			}
			x.Data[rows*cols-1] = 3
			plan, err := budget.New(budget.Job{Rows: rows, Dim: cols, Scored: c.scored})
			if err != nil {
				t.Fatal(err)
			}
			r.between(&plan)("knn", 1, 2)
			if v := x.Data[rows*cols-1]; v != 3 {
				t.Errorf("a value became %g", v)
			}
		})
	}
}

// Neighbour lists are unchanged in a file. Without a file they stay in memory, with a note. Short
// lists always stay.
func TestListsRoom(t *testing.T) {
	plan := func(rows int) *budget.Plan {
		p, err := budget.New(budget.Job{Rows: rows, Dim: 50})
		if err != nil {
			t.Fatal(err)
		}
		return &p
	}
	for name, folder := range map[string]string{"a folder": t.TempDir(), "no folder": filepath.Join(t.TempDir(), "none")} {
		t.Run(name, func(t *testing.T) {
			said := &bytes.Buffer{}
			r := newRowsRoom(&program{System: System{Stdout: &bytes.Buffer{}, Stderr: said}}, budget.Job{}, filepath.Join(folder, "m.unfold"))
			defer r.close()
			if r.lists(plan(1000)) != nil {
				t.Error("few lists are set aside")
			}
			nb, many := knn.NewNeighbors(3000, 10), plan(1_000_000)
			for at := range nb.Index {
				nb.Index[at], nb.Dist2[at] = int32(at), float64(at)/3
			}
			got := r.lists(many)(nb)
			r.between(many)("em", 1, 2)
			if got.N != nb.N || got.K != nb.K || !slices.Equal(got.Index, nb.Index) || !slices.Equal(got.Dist2, nb.Dist2) {
				t.Error("the lists are other ones")
			}
			linux := runtime.GOOS == "linux"
			if file := name == "a folder" && linux; (r.near != nil) != file || (got != nb) != file {
				t.Errorf("the lists lie in a file: %v, want %v", r.near != nil, file)
			}
			if noted := strings.Contains(said.String(), "the neighbours stay in memory"); noted != (name == "no folder" && linux) {
				t.Errorf("noted %q", said)
			}
		})
	}
}

// The map does not depend on whether its rows lie in a file.
func TestRowsAside(t *testing.T) {
	in, err := filepath.Abs(filepath.Join(repository, digits("test-images-idx3")))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	fit := func(flags ...string) []byte {
		must(t, append([]string{"-q", "fit", in, "-o", "m.unfold", "--steps", "5"}, flags...)...)
		model, err := os.ReadFile("m.unfold")
		if err != nil {
			t.Fatal(err)
		}
		return model
	}
	if !bytes.Equal(fit("--report", "r.json"), fit()) {
		t.Error("the model is another one")
	}
	if left, err := filepath.Glob(".unfold-*"); err != nil || len(left) > 0 {
		t.Errorf("%v stay, %v", left, err)
	}
}
