package ingest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"unfold/ingest"
	"unfold/ingest/csv"
	"unfold/ingest/table"
)

func TestDialects(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		opts                csv.Options
		schema, rows        string
	}{
		{"semicolons in .csv", "x.csv", "a;b\n1.5;x, y\n2;z, y\n", csv.Options{}, "a float64, b string", "1.5|x, y\n2|z, y"},
		{"tabs in .csv", "x.csv", "a\tb\n1\tx\n", csv.Options{}, "a int64, b string", "1|x"},
		{"bars", "x.csv", "a|b\n1|2\n", csv.Options{}, "a int64, b int64", "1|2"},
		{"commas with lists", "x.csv", "a,b\n1,x;y\n2,z;y\n", csv.Options{}, "a int64, b string", "1|x;y\n2|z;y"},
		{"decimal commas", "x.csv", "a;b\n1,5;2\n-0,25;3,5\n,5;NA\n", csv.Options{DecimalComma: true}, "a float64, b float64", "1.5|2\n-0.25|3.5\n0.5|null"},
		{"decimal commas, no header", "x.csv", "1,5;2,5\n3,5;4,5\n", csv.Options{DecimalComma: true}, "column_0 float64, column_1 float64", "1.5|2.5\n3.5|4.5"},
		{"quoted decimal commas", "x.csv", "a,b\n\"1,5\",2\n", csv.Options{DecimalComma: true}, "a float64, b int64", "1.5|2"},
		{"a line that says the separator", "x.csv", "sep=;\r\na;b\r\n1;2\r\n", csv.Options{}, "a int64, b int64", "1|2"},
		{"blanks after commas", "x.csv", "a, b\n1, 2.5\n", csv.Options{}, "a int64,  b float64", "1|2.5"},
		{"an index without a name", "x.csv", ",a\n0,1.5\n1,2.5\n", csv.Options{}, "column_0 int64, a float64", "0|1.5\n1|2.5"},
		{"an index and numbers for names", "x.csv", ",0,1\n0,1.5,x\n1,2.5,y\n", csv.Options{}, "column_0 int64, 0 float64, 1 string", "0|1.5|x\n1|2.5|y"},
		{"a column without a name among names", "x.csv", "a,,c\n1,x,y\n2,z,w\n", csv.Options{}, "a int64, column_1 string, c string", "1|x|y\n2|z|w"},
		{"quoted lines and CRLF", "x.csv", "a;b\r\n\"x\r\ny\";1\r\n", csv.Options{}, "a string, b int64", "x\ny|1"},
		{"latin1", "x.csv", latin1(t, "name,x\nMüller,1\nÇelik,2\n"), csv.Options{Encoding: "latin1"}, "name string, x int64", "Müller|1\nÇelik|2"},
		{"utf-16 with a mark", "x.txt", utf16(t, unicode.LittleEndian, unicode.UseBOM, "name\tx\nMüller\t1\n"), csv.Options{}, "name string, x int64", "Müller|1"},
		{"big-endian utf-16 with a mark", "x.txt", utf16(t, unicode.BigEndian, unicode.UseBOM, "name\tx\nMüller\t1\n"), csv.Options{}, "name string, x int64", "Müller|1"},
		{"utf-16 said", "x.csv", utf16(t, unicode.LittleEndian, unicode.IgnoreBOM, "name,x\nMüller,1\n"), csv.Options{Encoding: "utf-16"}, "name string, x int64", "Müller|1"},
		{"big-endian utf-16 said", "x.csv", utf16(t, unicode.BigEndian, unicode.IgnoreBOM, "name,x\nMüller,1\n"), csv.Options{Encoding: "utf-16be"}, "name string, x int64", "Müller|1"},
		{"latin letters of MS-DOS", "x.csv", "name,x\nZ\x81rich,1\n", csv.Options{Encoding: "cp850"}, "name string, x int64", "Zürich|1"},
		{"all missing", "x.csv", "a,b\nNA,1\n,2\n", csv.Options{}, "a string, b int64", "NA|1\nnull|2"},
	} {
		schema, rows := text(t, c.file, c.content, c.opts)
		if schema != c.schema || rows != c.rows {
			t.Errorf("%s: %s\n%s\nwant %s\n%s", c.name, schema, rows, c.schema, c.rows)
		}
	}
}

