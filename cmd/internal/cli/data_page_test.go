package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
	"unfold/stream/store/storetest"
)

// foreignTables is the folder of tables written by other programs.
func foreignTables(t *testing.T) string {
	return filepath.Join(repository, "testdata", "foreign", "tables")
}

// atTables changes to a folder with those tables.
func atTables(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(foreignTables(t))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

// Every command of docs/data.md works as the page describes, on files of other programs.
func TestDataPage(t *testing.T) {
	tier.Full(t, "it runs every command of a page")
	text := page(t, filepath.Join(repository, "docs", "data.md"))
	atTables(t)
	for _, command := range commandLines(text) {
		t.Run(command, func(t *testing.T) {
			args := words(command)
			if args[0] == "fit" {
				args = append(args, "--steps", "10")
			}
			must(t, args...)
		})
	}
	report, err := os.ReadFile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Columns []ingest.Use
		Missing []ingest.Hole
		Metric  ingest.Metric
		Dim     *float64 `json:"intrinsic_dim"`
		Same    *float64 `json:"duplicates"`
	}
	if err := json.Unmarshal(report, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Columns) != 4 || len(got.Missing) != 2 || got.Metric != ingest.Euclidean || got.Dim == nil || got.Same == nil || *got.Same != 0 {
		t.Errorf("the report says %+v of\n%s", got, report)
	}
}

// The pipe of duckdb on the page works: fit reads its output.
func TestDuckDBPipe(t *testing.T) {
	tier.Full(t, "it runs Python libraries")
	text := page(t, filepath.Join(repository, "docs", "data.md"))
	recipe := regexp.MustCompile(`(?s)duckdb -c "([^"]+)" \| \\\s+unfold ([^\n]+)\n`).FindStringSubmatch(text)
	if recipe == nil {
		t.Fatal("docs/data.md has no pipe of duckdb")
	}
	atTables(t)
	rows := foreign.Run(t, "import sys, duckdb\nduckdb.sql(sys.argv[1])", recipe[1])
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), System{Args: words(recipe[2]), Stdin: bytes.NewReader(rows), Stdout: &stdout, Stderr: &stderr})
	if code != 0 || !strings.Contains(stdout.String(), "learnt from 80 rows") {
		t.Errorf("exit %d: %s%s", code, &stdout, &stderr)
	}
}

// Inputs at s3:// and http:// work like files: single, by patterns and as folders. A missing one is
// bad input, and the error names the address. Local copies are removed.
func TestInputsElsewhere(t *testing.T) {
	server := storetest.StartS3(t)
	atTables(t)
	t.Setenv("TMPDIR", t.TempDir())
	put := func(key, file string) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		server.Put(key, data)
	}
	for _, file := range []string{"sensors.parquet", "holes.csv", "german.csv.bz2", "arrays.npz"} {
		put("in/"+file, file)
	}
	parts, err := filepath.Glob("flights/*/*/*.parquet")
	if err != nil || len(parts) != 6 {
		t.Fatalf("%d parts, error %v", len(parts), err)
	}
	for _, file := range parts {
		put(filepath.ToSlash(file), file)
	}
	web := httptest.NewServer(http.FileServer(http.Dir(".")))
	t.Cleanup(web.Close)
	for _, c := range []struct {
		name  string
		in    string
		flags []string
		rows  int
	}{
		{"Parquet of a store", server.URL("in/sensors.parquet"), []string{"--columns", "sensor.*"}, 96},
		{"text of a store", server.URL("in/german.csv.bz2"), []string{"--columns", "*", "--decimal", ","}, 96},
		{"a folder of a store", server.URL("flights/"), []string{"--columns", "f*,year,kind"}, 96},
		{"a pattern of a store", server.URL("flights/year=2022/*/*.parquet"), []string{"--columns", "f*"}, 48},
		{"Parquet of the web", web.URL + "/sensors.parquet", []string{"--columns", "sensor.*"}, 96},
		{"an array in an archive of the web", web.URL + "/arrays.npz:x", nil, 96},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := must(t, append([]string{"fit", c.in, "-o", "m.unfold", "--steps", "5"}, c.flags...)...)
			if want := fmt.Sprintf("learnt from %d rows", c.rows); !strings.Contains(out, want) {
				t.Errorf("it says %s, expected %s", out, want)
			}
		})
	}
	for _, c := range []struct{ name, in, want string }{
		{"no object", server.URL("in/none.csv"), "there is no such object"},
		{"no match", server.URL("in/*.orc"), "no object matches the pattern"},
		{"an empty folder", server.URL("out/"), "there is no data in the folder"},
		{"no page", web.URL + "/none.csv", "the server answers 404 Not Found"},
		{"an unknown scheme", "hdfs://host/x.parquet", "hdfs:// is not known here"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := run(t, "fit", c.in, "-o", "m.unfold", "--columns", "*")
			if code != exitBadInput || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, strings.Split(c.in, "?")[0]) {
				t.Errorf("exit %d: %s, expected %q", code, stderr, c.want)
			}
		})
	}
	left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "unfold-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("copies are left: %v", left)
	}
}

// inspect describes a file and suggests flags for fit: ranges, missing values, times in text, and
// the first file of a folder. fit accepts the suggestion.
func TestInspectSuggests(t *testing.T) {
	atTables(t)
	write(t, "times.csv", "at,v,w,code\n2024-01-01 10:00,1,2000,007\n2024-01-02 11:30,2,,008\n2024-01-05 00:00,4,9000,007\n2024-01-07 00:00,4,7000,007\n")
	write(t, "odd.csv", "v,w\n1,2\n3,oops\n5,6\n7,8\n")
	for _, c := range []struct{ file, want string }{
		{"odd.csv", "row 2 (line 3), column \"w\": \"oops\" is not a number; 3 of the 4 values looked at are"},
		{"times.csv", "for fit: --columns '*,at:time' --label code --standardize --missing mean\n"},
		{"times.csv", "w       int64   1        2000 .. 9000"},
		{"times.csv", "values are missing: --missing mean fills them, --missing drop leaves their rows out\n"},
		{"holes.csv", "for fit: --columns '*' --label color --missing mean\n"},
		{"holes.csv", "column \"color\" is taken as the label, as the only column of categories: it colours the map and is not in the vectors; to have it there: --columns '*,color' --standardize --missing mean\n"},
		{"sensors.parquet", "for fit: --columns '*,sensor.at.room,color' --id id --standardize --missing mean\n"},
		{"sensors.parquet", "times are not in the vectors: a time tells when a row was written, not what it contains; to have it there: --columns '*,sensor.at.room,color,day,seen'\n"},
		{"sensors.parquet", "2024-03-01 .. 2024-06-04"},
		{"renamed.parquet", `fit takes the vectors in "vec"`},
		{"flights", "flights/year=2022/kind=in/data_0.parquet: 16 rows of 6 columns"},
	} {
		t.Run(c.file, func(t *testing.T) {
			if out := must(t, "inspect", c.file); !strings.Contains(out, c.want) {
				t.Errorf("it says\n%s\nexpected %s", out, c.want)
			}
		})
	}
	must(t, "-q", "fit", "sensors.parquet", "--columns", "*,sensor.at.room,day,seen,color", "--standardize", "--missing", "mean", "-o", "s.unfold", "--steps", "5")
}
