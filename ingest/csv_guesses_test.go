package ingest_test

import (
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/csv"
	"unfold/ingest/table"
)

// The format of a text is guessed by documented rules, and every uncertain guess is reported.
func TestCSVGuesses(t *testing.T) {
	const numbers = "0.5,1.5,2.5\n3.5,4.5,5.5\n"
	for _, c := range []struct{ name, content, schema, said string }{
		{"names", "a,b,c\n" + numbers, "a float64, b float64, c float64", ""},
		{"a count", "0,1,2\n" + numbers, "0 float64, 1 float64, 2 float64", "header: yes, since its fields count up from 0"},
		{"a count above whole numbers", "1,2,3\n7,8,9\n4,1,2\n", "1 int64, 2 int64, 3 int64", "header: yes, since its fields count up from 1"},
		{"an edge", "0,1\n1,2\n2,3\n", "column_0 int64, column_1 int64", `header: no, since "0" in the first line is no name`},
		{"whole numbers above fractions", "10,20\n0.5,1.5\n2.5,3.5\n", "10 float64, 20 float64", "header: yes, since its fields are whole numbers, and those below are fractions"},
		{"a point of a circle", "1,0\n0.5,0.866\n0.7,0.714\n", "column_0 float64, column_1 float64", "header: no"},
		{"years", "2001,2002,2003\n7,8,9\n4,1,2\n", "2001 int64, 2002 int64, 2003 int64", "header: yes, since its fields are years"},
		{"years behind a name", "id,2001,2002\n7,8,9\n4,1,2\n", "id int64, 2001 int64, 2002 int64", "header: yes, since names stand above numbers"},
		{"no names", "0.25,tcp\n0.5,udp\n", "column_0 float64, column_1 string", `header: no, since "0.25" in the first line is no name`},
		{"names of rows", "a,b\nr1,0.5,1.5\nr2,2.5,3.5\n", "column_0 string, a float64, b float64", "header: yes, since it has one field less than the records"},
		{"names of rows between blanks", "\"a\" \"b\"\n\"r 1\" 0.5 1.5\n\"r 2\" 2.5 3.5\n", "column_0 string, a float64, b float64", "one field less"},
		{"separators at the end", "a,b,\n0.5,1.5,\n2.5,3.5,\n", "a float64, b float64", "the last column has neither name nor values"},
		{"separators behind records only", "a,b\n0.5,1.5,\n2.5,3.5,\n", "a float64, b float64", "the last column has neither name nor values"},
		{"a separator behind names only", "a,b,\n0.5,1.5\n2.5,3.5\n", "a float64, b float64", "the last column has neither name nor values"},
		{"a last column with a value", "a,b,\n0.5,1.5,\n2.5,3.5,x\n", "a float64, b float64, column_2 string", "header: no"},
		{"a title", "Report of May, 2024\n\na,b,c\n" + numbers, "a float64, b float64, c float64", "1 line before the header left out"},
		{"a title of many fields", "x,y,z,u,v\na,b,c\n" + numbers, "a float64, b float64, c float64", "1 line before the header left out"},
		{"a title among separators", "Report,,\n,,\na,b,c\n" + numbers, "a float64, b float64, c float64", "2 lines before the header left out, with a title in the first field"},
		{"names after a name", "city,0,1,2\nUlm,4,5,6\nBonn,1,8,9\n", "city string, 0 int64, 1 int64, 2 int64", "header: yes, since its fields count up from 0 after a name"},
		{"wavelengths", "400.5,401,401.5,402,402.5\n5,1,3,2,2\n4,1,5,2,2\n", "400.5 int64, 401 int64, 401.5 int64, 402 int64, 402.5 int64", "header: yes, since its fields are numbers in equal steps"},
		{"a ramp of numbers", "1.5,2,2.5,3,3.5\n4,5,6,7,8\n1,2,3,4,5\n", "column_0 float64, column_1 int64, column_2 float64, column_3 int64, column_4 float64", "header: no"},
		{"several empty columns", "a,b,,\n0.5,1.5,,\n2.5,3.5,,\n", "a float64, b float64", "the last 2 columns have neither names nor values"},
		{"units", "a,b,c\nmm,kg,\n" + numbers, "a float64, b float64, c float64", `the line below the names left out, since it has text above numbers (units such as "mm")`},
		{"names of two levels", ",A,A,B\n,x,y,x\n0,0.5,1.5,2.5\n1,3.5,4.5,5.5\n", "column_0 int64, A_x float64, A_y float64, B_x float64", "header: of several lines"},
		{"names of two levels and of row labels", "k,A,A,B\nl,x,y,x\nrow,,,\n0,0.5,1.5,2.5\n1,3.5,4.5,5.5\n", "row int64, A_x float64, A_y float64, B_x float64", "header: of several lines"},
		{"words among numbers are no units", "a,b,c\n0.5,1.5,x\nmm,kg,y\n2.5,3.5,z\n", "a string, b string, c string", ""},
		{"one name twice", "a,b,a\n" + numbers, "a float64, b float64, a.1 float64", `two columns have the name "a": column 3 is read as "a.1"`},
		{"a footnote", "a,b,c\n" + numbers + "\nSource: someone\n", "a float64, b float64, c float64", `1 line at the end left out, with "Source: someone" in the first field`},
		{"a footnote among separators", "a,b,c\n" + numbers + ",,\nSource,,\n", "a float64, b float64, c float64", "2 lines at the end left out"},
		{"a name without values is no footnote", "a,b,c\nx,1.5,2\ny,2.5,3\nz,,\n", "a string, b float64, c int64", ""},
		{"carets", "a^b\n0.5^1.5\n2.5^3.5\n", "a float64, b float64", ""},
		{"control characters", "a\x01b\n0.5\x011.5\n2.5\x013.5\n", "a float64, b float64", ""},
		{"times are no columns", "12:30:00\n12:31:00\n", "column_0 string", ""},
		{"comments", "# made\n# by hand\na,b,c\n" + numbers, "a float64, b float64, c float64", "2 lines of comments before the records left out"},
		{"names in a comment", "# a,b,c\n" + numbers, "a float64, b float64, c float64", "header: yes, the comment on line 1"},
		{"an empty line below units", "a,b,c\nmm,kg,s\n,,\n" + numbers, "a float64, b float64, c float64", "the line below the names left out"},
		{"titles with values", "Report,,\nDate,2021-03-04,\n,,\na,b,c\n" + numbers, "a float64, b float64, c float64", "3 lines before the header left out"},
		{"a sentence at the end", "a,b,c\n" + numbers + "Source: someone, 2020\n", "a float64, b float64, c float64", "1 line at the end left out"},
		{"a number of rows at the end", "a|b\n0.5|1.5\n2.5|3.5\n(2 rows)\n", "a float64, b float64", `1 line at the end left out, with "(2 rows)"`},
		{"psql", " a  |  b  \n----+-----\n x  | 1.5 \n yz | 2.5 \n(2 rows)\n", "a string, b float64", "lines that draw the table left out"},
		{"mysql", "+----+-----+\n| a  | b   |\n+----+-----+\n| x  | 1.5 |\n| yz | 2.5 |\n+----+-----+\n", "a string, b float64", "lines that draw the table left out"},
		{"box drawing", "┌────┬─────┐\n│ a  │ b   │\n├────┼─────┤\n│ x  │ 1.5 │\n│ yz │ 2.5 │\n└────┴─────┘\n", "a string, b float64", "lines that draw the table left out"},
		{"Markdown", "| a  | b   |\n|:---|----:|\n| x  | 1.5 |\n| yz | 2.5 |\n", "a string, b float64", "lines that draw the table left out"},
		{"blanks within drawn columns", "a    b  \n---  ---\nx y  1.5\nz    2.5\n", "a string, b float64", "lines that draw the table left out"},
		{"bars at both ends", "|  a |   b |\n|  x | 1.5 |\n| yz | 2.5 |\n", "a string, b float64", "bars at both ends of all lines left out"},
		{"IPAC", "|  a |   b |\n|char|float|\n  x    1.5 \n  yz   2.5 \n", "a string, b float64", "the first line between bars"},
		{"single quotes", "'a','b'\n'x',1.5\n'y',2.5\n", "a string, b float64", "quotes: '"},
		{"dashes for missing values", "a,b\n---,---\n0.5,1.5\n", "a string, b string", ""},
		{"carriage returns", "a,b,c\r" + strings.ReplaceAll(numbers, "\n", "\r"), "a float64, b float64, c float64", ""},
	} {
		r := openText(t, c.content, csv.Options{})
		schema, said := r.Schema().String(), strings.Join(ingest.Guessed(r).Guesses(), "; ")
		r.Close()
		if c.name == "a last column with a value" {
			said = c.said // the guess about the header is tested elsewhere
			schema = c.schema
		}
		if c.name == "times are no columns" {
			said, schema = c.said, strings.Replace(schema, "12:30:00", "column_0", 1)
		}
		if schema != c.schema || c.said == "" && said != "" || !strings.Contains(said, c.said) {
			t.Errorf("%s: %s, said %q\nwant %s, %q", c.name, schema, said, c.schema, c.said)
		}
		if !strings.HasPrefix(ingest.Guessed(r).Reading(), "fields between ") {
			t.Errorf("%s: %q", c.name, ingest.Guessed(r).Reading())
		}
	}
}

