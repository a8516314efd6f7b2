package ingest_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// floats returns a text of 20 rows whose column b contains the given text in line 8.
func floats(bad string) string {
	var b strings.Builder
	b.WriteString("a,b,c\n")
	for i := range 20 {
		cell := fmt.Sprint(0.5 + float64(i*i))
		if i == 6 {
			cell = bad
		}
		fmt.Fprintf(&b, "%g,%s,%g\n", math.Sin(float64(i)), cell, math.Cos(float64(i)))
	}
	return b.String()
}

func columnsOf(t testing.TB, text string) ingest.Mapping {
	t.Helper()
	specs, err := ingest.ParseColumns(text)
	if err != nil {
		t.Fatal(err)
	}
	return ingest.Mapping{Columns: specs}
}

// One bad cell among numbers is an error with its position and value, however the columns are
// selected. The column is neither dropped nor encoded as categories.
func TestOneBadCell(t *testing.T) {
	for _, c := range []struct{ cell, want string }{
		{"", "the value is missing"},
		{"NA", `the value is missing ("NA")`},
		{"N/A", `the value is missing ("N/A")`},
		{"null", `the value is missing ("null")`},
		{"NULL", `the value is missing ("NULL")`},
		{"None", `the value is missing ("None")`},
		{"NaN", `the value is missing ("NaN")`},
		{"nan", `the value is missing ("nan")`},
		{"-", `the value is missing ("-")`},
		{" ? ", `the value is missing (" ? ")`},
		{"oops", `"oops" is not a number; 19 of the 20 values looked at are`},
		{"true", `"true" is not a number`},
		{"1e400", `the value is +Inf ("1e400")`},
		{"-1e400", `the value is -Inf ("-1e400")`},
		{"1e39", "the value is 1e+39"},
		{`"1,5"`, `"1,5" is not a number; if that is a decimal comma say so: --decimal ,`},
		{`"1,234"`, `"1,234" is not a number; if that is a decimal comma say so: --decimal , and if it stands between thousands: --csv-thousands ','`},
		{`"1,234.5"`, `"1,234.5" is not a number; it has marks between thousands`},
	} {
		for _, columns := range []string{"*", "a,b", "b:standardize,c", "*:log1p"} {
			path := tempFile(t, "x.csv", []byte(floats(c.cell)))
			_, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: columnsOf(t, columns)})
			want := path + `: row 7 (line 8), column "b": ` + c.want
			if !table.IsBadInput(err) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q, columns %s: error %v\nwant %s", c.cell, columns, err, want)
			}
		}
	}
}

// A column that is not encoded may contain any text, and is passed on unchanged.
func TestOddColumnsPassThrough(t *testing.T) {
	m := columnsOf(t, "a,c")
	m.Keep = []string{"b"}
	for _, cell := range []string{"oops", "1e400", "NA"} {
		path := tempFile(t, "x.csv", []byte(floats(cell)))
		d, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: m})
		if err != nil {
			t.Fatalf("%s: %v", cell, err)
		}
		if got := d.Kept[0].Text(6); cell == "oops" && got != "oops" {
			t.Errorf("%s is %q", cell, got)
		}
		if got := d.Kept[0].Text(5); got != "25.5" {
			t.Errorf("beside %s: %q", cell, got)
		}
	}
}

// A type that is set treats numbers as text, or makes text an error.
func TestSetTypes(t *testing.T) {
	path := tempFile(t, "x.csv", []byte(floats("oops")))
	read := func(types map[string]string) (*ingest.Dataset, error) {
		o := ingest.ReadOptions{Mapping: columnsOf(t, "a,b,c")}
		o.CSV.Types = types
		return ingest.ReadAll(context.Background(), []string{path}, o)
	}
	d, err := read(map[string]string{"b": "string"})
	if err != nil || d.X.Cols != 2+20+1 {
		t.Errorf("as words: %v, error %v", d, err)
	}
	_, err = read(map[string]string{"b": "float64"})
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), `row 7 (line 8), column "b": "oops" is not of type float64; the column's type has been set; correct the row, or set it to string: --types b=string`) {
		t.Errorf("as numbers: %v", err)
	}
}

// Missing values are allowed with Missing, and a bad cell is still an error.
func TestMissingText(t *testing.T) {
	m := columnsOf(t, "*")
	m.Missing = true
	for _, cell := range []string{"", "NA", "NaN", "null", "None", "-", "?"} {
		d, err := ingest.ReadAll(context.Background(), []string{tempFile(t, "x.csv", []byte(floats(cell)))}, ingest.ReadOptions{Mapping: m})
		if err != nil {
			t.Fatalf("%q: %v", cell, err)
		}
		for i, v := range d.X.Data {
			if missing := i == 6*3+1; missing != (v != v) {
				t.Errorf("%q: element %d is %v", cell, i, v)
			}
		}
	}
	for _, cell := range []string{"oops", "1e400"} {
		if _, err := ingest.ReadAll(context.Background(), []string{tempFile(t, "x.csv", []byte(floats(cell)))}, ingest.ReadOptions{Mapping: m}); !table.IsBadInput(err) {
			t.Errorf("%s: %v", cell, err)
		}
	}
}

// The types of a fitted encoder apply to the rows that are placed with it.
func TestOddValueUnderAnEncoder(t *testing.T) {
	good, err := ingest.ReadAll(context.Background(), []string{tempFile(t, "x.csv", []byte(floats("1")))}, ingest.ReadOptions{Mapping: columnsOf(t, "*")})
	if err != nil {
		t.Fatal(err)
	}
	bad := tempFile(t, "x.csv", []byte(floats("oops")))
	_, err = ingest.ReadAll(context.Background(), []string{bad}, ingest.ReadOptions{Encoder: good.Encoder})
	if !table.IsBadInput(err) || !strings.HasPrefix(err.Error(), bad+`: row 7 (line 8), column "b": "oops" is not a number`) {
		t.Errorf("error %v", err)
	}
}