func latin1(t *testing.T, s string) string {
	t.Helper()
	out, err := charmap.ISO8859_1.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func utf16(t *testing.T, e unicode.Endianness, b unicode.BOMPolicy, s string) string {
	t.Helper()
	out, err := unicode.UTF16(e, b).NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Text with invalid encoding is an error with the line, at any position.
func TestEncodingErrors(t *testing.T) {
	long := strings.Repeat("x,1\n", 100_000)
	for _, c := range []struct {
		name, content, encoding string
		want                    string
	}{
		{"latin1", "name,x\nUlm,1\nM\xfcller,2\n", "", `row 2 (line 3): the text is not UTF-8 (byte 0xfc); if it is Latin-1 or Windows text say so: --encoding latin1`},
		{"first row", "name,x\nM\xfcller,2.5\nUlm,1\n", "", `row 1 (line 2): the text is not UTF-8 (byte 0xfc)`},
		{"header", "n\xe4me,x\nUlm,1\n", "", `line 1: the text is not UTF-8 (byte 0xe4)`},
		{"late", "name,x\n" + long + "M\xfcller,2\n", "", `row 100001 (line 100002): the text is not UTF-8`},
		{"cut off", "name,x\nUlm,1\nM\xc3", "", `row 2 (line 3): the text is not UTF-8 (byte 0xc3)`},
		{"text of MS-DOS", "name,x\nZ\x81rich,1\nK\x94ln,2\n", "", `row 1 (line 2): the text is not UTF-8 (byte 0x81); if it is text of MS-DOS say so: --encoding cp850`},
		{"text of a Macintosh", "name,x\nZ\x9frich,1\nK\x9aln,2\n", "", `row 1 (line 2): the text is not UTF-8 (byte 0x9f); if it is text of an old Macintosh say so: --encoding macintosh`},
		{"Cyrillic", "name,x\n\xcc\xee\xf1\xea\xe2\xe0,1\n", "", `row 1 (line 2): the text is not UTF-8 (byte 0xcc); if it is Cyrillic text say so: --encoding windows-1251`},
		{"big-endian utf-16", "\x00n\x00a\x00m\x00e\x00\n", "", `this seems to be UTF-16 text without a byte order mark; if it is say so: --encoding utf-16be`},
		{"shift_jis", "name,x\nUlm,1\n\x81\xff,2\n", "shift_jis", `row 2 (line 3): the text is not shift_jis; name the encoding that it is in`},
		{"utf-16", "n\x00a\x00m\x00e\x00\n\x00", "", `this seems to be UTF-16 text without a byte order mark; if it is say so: --encoding utf-16le`},
		{"unknown", "name\nx\n", "klingon", `the encoding "klingon" is not known`},
	} {
		path := tempFile(t, "x.csv", []byte(c.content))
		o := ingest.ReadOptions{Mapping: columnsOf(t, "*")}
		o.CSV.Encoding = c.encoding
		_, err := ingest.ReadAll(context.Background(), []string{path}, o)
		if !table.IsBadInput(err) || !strings.HasPrefix(err.Error(), path+": "+c.want) {
			t.Errorf("%s: error %v\nwant %s", c.name, err, c.want)
		}
	}
}

// Thousands of columns are recognized, inferred and read.
func TestWideText(t *testing.T) {
	const wide = 20_000
	var b strings.Builder
	for i := range wide {
		fmt.Fprintf(&b, "gene%d;", i)
	}
	b.WriteString("last\n")
	for row := range 3 {
		for i := range wide {
			fmt.Fprintf(&b, "%d;", (i+row)*7919%1000)
		}
		fmt.Fprintf(&b, "%g\n", 0.5*float64(row))
	}
	records := readTable(t, tempFile(t, "x.csv", []byte(b.String())), ingest.Options{})
	if records.Len() != 3 || len(records.Schema()) != wide+1 {
		t.Fatalf("%d rows of %d columns", records.Len(), len(records.Schema()))
	}
	if c, ok := records.Column("last"); !ok || c.Text(2) != "1" || c.DataType() != "float64" {
		t.Errorf("last column %v", c)
	}
}

// An unexpected decimal comma is an error with advice; the column does not become categories.
func TestDecimalCommaIsAdvised(t *testing.T) {
	path := tempFile(t, "x.csv", []byte("a;b;c\n1,5;2,5;1\n2,5;3,5;2\n"))
	for _, columns := range []string{"*", "a,b"} {
		_, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: columnsOf(t, columns)})
		want := path + `: row 1 (line 2), column "a": "1,5" is not a number; if that is a decimal comma say so: --decimal ,`
		if err == nil || err.Error() != want {
			t.Errorf("%s: error %v", columns, err)
		}
	}
}
