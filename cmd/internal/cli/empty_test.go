package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest/emit"
)

// For a file without rows, embed writes the columns without rows, in every format, and continues
// with the next file. fit returns an error.
func TestNoRows(t *testing.T) {
	stranger, err := filepath.Abs(filepath.Join(repository, "testdata", "foreign", "strangers", "pandas-empty.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "small.csv", smallCSV())
	write(t, "none.csv", strings.SplitAfter(smallCSV(), "\n")[0])
	must(t, "-q", "fit", "small.csv", "--columns", "x,y,z", "--id", "name", "--keep", "size", "--label", "group", "--classify", "-o", "m.unfold", "--steps", "5")
	must(t, "-q", "embed", "small.csv", "-m", "m.unfold", "-o", "all.parquet")
	for _, ext := range emit.Extensions {
		out := "none" + ext
		must(t, "-q", "embed", "none.csv", "-m", "m.unfold", "-o", "out"+out)
		if strings.HasPrefix(ext, ".jsonl") {
			// Columns are inferred from rows.
			if code, _, errs := run(t, "inspect", "out"+out); code != exitBadInput || !strings.Contains(errs, "the file is empty") {
				t.Errorf("%s: %d %s", ext, code, errs)
			}
			continue
		}
		shown := must(t, "inspect", "out"+out)
		if ext == ".csv" || ext == ".csv.gz" {
			if strings.Contains(shown, "row 1") || !strings.Contains(shown, "embedding_1") || !strings.Contains(shown, "class_probability") {
				t.Errorf("%s: %s", ext, shown)
			}
			continue
		}
		if ext == ".parquet" && (!strings.Contains(shown, "0 rows of") || !strings.Contains(shown, "class_probability") || !strings.Contains(shown, "sigma")) {
			t.Errorf("%s: %s", ext, shown)
		}
	}
	must(t, "-q", "embed", "none.csv", "small.csv", "-m", "m.unfold", "-o", "both.parquet")
	if a, b := must(t, "inspect", "all.parquet", "--rows", "3"), must(t, "inspect", "both.parquet", "--rows", "3"); strings.TrimPrefix(a, "all") != strings.TrimPrefix(b, "both") {
		t.Errorf("a file without rows changes those of the next:\n%s\n%s", a, b)
	}
	for _, verb := range [][]string{{"view", "none.csv", "--listen", "127.0.0.1:0"}, {"plot", "none.csv", "-o", "none.png"}} {
		if code, _, errs := run(t, verb...); code != exitBadInput || !strings.Contains(errs, "the map has no rows") {
			t.Errorf("%s of a map without rows: %d %s", verb[0], code, errs)
		}
	}
	for _, in := range []string{"none.csv", stranger} {
		if code, _, errs := run(t, "-q", "fit", in, "--columns", "*", "-o", "n.unfold"); code != exitBadInput || !strings.Contains(errs, "there are no rows") {
			t.Errorf("fit %s: %d %s", in, code, errs)
		}
	}
}

// Standard input accepts every format. With --untrusted it rejects formats that need a temporary
// copy.
func TestEveryFormatOnStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "small.csv", smallCSV())
	must(t, "-q", "fit", "small.csv", "--columns", "x,y,z", "-o", "m.unfold", "--map", "small.parquet", "--keep", "x,y,z", "--steps", "5")
	want := must(t, "inspect", "small.parquet", "--rows", "2")
	for _, ext := range []string{".parquet", ".arrow", ".arrows", ".csv", ".jsonl"} {
		must(t, "-q", "embed", "small.csv", "-m", "m.unfold", "-o", "in"+ext, "--keep", "x,y,z")
		code, _, errs := runInput(t, "in"+ext, "-q", "fit", "-", "--columns", "x,y,z", "-o", "n.unfold", "--map", "again.parquet", "--keep", "x,y,z", "--steps", "5")
		if code != 0 {
			t.Errorf("fit %s: %d %s", ext, code, errs)
			continue
		}
		// Every fit creates a new map id.
		got := must(t, "inspect", "again.parquet", "--rows", "2")
		if _, a, _ := strings.Cut(got, "\n"); a != want[strings.Index(want, "\n")+1:] {
			t.Errorf("fit %s:\n%s\nwant\n%s", ext, got, want)
		}
		code, _, errs = runInput(t, "in"+ext, "-q", "--untrusted", "1GiB", "embed", "-", "-m", "m.unfold", "-o", "places.csv")
		if refused := ext == ".parquet" || ext == ".arrow"; refused != (code == exitBadInput && strings.Contains(errs, "cannot be checked on standard input")) {
			t.Errorf("embed --untrusted %s: %d %s", ext, code, errs)
		}
	}
}
