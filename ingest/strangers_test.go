package ingest_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/csv"
	"unfold/ingest/table"
)

// strangers contains files that other programs wrote; the script is in the same folder.
const strangers = "../testdata/foreign/strangers"

// Every file of strangers.py is read as intended, or its format is identified. The columns that "*"
// omits are listed.
func TestStrangers(t *testing.T) {
	const (
		schema = "city string, area float64, rooms int64, new bool"
		rows   = "Ulm|20.5|1|true\nKöln|57.25|3|false\nRom|-1|2|true"
		words  = "city (text)"
		vector = "vector fixed_size_list<float32>[2]"
		matrix = "[0 0.25]\n[0.5 0.75]\n[1 1.25]"
	)
	comma := csv.Options{Decimal: ','}
	latin := csv.Options{Encoding: "latin1"}
	for _, c := range []struct {
		file   string
		opts   csv.Options
		schema string
		rows   string // or the error, if there is no schema
		left   string
	}{
		{"pandas.csv", csv.Options{}, "column_0 int64, " + schema, "0|Ulm|20.5|1|true\n1|Köln|57.25|3|false\n2|Rom|-1|2|true", "column_0 (an id: the index of the rows); city (text)"},
		{"pandas-noindex.csv", csv.Options{}, schema, rows, words},
		{"pandas-german.csv", comma, schema, rows, words},
		{"pandas-latin1.csv", latin, schema, rows, words},
		{"pandas-latin1.csv", csv.Options{}, "", "row 2 (line 3): the text is not UTF-8 (byte 0xf6); if it is Latin-1", ""},
		{"pandas-utf16.csv", csv.Options{}, schema, rows, words},
		{"pandas-utf8-bom.csv", csv.Options{}, schema, rows, words},
		{"pandas-na.csv", csv.Options{}, schema, strings.Replace(rows, "57.25", "null", 1), words},
		{"pandas.csv.gz", csv.Options{}, schema, rows, words},
		{"pandas.csv.zst", csv.Options{}, schema, rows, words},
		{"pandas.csv.bz2", csv.Options{}, schema, rows, words},
		{"pandas.csv.lz4", csv.Options{}, schema, rows, words},
		{"pandas.csv.xz", csv.Options{}, schema, rows, words},
		{"pandas-unnamed.csv", csv.Options{}, "column_0 int64, 0 float64, 1 float64", "0|0|0.25\n1|0.5|0.75\n2|1|1.25", "column_0 (an id: the index of the rows)"},
		{"polars.tsv", csv.Options{}, schema, rows, words},
		{"excel.csv", csv.Options{Encoding: "windows-1252", Decimal: ','}, "city string, area float64, note string", "Ulm|20.5|two\nlines; quoted\nKöln|57.25|says \"no\"", "city, note (text)"},
		{"r-csv2.csv", comma, "column_0 int64, area float64, rooms int64", "1|20.5|1\n2|null|3\n3|1e-05|2", "column_0 (an id: the index of the rows)"},
		{"pandas.json", csv.Options{}, schema, rows, words},
		{"pandas.jsonl", csv.Options{}, schema, rows, words},
		{"openpyxl.xlsx", csv.Options{}, "", "this is an Excel workbook, which is not read; save it as CSV or Parquet", ""},
		{"pandas.pkl", csv.Options{}, "", "this is a Python pickle, which is not read; save the array by numpy.save", ""},

		{"pandas-index.parquet", csv.Options{}, schema + ", __index_level_0__ int64", "Ulm|20.5|1|true|7\nKöln|57.25|3|false|9\nRom|-1|2|true|4", "city (text); __index_level_0__ (an id: the index of the rows)"},
		{"pandas-empty.parquet", csv.Options{}, schema, "", words},
		{"polars.parquet", csv.Options{}, schema, rows, words},
		{"pyarrow-lz4.parquet", csv.Options{}, schema, rows, words},
		{"pyarrow-lz4-v2.parquet", csv.Options{}, schema, rows, words},

		{"order-c.npy", csv.Options{}, vector, matrix, ""},
		{"order-f.npy", csv.Options{}, vector, matrix, ""},
		{"order-f3.npy", csv.Options{}, "vector fixed_size_list<int16>[6]", "[0 1 2 3 4 5]\n[6 7 8 9 10 11]", ""},
		{"big.npy", csv.Options{}, "vector fixed_size_list<float64>[2]", matrix, ""},
		{"half.npy", csv.Options{}, "vector fixed_size_list<float16>[2]", matrix, ""},
		{"bool.npy", csv.Options{}, "vector fixed_size_list<uint8>[2]", "[0 0]\n[0 1]\n[1 1]", ""},
		{"empty.npy", csv.Options{}, vector, "", ""},
		{"texts.npy", csv.Options{}, "value string", "Ulm\nKöln\n", ""},
		{"texts-big.npy", csv.Options{}, "value string", "Ulm\nKöln", ""},
		{"bytes.npy", csv.Options{}, "value string", "Ulm\nRom", ""},
		{"bytes-latin1.npy", csv.Options{}, "", `row 1, column "value": "K\xf6ln" is not UTF-8; save the array as texts`, ""},
		{"objects.npy", csv.Options{}, "", `its elements are Python objects ("O"), a pickle, which is not read`, ""},
		{"one.npz", csv.Options{}, vector, matrix, ""},
		{"many.npz", csv.Options{}, vector + ", y string", "[0 0.25]|a\n[0.5 0.75]|b\n[1 1.25]|a", ""},
		{"many.npz:x", csv.Options{}, vector, matrix, ""},
		{"many.npz:y", csv.Options{}, "value string", "a\nb\na", ""},
		{"many.npz:z", csv.Options{}, "", `there is no array "z" in it`, ""},
	} {
		t.Run(c.file, func(t *testing.T) {
			path := strangers + "/" + c.file
			open := map[string]func() (table.Reader, error){
				"file": func() (table.Reader, error) {
					return ingest.Open(context.Background(), path, ingest.Options{CSV: c.opts})
				},
			}
			if !strings.Contains(c.file, ":") {
				open["standard input"] = func() (table.Reader, error) {
					f, err := os.Open(path)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { f.Close() })
					return ingest.Open(context.Background(), "-", ingest.Options{CSV: c.opts, Stdin: struct{ reader }{f}})
				}
			}
			for from, open := range open {
				where := path
				if from != "file" {
					where = from
				}
				r, records, err := readWhole(open)
				if c.schema == "" {
					want := strings.Replace(c.rows, path+":x", where+":x", 1)
					if from != "file" {
						want = strings.Split(want, "; name one")[0]
					}
					if !table.IsBadInput(err) || !strings.HasPrefix(err.Error(), where+": "+want) {
						t.Errorf("%s: error %v\nwant %s", from, err, want)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s: %v", from, err)
					continue
				}
				if got := r.Schema().String(); got != c.schema {
					t.Errorf("%s: columns %s\nwant %s", from, got, c.schema)
				}
				if got := fields(records); got != c.rows {
					t.Errorf("%s: rows\n%s\nwant\n%s", from, got, c.rows)
				}
				if strings.Contains(c.schema, "[") || strings.HasPrefix(c.schema, "value") {
					continue
				}
				f, err := ingest.NewFitter(columnsOf(t, "*"), r.Schema())
				if err != nil {
					t.Errorf("%s: %v", from, err)
				} else if got := ingest.DescribeLeft(f.Left()); !strings.HasPrefix(got, `columns that "*" leaves out: `+c.left+"; name one") {
					t.Errorf("%s: %s\nwant %s", from, got, c.left)
				}
			}
		})
	}
}

// reader hides that a source is a file.
type reader interface{ Read([]byte) (int, error) }

func readWhole(open func() (table.Reader, error)) (table.Reader, *table.Table, error) {
	r, err := open()
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	whole, err := ingest.NoRows(r)
	if err != nil {
		return nil, nil, err
	}
	var tables []*table.Table
	for {
		t, err := r.Next(context.Background())
		if t != nil {
			tables = append(tables, t)
			continue
		}
		if len(tables) == 0 {
			return r, whole, ignoreEnd(err)
		}
		whole, joinErr := table.ConcatTables(tables...)
		if joinErr != nil {
			return nil, nil, joinErr
		}
		return r, whole, ignoreEnd(err)
	}
}

// Every file of the folder has a row in TestStrangers.
func TestStrangersAreAllRead(t *testing.T) {
	source, err := os.ReadFile("strangers_test.go")
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(strangers)
	if err != nil || len(files) < 30 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if !strings.Contains(string(source), `{"`+filepath.Base(f.Name())+`"`) {
			t.Errorf("%s has no row", f.Name())
		}
	}
}

func ignoreEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
