package ingest_test

import (
	"archive/zip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/sparse"
)

// filled returns the rows of a sparse matrix as full rows.
func filled(a *sparse.Rows) vec.Matrix[float32] {
	x := vec.New[float32](a.N(), a.M())
	for i := range a.N() {
		index, data := a.Row(i)
		for p, j := range index {
			x.Row(i)[j] = float32(data[p])
		}
	}
	return x
}

// readFull reads a file's vectors.
func readFull(t *testing.T, path string, o ingest.ReadOptions) *ingest.Dataset {
	t.Helper()
	d, err := ingest.ReadAll(t.Context(), []string{path}, o)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return d
}

// sameRows fails for the first element that differs.
func sameRows(t *testing.T, what string, got, want vec.Matrix[float32]) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s: %d x %d, want %d x %d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	for p, v := range want.Data {
		if got.Data[p] != v {
			t.Fatalf("%s: row %d, element %d is %v, want %v", what, p/want.Cols, p%want.Cols, got.Data[p], v)
		}
	}
}

// Files of sparse matrices contain the same rows as numpy's array, both full and sparse. Every
// metric that supports sparse rows leads to the same bits as full rows.
func TestSparseFilesAreTheirRows(t *testing.T) {
	full := foreignTable("words-full.npz") + ":x"
	for _, file := range []string{"words.npz", "words-csc.npz", "words-coo.npz", "words.mtx.gz"} {
		for _, m := range []ingest.Mapping{{}, {Metric: ingest.Cosine}, {Metric: ingest.Hellinger}, {Log1p: true, Metric: ingest.Cosine}} {
			t.Run(fmt.Sprintf("%s %s %v", file, m.Metric, m.Log1p), func(t *testing.T) {
				want := readFull(t, full, ingest.ReadOptions{Mapping: m})
				got := readFull(t, foreignTable(file), ingest.ReadOptions{Mapping: m})
				sameRows(t, "in full", got.X, want.X)
				as := readFull(t, foreignTable(file), ingest.ReadOptions{Mapping: m, Sparse: 1})
				if as.Sparse == nil || as.X.Rows != 0 || as.Len() != 132 || as.Files[0].Rows != 132 {
					t.Fatalf("%d rows in full, %d in all", as.X.Rows, as.Len())
				}
				if err := as.Sparse.Own().Validate(); err != nil {
					t.Fatal(err)
				}
				sameRows(t, "as they are", filled(as.Sparse), want.X)
			})
		}
	}
	t.Run("two files", func(t *testing.T) {
		want := readFull(t, full, ingest.ReadOptions{}).X
		d, err := ingest.ReadAll(t.Context(), []string{foreignTable("words.npz"), foreignTable("words.mtx.gz")}, ingest.ReadOptions{Sparse: 1})
		if err != nil {
			t.Fatal(err)
		}
		sameRows(t, "both", filled(d.Sparse), vec.Of(2*want.Rows, want.Cols, append(want.Clone().Data, want.Data...)))
	})
	t.Run("pattern", func(t *testing.T) {
		want := readFull(t, foreignTable("words-full.npz")+":counts", ingest.ReadOptions{}).X.Slice(0, 40)
		for p, v := range want.Data {
			want.Data[p] = min(v, 1)
		}
		sameRows(t, "terms.mtx", readFull(t, foreignTable("terms.mtx"), ingest.ReadOptions{}).X, want)
	})
	t.Run("columns in any order", func(t *testing.T) {
		d := readFull(t, foreignTable("odd-rows.npz"), ingest.ReadOptions{Sparse: 1})
		if d.Sparse.NNZ() != 3 {
			t.Errorf("%d entries, of which none should be 0", d.Sparse.NNZ())
		}
		sameRows(t, "odd-rows.npz", filled(d.Sparse), vec.Of(3, 4, []float32{1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 4}))
	})
}

// Readers of sparse matrices pass the conformance suite.
func TestSparseReaders(t *testing.T) {
	for _, file := range []string{"words.npz", "words.mtx.gz", "terms.mtx"} {
		t.Run(file, func(t *testing.T) {
			rows := 132
			if file == "terms.mtx" {
				rows = 40
			}
			ingesttest.TestReader(t, func(o ingest.Options) (table.Reader, error) { return ingest.Open(t.Context(), foreignTable(file), o) }, rows)
		})
	}
}