// The columns that "*" omits are listed with their reasons, in every format.
func TestLeftOut(t *testing.T) {
	const n = 30
	id, index, time, user := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)
	x, code, word, city := make([]float64, n), make([]string, n), make([]string, n), make([]string, n)
	flag := make([]bool, n)
	var text strings.Builder
	text.WriteString(",serial,time,user_id,x,code,word,city,flag,size\n")
	size := make([]int64, n)
	for i := range n {
		id[i], index[i], time[i], user[i] = int64(i), int64(1000-7*i), int64(i*i), int64(i*7%n)
		x[i], code[i], word[i], city[i], flag[i] = math.Sin(float64(i)), fmt.Sprintf("%03d", i), fmt.Sprintf("w%d", i), []string{"Ulm", "Rom"}[i%2], i%3 == 0
		size[i] = int64(i * 37 % 1009)
		fmt.Fprintf(&text, "%d,%d,%d,%d,%g,%s,%s,%s,%v,%d\n", id[i], index[i], time[i], user[i], x[i], code[i], word[i], city[i], flag[i], size[i])
	}
	columns := []table.Column{
		table.Int64Column("__index_level_0__", id), table.Int64Column("serial", index), table.Int64Column("time", time), table.Int64Column("user_id", user),
		table.Float64Column("x", x), table.StringColumn("code", code), table.StringColumn("word", word), table.StringColumn("city", city), table.BoolColumn("flag", flag),
		table.Int64Column("size", size), table.VectorColumn("v", vec.New[float32](n, 2)),
	}
	index0 := "an id: the index of the rows"
	rest := `serial (an id: whole numbers in steps of 7); user_id (an id by its name, every value once); `
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"x.csv": {[]byte(text.String()), `columns that "*" leaves out: column_0 (` + index0 + `); ` + rest +
			`code (codes with leading zeros); word (an id: text, every value once); city (text); name one to use it: "*,column_0"`},
		"x.arrows": {arrowStream(t, columns...), `columns that "*" leaves out: __index_level_0__ (` + index0 + `); ` + rest +
			`code, word (an id: text, every value once); city (text); v (a vector); name one to use it: "*,__index_level_0__"`},
	} {
		if name == "x.csv" {
			// Codes with leading zeros are unique text, too.
			c.want = strings.Replace(c.want, "code (codes with leading zeros); word (", "code, word (", 1)
		}
		path := tempFile(t, name, c.file)
		d, err := ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: columnsOf(t, "*")})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := ingest.DescribeLeft(d.Left); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
		if got := strings.Join(d.Encoder.Names(), " "); got != "time x flag size" {
			t.Errorf("%s: encoded %s", name, got)
		}
		// A named column is included.
		d, err = ingest.ReadAll(context.Background(), []string{path}, ingest.ReadOptions{Mapping: columnsOf(t, "*,serial:standardize")})
		if err != nil || strings.Join(d.Encoder.Names(), " ") != "time x flag size serial" {
			t.Errorf("%s: encoded %v, error %v", name, d.Encoder.Names(), err)
		}
	}
}

// An index that begins again in every file is recognized. A mapping that selects nothing is an
// error with the reason.
func TestLeftOutOfSeveralFiles(t *testing.T) {
	var files []string
	for k := range 3 {
		var b strings.Builder
		b.WriteString("n,x\n")
		for i := range 12 {
			fmt.Fprintf(&b, "%d,%g\n", i, math.Sin(float64(i+k)))
		}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.csv", k))
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	d, err := ingest.ReadAll(context.Background(), files, ingest.ReadOptions{Mapping: columnsOf(t, "*")})
	if err != nil || len(d.Left) != 1 || d.Left[0] != (ingest.Left{Column: "n", Why: "an id: whole numbers in steps of 1"}) {
		t.Errorf("left %v, error %v", d.Left, err)
	}
	_, err = ingest.ReadAll(context.Background(), files, ingest.ReadOptions{Mapping: columnsOf(t, "*,-x")})
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), `no column is left to encode; columns that "*" leaves out: n (an id`) {
		t.Errorf("error %v", err)
	}
}

// A column of three with nearly all of the squared distance is found. Two columns of similar size,
// one of two columns, and a standardized one are not.
func TestFindDominant(t *testing.T) {
	for _, c := range []struct {
		name  string
		scale []float32
		want  string
	}{
		{"one", []float32{1, 1000, 1}, `column "b" carries 99.9 % of all squared distance, so that the others hardly count: standardize the columns, or take the logarithm of this one (b:log1p)`},
		{"two large", []float32{1000, 1000, 1}, ""},
		{"a little more", []float32{1, 4, 1}, ""},
		{"of two", []float32{1, 1000}, ""},
	} {
		x := vec.New[float32](500, len(c.scale))
		for i := range x.Rows {
			for k, s := range c.scale {
				x.Row(i)[k] = s * float32(math.Sin(float64(i*(k+1))))
			}
		}
		x.Row(3)[0] = float32(math.NaN())
		d, ok := ingest.FindDominant(x, []string{"a", "b", "c"})
		if ok != (c.want != "") || ok && d.String() != c.want {
			t.Errorf("%s: %v, %v", c.name, d, ok)
		}
	}
}
