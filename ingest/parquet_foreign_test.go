package ingest_test

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// Parquet files of other writers have the values that pyarrow reads, or are rejected for the right
// reason. UNFOLD_FOREIGN names another folder of files, judged by testdata/foreign/parquet.py.
func TestParquetOfOthers(t *testing.T) {
	folder := cmp.Or(os.Getenv("UNFOLD_FOREIGN"), "../testdata/foreign/parquet")
	files := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if judged := strings.TrimSuffix(path, ".refused"); judged != path {
			files++
			refusedAlike(t, judged)
		}
		if judged := strings.TrimSuffix(path, ".arrow"); judged != path {
			files++
			sameAsJudge(t, judged)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, error %v", files, err)
	}
}

// refusedAlike checks that an encrypted file is reported as encrypted, and that other files that
// pyarrow rejects do not crash the process.
func refusedAlike(t *testing.T, path string) {
	said := ""
	r, err := ingest.Open(context.Background(), path, ingest.Options{})
	if err != nil {
		said = err.Error()
	} else {
		defer r.Close()
		for _, f := range r.(table.Leaving).Left() {
			said += f.Type
		}
		_, err = rowsOf(r)
	}
	if strings.Contains(path, "encrypt") && !(strings.Contains(said, "encrypted") && strings.Contains(said, "not supported")) {
		t.Errorf("%s: %q does not say that it is encrypted", path, said)
	}
	t.Logf("%s: refused by pyarrow, here %v", path, err)
}

// sameAsJudge compares a file with the values that pyarrow reads from it.
func sameAsJudge(t *testing.T, path string) {
	r, err := ingest.Open(context.Background(), path, ingest.Options{})
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	defer r.Close()
	want := readTable(t, path+".arrow", ingest.Options{})
	if n, _ := r.(table.Counted).NumRows(); int(n) != want.Len() {
		t.Errorf("%s: %d rows, want %d", path, n, want.Len())
	}
	if len(r.Schema()) == 0 {
		return // all columns are omitted
	}
	rows, err := rowsOf(r)
	if err != nil {
		if !strings.Contains(err.Error(), "its checksum is wrong") && !strings.Contains(err.Error(), "INT96 timestamp is outside") {
			t.Errorf("%s: %v", path, err)
		}
		return
	}
	got, err := table.ConcatTables(rows...)
	if err != nil || got.Len() != want.Len() {
		t.Errorf("%s: %d rows, want %d, error %v", path, got.Len(), want.Len(), err)
		return
	}
	left := r.(table.Leaving).Left()
	for _, w := range want.Columns() {
		if _, out := left.Find(w.Name()); out {
			continue
		}
		if c, there := got.Column(w.Name()); !there {
			t.Errorf("%s: there is no column %q of %s", path, w.Name(), w.DataType())
		} else if strings.Contains(c.DataType(), "timestamp[ns, tz=UTC]") && w.DataType() == "timestamp[ns]" {
			equalMoments(t, path, c, w)
		} else {
			ingesttest.EqualColumns(t, path, c, w)
		}
	}
}

// equalMoments compares INT96 times, which are instants here and have no zone in pyarrow.
func equalMoments(t *testing.T, path string, c, w table.Column) {
	for i := range w.Len() {
		if got := strings.TrimSuffix(c.Text(i), "Z"); got != w.Text(i) {
			t.Errorf("%s: column %q, row %d: %s, want %s", path, w.Name(), i, got, w.Text(i))
			return
		}
	}
}

// rowsOf reads all tables.
func rowsOf(r table.Reader) (tables []*table.Table, err error) {
	for t, err := range table.All(context.Background(), r) {
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// An unselected column is not decoded, even if it is damaged, as here.
func TestUnwantedColumnsAreNotDecoded(t *testing.T) {
	b, err := os.ReadFile("../testdata/foreign/parquet/bss-unused.parquet")
	if err != nil {
		t.Fatal(err)
	}
	clear(b[4:40]) // the first page of the first column, f
	path := tempFile(t, "x.parquet", b)
	columns := func(text string) ingest.ReadOptions {
		specs, err := ingest.ParseColumns(text)
		if err != nil {
			t.Fatal(err)
		}
		return ingest.ReadOptions{Mapping: ingest.Mapping{Columns: specs}}
	}
	d, err := ingest.ReadAll(context.Background(), []string{path}, columns("a,b"))
	if err != nil || d.X.Rows != 50 || d.X.Row(0)[0] != 0.3016352331732358 {
		t.Errorf("without the damaged column: error %v", err)
	}
	if _, err = ingest.ReadAll(context.Background(), []string{path}, columns("a,f")); !table.IsBadInput(err) || !strings.Contains(err.Error(), `column "f"`) {
		t.Errorf("with the damaged column: error %v", err)
	}
}
