package ingest_test

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/table"
)

// Files of other writers have the values that their own libraries read, or are rejected for the
// right reason. UNFOLD_FOREIGN names another folder of files, judged by testdata/foreign/judge.py.
func TestFilesOfOthers(t *testing.T) {
	folders := []string{"../testdata/foreign/parquet", "../testdata/foreign/judged"}
	if other := os.Getenv("UNFOLD_FOREIGN"); other != "" {
		folders = []string{other}
	}
	files := map[string]int{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if judged := judgementsOf(path); len(judged) > 0 {
				files[filepath.Ext(path)]++
				asJudged(t, path, judged)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if len(files) == 0 {
		t.Error("no file was judged")
	}
	t.Logf("files by their names: %v", files)
}

// judgementsOf returns the files with what libraries read of a file: pyarrow, numpy, fastavro, or
// pandas with a header or without, and DuckDB.
func judgementsOf(path string) (out []string) {
	for _, judge := range []string{"", ".bare", ".duckdb"} {
		for _, end := range []string{".arrow", ".refused"} {
			if _, err := os.Stat(path + judge + end); err == nil {
				out = append(out, path+judge+end)
			}
		}
	}
	return out
}

// asJudged checks that a file has the values that one of the judges reads. If all refuse it, it must
// not crash the process, and an encrypted file must be reported as encrypted.
func asJudged(t *testing.T, path string, judged []string) {
	var complaints []string
	for _, j := range judged {
		if strings.HasSuffix(j, ".refused") {
			continue
		}
		found := difference(t, path, j)
		if found == "" {
			return
		}
		complaints = append(complaints, filepath.Base(j)+": "+found)
	}
	if complaints == nil {
		refusedAlike(t, path)
		return
	}
	say := t.Errorf
	if isGuessed.MatchString(path) && os.Getenv("UNFOLD_FOREIGN") != "" {
		say = t.Logf // no two programs guess alike
	}
	say("%s differs: %s", path, strings.Join(complaints, "\n\t"))
}

// refusedAlike reads a file that its own library rejects.
func refusedAlike(t *testing.T, path string) {
	said := ""
	r, err := ingest.Open(context.Background(), path, ingest.Options{})
	if err != nil {
		said = err.Error()
	} else {
		defer r.Close()
		if leaving, ok := r.(table.Leaving); ok {
			for _, f := range leaving.Left() {
				said += f.Type
			}
		}
		_, err = rowsOf(r)
	}
	if strings.Contains(path, "encrypt") && !(strings.Contains(said, "encrypted") && strings.Contains(said, "not supported")) {
		t.Errorf("%s: %q does not say that it is encrypted", path, said)
	}
	t.Logf("%s: refused by its library, here %v", path, err)
}

// isGuessed matches files whose structure and types are guessed.
var isGuessed = regexp.MustCompile(`\.(csv|tsv)(\.|$)`)

// reasoned are errors that are right although the judge reads a value: it does not check, or wraps
// around, or the value needs an option that the error names, or the kind of data is not supported
// and named.
var reasoned = regexp.MustCompile(`its checksum is wrong|INT96 timestamp is outside|say so: --|is not supported[:;] |version before 0.15, which is not read`)

// difference compares a file with the values of a judge, "" if they are equal.
func difference(t *testing.T, path, judged string) string {
	want, _, err := tablesOf(judged, ingest.Options{})
	if err != nil {
		return "" // a type of the judge's that this program does not read
	}
	got, left, err := readOther(path, want.Len())
	switch {
	case err != nil && reasoned.MatchString(err.Error()):
		return ""
	case err != nil:
		return err.Error()
	case got == nil:
		return "" // all columns are omitted
	}
	same := equalText
	guessed := isGuessed.MatchString(path)
	if guessed || regexp.MustCompile(`\.(avro|npy|npz)`).MatchString(path) {
		same = equalValue
	}
	for k, w := range want.Columns() {
		if _, out := left.Find(w.Name()); out || want.Schema().Ambiguous(w.Name(), table.Origin{}) != nil {
			continue
		}
		c, there := got.Column(w.Name())
		if guessed && !there && len(want.Columns()) == len(got.Columns()) {
			c, there = got.Columns()[k], true // names differ among judges
		}
		if !there && strings.HasSuffix(path, ".avro") && strings.HasPrefix(w.DataType(), "list<") {
			continue // lists of anything but numbers are left out
		}
		if !there {
			return fmt.Sprintf("there is no column %q of %s", w.Name(), w.DataType())
		}
		for i := range w.Len() {
			if !same(c, w, i) {
				return fmt.Sprintf("column %q, row %d: %q (null %v, %s), want %q (null %v, %s)", w.Name(), i, table.Clip(c.Text(i)), c.IsNull(i), c.DataType(), table.Clip(w.Text(i)), w.IsNull(i), w.DataType())
			}
		}
	}
	return ""
}

// readOther reads a file that should have so many rows. It returns no table if all columns are
// omitted.
func readOther(path string, rows int) (_ *table.Table, left table.Schema, err error) {
	r, err := ingest.Open(context.Background(), path, ingest.Options{})
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	if leaving, ok := r.(table.Leaving); ok {
		left = leaving.Left()
	}
	if counted, ok := r.(table.Counted); ok {
		if n, known := counted.NumRows(); known && int(n) != rows {
			return nil, nil, fmt.Errorf("%d rows, want %d", n, rows)
		}
	}
	if len(r.Schema()) == 0 {
		return nil, left, nil
	}
	tables, err := rowsOf(r)
	if err != nil {
		return nil, nil, err
	}
	all, err := table.ConcatTables(tables...)
	if err == nil && all.Len() != rows {
		err = fmt.Errorf("%d rows, want %d", all.Len(), rows)
	}
	return all, left, err
}

// equalText compares values of types that files state. INT96 times are instants here and have no zone
// in pyarrow.
func equalText(c, w table.Column, i int) bool {
	text := c.Text(i)
	if strings.Contains(c.DataType(), "timestamp[ns, tz=UTC]") && w.DataType() == "timestamp[ns]" {
		text = strings.TrimSuffix(text, "Z")
	}
	return c.IsNull(i) == w.IsNull(i) && text == w.Text(i)
}

// equalValue compares values whose types are guessed, or differ among libraries.
func equalValue(c, w table.Column, i int) bool {
	got, want := c.Text(i), w.Text(i)
	switch {
	case w.IsNull(i), want == "NaN", c.IsNull(i):
		return (c.IsNull(i) || table.StandsForMissing(got)) && (w.IsNull(i) || table.StandsForMissing(want))
	case strings.EqualFold(got, want), strings.ReplaceAll(got, "NaN", "null") == want:
		return true
	case strings.HasPrefix(w.DataType(), "list<") && c.Kind() == table.Text:
		return true // the text of a list that is not of numbers
	case isTime.MatchString(got), isTime.MatchString(want):
		return true // text here, in another notation
	}
	x, err := strconv.ParseFloat(got, 64) // codes such as 007 are text here
	y, ok := w.Float(i)
	return err == nil && ok && (x == y || math.Abs(x-y) <= 1e-12*math.Abs(y))
}

// isTime matches times and durations.
var isTime = regexp.MustCompile(`^[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}|^[0-9]{1,2}:[0-9]{2}|^P[0-9T]`)

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
