package ingest_test

import (
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/csv"
	"unfold/ingest/table"
)

// text opens a text file and returns its schema and all fields, row by row.
func text(t *testing.T, name, content string, opts csv.Options) (schema, rows string) {
	t.Helper()
	records := readTable(t, tempFile(t, name, []byte(content)), ingest.Options{CSV: opts})
	return records.Schema().String(), fields(records)
}

func fields(records *table.Table) string {
	var lines []string
	for i := range records.Len() {
		var f []string
		for _, c := range records.Columns() {
			s := c.Text(i)
			if c.IsNull(i) {
				s = "null"
			}
			f = append(f, s)
		}
		lines = append(lines, strings.Join(f, "|"))
	}
	return strings.Join(lines, "\n")
}

func TestCSV(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		opts                csv.Options
		schema, rows        string
	}{
		{"types", "x.csv", "i,f,b,s,code\n1,1.5,true,x,007\n-2,2,False,y,010\n,,,,\n", csv.Options{},
			"i int64, f float64, b bool, s string, code string", "1|1.5|true|x|007\n-2|2|false|y|010\nnull|null|null|null|null"},
		{"no header", "x.csv", "0,tcp,1.5\n1,udp,2\n", csv.Options{},
			"column_0 int64, column_1 string, column_2 float64", "0|tcp|1.5\n1|udp|2"},
		{"header said", "x.csv", "1,2\n3,4\n", csv.Options{Header: csv.HeaderYes}, "1 int64, 2 int64", "3|4"},
		{"no header said", "x.csv", "a,b\nc,d\n", csv.Options{Header: csv.HeaderNo}, "column_0 string, column_1 string", "a|b\nc|d"},
		{"names", "x.csv", "1,2\n3,4\n", csv.Options{Names: []string{"p", "q"}}, "p int64, q int64", "1|2\n3|4"},
		{"names that the file has too", "x.csv", "p,q\n3,4\n", csv.Options{Names: []string{"p", "q"}}, "p int64, q int64", "3|4"},
		{"set types", "x.csv", "a,b\n1,2\n", csv.Options{Types: map[string]string{"a": "string", "b": "float64"}}, "a string, b float64", "1|2"},
		{"quotes and lines", "x.csv", "a,b\r\n\"x,\"\"y\"\"\",\"two\nlines\"\r\n", csv.Options{}, "a string, b string", "x,\"y\"|two\nlines"},
		{"byte order mark", "x.csv", "\uFEFFa,b\n1,2\n", csv.Options{}, "a int64, b int64", "1|2"},
		{"tabs", "x.tsv", "a\tb c\n1\tx y\n", csv.Options{}, "a int64, b c string", "1|x y"},
		{"semicolons", "x.txt", "a;b\n1;2\n", csv.Options{}, "a int64, b int64", "1|2"},
		{"blanks", "x.txt", "6.0 -1.0  0.5 \n\n5.0 1 1\n", csv.Options{}, "column_0 float64, column_1 float64, column_2 float64", "6|-1|0.5\n5|1|1"},
		{"blanks in .csv", "x.csv", "name\nhot dog\ncold cat\n", csv.Options{}, "name string", "hot dog\ncold cat"},
		{"separator said", "x.csv", "a|b\n1|2\n", csv.Options{Comma: '|'}, "a int64, b int64", "1|2"},
		{"compressed", "x.csv.gz", string(gz([]byte("a\n1\n"))), csv.Options{}, "a int64", "1"},
		{"empty names", "x.csv", "a,\n1,2\n", csv.Options{Header: csv.HeaderYes}, "a int64, column_1 int64", "1|2"},
		{"last line without its end", "x.csv", "a\n1\n2", csv.Options{}, "a int64", "1\n2"},
	} {
		schema, rows := text(t, c.file, c.content, c.opts)
		if schema != c.schema || rows != c.rows {
			t.Errorf("%s: %s\n%s\nwant %s\n%s", c.name, schema, rows, c.schema, c.rows)
		}
	}
}

// Types come from the first part of a long file only.
func TestCSVInfersFromAPrefix(t *testing.T) {
	content := "a\n" + strings.Repeat("1\n", 1000) + "x\n"
	path := tempFile(t, "x.csv", []byte(content))
	_, _, err := readFile(path, ingest.Options{CSV: csv.Options{InferBytes: 100}})
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), "row 1001 (line 1002)") {
		t.Errorf("error %v", err)
	}
	rows, schema, err := readFile(path, ingest.Options{CSV: csv.Options{InferBytes: 100, Types: map[string]string{"a": "string"}}})
	if err != nil || rows != 1001 || schema[0].Type != "string" {
		t.Errorf("%d rows, %s, %v", rows, schema, err)
	}
}
