package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
)

// Prepared files are used again until the source changes.
func TestPrepareAgain(t *testing.T) {
	data := t.TempDir()
	source := filepath.Join(data, "set", "a.txt")
	gz(t, source, "one")
	loaded := 0
	d := dataset{name: "set", find: folder("set"), load: func(context.Context, string) (*table, error) {
		loaded++
		return &table{x: vec.Of(2, 1, []float32{1, 2}), label: []string{"a", "b"}}, nil
	}}
	b := &bench{log: io.Discard, out: t.TempDir(), data: data}
	prepare := func(want int) string {
		t.Helper()
		p, err := b.prepare(t.Context(), d)
		if err != nil || p.Rows != 2 || p.Classes != 2 || loaded != want {
			t.Fatalf("%+v, %v, loaded %d times, want %d", p, err, loaded, want)
		}
		return p.Stamp
	}
	first := prepare(1)
	if again := prepare(1); again != first {
		t.Errorf("stamps %q and %q", first, again)
	}
	gz(t, source, "another")
	if second := prepare(2); second == first {
		t.Error("another file has the same stamp")
	}
	b.data = t.TempDir()
	if _, err := b.prepare(t.Context(), d); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "set") {
		t.Errorf("without a source: %v", err)
	}
	gz(t, filepath.Join(b.data, "set", "a.txt"), "another")
	prepare(3)
}

// The set is prepared only if there is one label or number for each row.
func TestTablesAreChecked(t *testing.T) {
	x := vec.Of(2, 1, []float32{1, 2})
	for _, c := range []struct {
		table table
		whole bool
	}{
		{table{x: x}, true}, {table{}, false}, {table{x: x, label: []string{"a"}}, false}, {table{x: x, label: []string{"a", ""}}, true},
		{table{x: x, names: []string{"u"}, known: [][]float64{{1}, {2}}}, true}, {table{x: x, names: []string{"u"}, known: [][]float64{{1}}}, false},
		{table{x: x, names: []string{"u"}, known: [][]float64{{1}, {2, 3}}}, false}, {table{x: x, names: []string{"u"}}, false},
	} {
		if err := c.table.check(); (err == nil) != c.whole {
			t.Errorf("%+v: %v", c.table, err)
		}
	}
}

// Empty lines are skipped, short ones are errors, and one of the columns is the label.
func TestOil(t *testing.T) {
	for _, c := range []struct {
		labels string
		want   []string
	}{
		{"1 0 0\n\n0 0 1\n", []string{"class 1", "class 3"}}, {"1.0 0 0\n0 0 1\n", nil}, {"1 0\n0 0 1\n", nil},
	} {
		dir := t.TempDir()
		for _, part := range []string{"Trn", "Vdn", "Tst"} {
			for name, text := range map[string]string{".txt": "1 2\n3 4\n", "Lbls.txt": c.labels} {
				if err := os.WriteFile(filepath.Join(dir, "Data"+part+name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
		d, err := loadOil(t.Context(), dir)
		if c.want == nil {
			if err == nil {
				t.Errorf("%q gives %v", c.labels, d.label)
			}
			continue
		}
		if err != nil || d.check() != nil || d.x.Rows != 6 || !slices.Equal(d.label, slices.Repeat(c.want, 3)) {
			t.Errorf("%q: %v, labels %v of %d rows", c.labels, err, d.label, d.x.Rows)
		}
	}
}

// Without scikit-learn, the error names its digits as missing, by path.
func TestDigitsAreFound(t *testing.T) {
	venv := t.TempDir()
	if _, err := digitsFile(venv)(""); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), venv) || strings.Contains(err.Error(), "%!") {
		t.Errorf("%v", err)
	}
	path := filepath.Join(venv, "lib", "python3.11", "site-packages", "sklearn", "datasets", "data", "digits.csv.gz")
	gz(t, path, "0.0,16.0,3.0\n\n5.0,1.0,9.0\n")
	found, err := digitsFile(venv)("")
	if err != nil || found != path {
		t.Fatalf("%q, %v", found, err)
	}
	d, err := loadDigits(t.Context(), found)
	if err != nil || !slices.Equal(d.label, []string{"3", "9"}) || !slices.Equal(d.x.Data, []float32{0, 16, 5, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
}

// The mammoth's points are both its data and its targets.
func TestMammoth(t *testing.T) {
	for _, c := range []struct {
		name, text string
		rows       int
	}{
		{"two points", "[[1, 2.5, -3], [4, 5, 6]]", 2}, {"a point of two numbers", "[[1, 2, 3], [4, 5]]", 0}, {"no list", "{}", 0}, {"cut off", "[[1, 2, 3], [4", 0},
	} {
		data := t.TempDir()
		gz(t, filepath.Join(data, "mammoth", "mammoth_3d.json.gz"), c.text)
		d, err := loadMammoth(t.Context(), filepath.Join(data, "mammoth"))
		if c.rows == 0 {
			if err == nil || !strings.Contains(err.Error(), "mammoth_3d.json.gz") {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || d.check() != nil || !slices.Equal(d.x.Data, []float32{1, 2.5, -3, 4, 5, 6}) || d.known[0][1] != 2.5 || d.label != nil {
			t.Errorf("%s: %+v, %v", c.name, d, err)
		}
	}
}