func openText(t *testing.T, content string, o csv.Options) table.Reader {
	t.Helper()
	path := tempFile(t, "x.csv", []byte(content))
	if !strings.Contains(content, ",") {
		path = tempFile(t, "x.txt", []byte(content))
	}
	r, err := ingest.Open(t.Context(), path, ingest.Options{CSV: o})
	if err != nil {
		t.Fatalf("%q: %v", content, err)
	}
	return r
}

// A format that cannot be guessed is an error that names the option. With the option the file is
// read.
func TestCSVOptionsThatErrorsName(t *testing.T) {
	for _, c := range []struct {
		name, content string
		said          string
		options       csv.Options
		rows          string
	}{
		{"backslashes", "a,b\n1,\"x \\\"y\\\"\"\n", `--csv-escape '\'`, csv.Options{Escape: '\\'}, `1|x "y"`},
		{"quotes that are characters", "a,b\n1,\"x\" y\n", "--csv-quote none", csv.Options{Quote: csv.NoQuote}, `1|"x" y`},
		{"a quote that is not closed", "a,b\n1,\"x\n", "--csv-quote none", csv.Options{Quote: csv.NoQuote}, `1|"x`},
		{"short records", "a,b\n1,2\n3\n", "--csv-fill", csv.Options{Fill: true}, "1|2\n3|null"},
		{"comments between records", "a,b\n1,2\n# x, y, z\n3,4\n", "--csv-comment '#'", csv.Options{Comment: '#'}, "1|2\n3|4"},
		{"a word for nothing", "a,b\n1,2\n.,3\n4,5\n", "--missing-values '.'", csv.Options{Missing: []string{"."}}, "1|2\nnull|3\n4|5"},
		{"a number for nothing", "a,b\n1,2\n-999.0,3\n4,5\n", "", csv.Options{Missing: []string{"-999"}}, "1|2\nnull|3\n4|5"},
		{"other quotes", "a,b\n'1.5','2'\n'3','4'\n", "--csv-quote \"'\"", csv.Options{Quote: '\''}, "1.5|2\n3|4"},
		{"thousands", "a;b\n1,234.5;2\n3;4\n", "--csv-thousands ','", csv.Options{Thousands: ','}, "1234.5|2\n3|4"},
		{"comments of fewer fields", "a,b\nx,2\n# x\ny,4\n", "--csv-comment CHAR", csv.Options{Comment: '#'}, "x|2\ny|4"},
		{"lines to skip", "x\na\n1\n3\n", "--csv-skip 1", csv.Options{Skip: 1}, "1\n3"},
		{"single quotes around separators", "a,b\n1,'x, y'\n2,'z'\n", `--csv-quote "'"`, csv.Options{Quote: '\''}, "1|x, y\n2|z"},
		{"backslashes before separators", "a,b\n1,x\\, y\n2,z\n", `--csv-escape '\'`, csv.Options{Escape: '\\'}, "1|x, y\n2|z"},
		{"points between thousands", "a;b\n1.234,5;2\n3,5;4\n", "--decimal , --csv-thousands .", csv.Options{Thousands: '.', DecimalComma: true}, "1234.5|2\n3.5|4"},
		{"apostrophes between thousands", "a;b\n1'234.5;2\n3;4\n", `--csv-thousands "'"`, csv.Options{Thousands: '\''}, "1234.5|2\n3|4"},
		{"thin blanks between thousands", "a;b\n1\u202f234;2\n2\u202f345;4\n", "--csv-thousands '\u202f'", csv.Options{Thousands: '\u202f'}, "1234|2\n2345|4"},
		{"quotes behind blanks", "a, b\n1, \"x, y\"\n", "", csv.Options{Trim: true}, "1|x, y"},
	} {
		path := tempFile(t, "x.csv", []byte(c.content))
		_, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: columnsOf(t, "*")})
		if c.said != "" && (!table.IsBadInput(err) || !strings.Contains(err.Error(), c.said)) {
			t.Errorf("%s: error %v\nwant %s", c.name, err, c.said)
		}
		if _, rows := text(t, "x.csv", c.content, c.options); rows != c.rows {
			t.Errorf("%s: %q, want %q", c.name, rows, c.rows)
		}
	}
}

// U+FFFD is an ordinary character. Half of a surrogate pair is an error.
func TestUTF16(t *testing.T) {
	const good = "\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xfd\xff\n\x00"
	if _, rows := text(t, "x.csv", good, csv.Options{}); rows != "1|\uFFFD" {
		t.Errorf("rows %q", rows)
	}
	for _, bad := range []string{"\x00\xd8,\x00", "\x00\xdc", "\x00"} {
		path := tempFile(t, "x.csv", []byte(good+"2\x00,\x00"+bad))
		if _, _, err := readFile(path, ingest.Options{}); !table.IsBadInput(err) || !strings.Contains(err.Error(), "the text is not utf-16le") {
			t.Errorf("%q: error %v", bad, err)
		}
	}
}