// The profile of a sparse matrix equals that of its full rows.
func TestSparseProfile(t *testing.T) {
	profile := func(file string) *ingest.Profile {
		r, err := ingest.Open(t.Context(), foreignTable(file), ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		seen := 0
		p, err := ingest.ReadProfile(t.Context(), r, func(t *table.Table) { seen += t.Len() })
		if err != nil || seen == 0 {
			t.Fatalf("%d rows seen, error %v", seen, err)
		}
		return p
	}
	got, want := profile("words.npz"), profile("words-full.npz:x")
	g, w := got.Columns[0], want.Columns[0]
	if got.Rows != want.Rows || g.Min != w.Min || g.Max != w.Max || g.Type != w.Type || got.Vector != want.Vector {
		t.Errorf("%d rows of %s from %v to %v, want %d of %s from %v to %v", got.Rows, g.Type, g.Min, g.Max, want.Rows, w.Type, w.Min, w.Max)
	}
	if got.Entries == nil || *got.Entries != 7476 || want.Entries != nil {
		t.Errorf("entries %v of the sparse matrix, %v of the full one", got.Entries, want.Entries)
	}
}

// Errors of matrices that cannot be read, or whose rows would be filled, say what to do.
func TestSparseRefuses(t *testing.T) {
	dir := t.TempDir()
	text := func(name, content string) string {
		path := filepath.Join(dir, name+".mtx")
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const head = "%%MatrixMarket matrix coordinate real general\n"
	for _, c := range []struct {
		name, path, want string
		mapping          ingest.Mapping
	}{
		{"another format", foreignTable("bands.npz"), `in the format "dia", which is not read; save m.tocsr()`, ingest.Mapping{}},
		{"hamming", foreignTable("words.npz"), "cannot be compared by the metric hamming and stay sparse", ingest.Mapping{Metric: ingest.Hamming}},
		{"correlation", foreignTable("words.npz"), "cannot be compared by the metric correlation and stay sparse", ingest.Mapping{Metric: ingest.Correlation}},
		{"standardized", foreignTable("words.npz"), "cannot be standardized and stay sparse", ingest.Mapping{Standardize: true}},
		{"filled", foreignTable("words.npz"), "cannot be filled with means and stay sparse", ingest.Mapping{Fill: true}},
		{"below 0", text("below", head+"1 3 1\n1 3 -2\n"), "value 2 is -2, below 0, and the metric hellinger takes counts", ingest.Mapping{Metric: ingest.Hellinger}},
		{"another column", foreignTable("words.npz"), `column "name": there is no such column`, ingest.Mapping{Selection: ingest.Selection{ID: "name"}}},
		{"an array", text("array", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n"), `in the format "array", which is not read`, ingest.Mapping{}},
		{"complex", text("complex", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n"), "complex values, which are not read", ingest.Mapping{}},
		{"symmetric", text("symmetric", "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 1\n"), "a symmetric matrix, one half of it, which is not read", ingest.Mapping{}},
		{"no size", text("size", head+"% only\n"), "the file is truncated: it ends at line 2", ingest.Mapping{}},
		{"an odd size", text("odd", head+"2 2.5 1\n"), `line 2: its shape and number of entries are "2 2.5 1"`, ingest.Mapping{}},
		{"cut off", text("cut", head+"2 2 3\n1 1 1\n2 2 1\n"), "the file is truncated: it ends at line 4", ingest.Mapping{}},
		{"too much", text("more", head+"2 2 1\n1 1 1\n2 2 1\n"), "line 4: there is more than the 1 entries", ingest.Mapping{}},
		{"beyond", text("beyond", head+"2 2 1\n3 1 1\n"), "line 3: the entry is in row 3 and column 1 of a matrix of 2 x 2", ingest.Mapping{}},
		{"from 0", text("zero", head+"2 2 1\n0 1 1\n"), "line 3: the entry is in row 0", ingest.Mapping{}},
		{"no number", text("word", head+"2 2 1\n1 1 one\n"), `line 3: the value is "one", not a number`, ingest.Mapping{}},
		{"too few fields", text("fields", head+"2 2 1\n1 1\n"), "line 3: it has 2 fields, want 3", ingest.Mapping{}},
		{"infinite", text("inf", head+"2 2 1\n2 1 1e400\n"), "row 2, column \"vector\": element 0 of the vector is +Inf", ingest.Mapping{}},
		{"huge", text("huge", head+"2 99999999999 1\n2 1 1\n"), "more than is read", ingest.Mapping{}},
		{"rows of nothing", text("nothing", head+"2147483647 3 1\n2 1 1\n"), "more than is read", ingest.Mapping{}},
		{"no rows", text("none", head+"0 3 0\n"), "there are no rows", ingest.Mapping{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ingest.ReadAll(t.Context(), []string{c.path}, ingest.ReadOptions{Mapping: c.mapping, Sparse: 1})
			if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, expected %s", err, c.want)
			}
		})
	}
	if _, err := ingest.ReadAll(t.Context(), []string{foreignTable("words.npz"), foreignTable("counts.csv")}, ingest.ReadOptions{Sparse: 1}); err == nil || !strings.Contains(err.Error(), "it holds no sparse matrix") {
		t.Errorf("a table beside a matrix: %v", err)
	}
	if _, err := ingest.ReadAll(t.Context(), []string{text("wide", head+"2000000 1000000 1\n1 1 1\n")}, ingest.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "as they are taken here; fit, embed and inspect take them as they are; of others give at most 4294 rows") {
		t.Errorf("too many rows in full: %v", err)
	}
}

// Archives with inconsistent arrays are errors, whatever sizes they claim.
func TestSparseArchivesThatLie(t *testing.T) {
	for _, c := range []struct {
		name string
		with map[string]string // arrays that replace those of a valid 2 x 3 matrix
		want string
	}{
		{"as it should be", nil, ""},
		{"a column beyond", map[string]string{"indices": npyFile("<i4", "3", "\x00\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00")}, "row 1 has an entry at 7 of 3"},
		{"a column beyond int32", map[string]string{"indices": npyFile("<i8", "3", strings.Repeat("\x00", 20)+"\x01\x00\x00\x00")}, "row 2 has an entry at 4294967296 of 3"},
		{"starts that fall", map[string]string{"indptr": npyFile("<i4", "3", "\x00\x00\x00\x00\x05\x00\x00\x00\x03\x00\x00\x00")}, "row 1 begins at entry 0 and ends at 5 of 3"},
		{"too few starts", map[string]string{"indptr": npyFile("<i4", "2", "\x00\x00\x00\x00\x03\x00\x00\x00")}, "its arrays contradict each other: 2 starts of 2 rows"},
		{"too few values", map[string]string{"data": npyFile("<f4", "2", strings.Repeat("\x00\x00\x80\x3f", 2))}, "its arrays contradict each other"},
		{"a value that is none", map[string]string{"data": npyFile("<f4", "3", strings.Repeat("\x00\x00\xc0\x7f", 3))}, "element 0 of the vector is NaN"},
		{"more than there is", map[string]string{"data": npyFile("<f4", "3000000000", "")}, "has the shape [3000000000]"},
		{"texts", map[string]string{"data": npyFile("<U1", "3", strings.Repeat("a\x00\x00\x00", 3))}, "holds texts, not numbers"},
		{"three dimensions", map[string]string{"shape": npyFile("<i8", "3", strings.Repeat("\x01\x00\x00\x00\x00\x00\x00\x00", 3))}, "a sparse array of 3 dimensions, want 2"},
		{"no rows of columns", map[string]string{"indptr": ""}, `a sparse matrix without its array "indptr"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			arrays := map[string]string{
				"format": npyFile("|S3", "", "csr"), "shape": npyFile("<i8", "2", "\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00"),
				"indptr":  npyFile("<i4", "3", "\x00\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00"),
				"indices": npyFile("<i4", "3", "\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00"),
				"data":    npyFile("<f4", "3", strings.Repeat("\x00\x00\x80\x3f", 3)),
			}
			for name, content := range c.with {
				arrays[name] = content
			}
			path := filepath.Join(t.TempDir(), "m.npz")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			z := zip.NewWriter(f)
			for name, content := range arrays {
				if content == "" {
					continue
				}
				w, err := z.Create(name + ".npy")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := w.Write([]byte(content)); err != nil {
					t.Fatal(err)
				}
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			f.Close()
			d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Sparse: 1})
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				sameRows(t, "the rows", filled(d.Sparse), vec.Of(2, 3, []float32{1, 0, 1, 0, 1, 0}))
				return
			}
			if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, expected %s", err, c.want)
			}
		})
	}
}

// npyFile returns an array in numpy's file format.
func npyFile(descr, shape, content string) string {
	if shape != "" {
		shape += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n", descr, shape)
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header + content
}

// Rows with another length than the encoder's are an error.
func TestSparseRowsOfAnotherLength(t *testing.T) {
	e := readFull(t, foreignTable("odd-rows.npz"), ingest.ReadOptions{}).Encoder
	_, err := ingest.ReadAll(t.Context(), []string{foreignTable("words.npz")}, ingest.ReadOptions{Encoder: e, Sparse: 1})
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), "the vectors have 1125 elements, 4 are expected") {
		t.Error(err)
	}
}
