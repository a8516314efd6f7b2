package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold"
)

// npyOf writes vectors as NumPy does.
func npyOf(t *testing.T, path string, x unfold.Rows) {
	t.Helper()
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", len(x), len(x[0]))
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	out, err := binary.Append(append(out, header...), binary.LittleEndian, slices.Concat(x...))
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(out))
}

// placesOf reads the coordinates of a CSV map.
func placesOf(t *testing.T, path string) *mat.Dense {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err != nil || len(lines) < 2 {
		t.Fatalf("%s: %q, %v", path, raw, err)
	}
	var columns []int
	for j, name := range lines[0] {
		if strings.HasPrefix(name, "embedding") {
			columns = append(columns, j)
		}
	}
	out := mat.NewDense(len(lines)-1, max(1, len(columns)), nil)
	for i, line := range lines[1:] {
		for c, j := range columns {
			v, err := strconv.ParseFloat(line[j], 32)
			if err != nil {
				t.Fatal(err)
			}
			out.Set(i, c, v)
		}
	}
	return out
}

func vectors(n, dim int) unfold.Rows {
	r := rand.New(rand.NewPCG(8, 9))
	x := make(unfold.Rows, n)
	for i := range x {
		x[i] = make([]float32, dim)
		for j := range x[i] {
			x[i][j] = float32(r.NormFloat64())
		}
	}
	return x
}

// The command and the library place vectors alike on a map of the library, for all kinds, also
// after a refresh.
func TestEmbedReadsModelsOfTheLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	x := vectors(120, 6)
	npyOf(t, "x.npy", x)
	for _, kind := range []unfold.Kind{unfold.Student, unfold.Saul, unfold.LLLVM, unfold.GPLVM} {
		m, err := unfold.Fit(t.Context(), x[:80], unfold.Options{Kind: kind, Steps: 15})
		if err != nil {
			t.Fatal(err)
		}
		if kind == unfold.Student {
			if _, err := m.Insert(t.Context(), x[80:100]); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		want, err := m.Place(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := m.Save(&file); err != nil {
			t.Fatal(err)
		}
		write(t, "m.unfold", file.String())
		must(t, "embed", "x.npy", "-m", "m.unfold", "-o", "places.csv")
		if got := placesOf(t, "places.csv"); !mat.Equal(got, want.Embedding) {
			t.Errorf("%s: the command and the library place differently", kind)
		}
		if out := must(t, "inspect", "m.unfold"); !strings.Contains(out, "vectors           6 values") {
			t.Errorf("%s: inspect says\n%s", kind, out)
		}
	}
}

// A table of columns is rejected for a model of the library, which has no columns.
func TestEmbedOfColumnsOnAModelOfTheLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	m, err := unfold.Fit(t.Context(), vectors(40, 3), unfold.Options{Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	write(t, "m.unfold", file.String())
	write(t, "three.csv", "a,b,c\n0.5,0.25,1\n0.125,0.5,0\n")
	code, _, stderr := run(t, "embed", "three.csv", "-m", "m.unfold", "-o", "places.csv")
	const want = "unfold: three.csv: there is no vector column, and the model has no columns: it was learnt from vectors of 3 values; give one column of vectors (a list of numbers, .npy), or learn a model of these columns: unfold fit\n"
	if code != 3 || stderr != want {
		t.Errorf("exit %d, %q, want %q", code, stderr, want)
	}
	if _, err := os.Stat("places.csv"); err == nil {
		t.Error("places are written all the same")
	}
}

// The library and the command place vectors alike on a map of the command. A fit by the library
// gives the same map.
func TestTheLibraryReadsModelsOfFit(t *testing.T) {
	t.Chdir(t.TempDir())
	x := vectors(100, 6)
	npyOf(t, "x.npy", x)
	must(t, "fit", "x.npy", "-o", "m.unfold", "--map", "map.csv", "--seed", "4")
	raw, err := os.ReadFile("m.unfold")
	if err != nil {
		t.Fatal(err)
	}
	m, err := unfold.Open(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	want := placesOf(t, "map.csv")
	placed, err := m.Place(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(placed.Embedding, want) {
		t.Error("the library and the command place differently")
	}
	own, err := unfold.Fit(t.Context(), x, unfold.Options{Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(own.Result().Embedding, want) {
		t.Error("the library and the command learn different maps")
	}

	// The error explains that the vectors come from an encoder of columns.
	write(t, "small.csv", smallCSV())
	must(t, "fit", "small.csv", "--columns", "*", "-o", "columns.unfold")
	if raw, err = os.ReadFile("columns.unfold"); err != nil {
		t.Fatal(err)
	}
	if m, err = unfold.Open(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
	if names, encoded := m.Columns(); len(names) != m.Dim() || !encoded {
		t.Errorf("%d values, named %q, encoded: %t", m.Dim(), names, encoded)
	}
}

// A model of the Go package has no columns. It accepts vectors of .npy, and of JSON lines, whose
// length is known only from the rows.
func TestLibraryModelTakesJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	x := vectors(60, 5)
	m, err := unfold.Fit(t.Context(), x, unfold.Options{Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	var model bytes.Buffer
	if err := m.Save(&model); err != nil {
		t.Fatal(err)
	}
	write(t, "m.unfold", model.String())
	npyOf(t, "x.npy", x)
	var lines strings.Builder
	for _, row := range x {
		fmt.Fprintf(&lines, "{\"v\": %s}\n", strings.ReplaceAll(fmt.Sprint(row), " ", ", "))
	}
	write(t, "x.jsonl", lines.String())
	must(t, "-q", "embed", "x.npy", "-m", "m.unfold", "-o", "npy.csv")
	must(t, "-q", "embed", "x.jsonl", "-m", "m.unfold", "-o", "json.csv")
	if page(t, "npy.csv") != page(t, "json.csv") {
		t.Error("the places of vectors in JSON differ from those in .npy")
	}
	write(t, "short.jsonl", "{\"v\": [1, 2]}\n")
	if code, _, stderr := run(t, "embed", "short.jsonl", "-m", "m.unfold", "-o", "x.csv"); code != exitBadInput || !strings.Contains(stderr, "the vector has 2 elements, 5 are expected") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
