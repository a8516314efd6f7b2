package ingest_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// mapped reads all rows of a path, which may be a folder, with a mapping of plain columns.
func mapped(t testing.TB, path, columns string, m ingest.Mapping) (*ingest.Dataset, error) {
	t.Helper()
	paths, err := input.Expand([]string{filepath.Join(tables, path)})
	if err != nil {
		return nil, err
	}
	if columns != "" {
		m.Columns = parse(t, columns)
	}
	return ingest.ReadAll(context.Background(), paths, ingest.ReadOptions{Mapping: m})
}

// Columns of every kind are encoded from every file format that has them: fields of structs,
// decimals, dates, dictionaries, patterns of names, keys of folders.
func TestColumnsOfEveryKind(t *testing.T) {
	for _, c := range []struct {
		name, path, columns string
		names               string
		first               []float64 // of row 1
		rows                int
	}{
		{"fields in Parquet", "sensors.parquet", "sensor.temp,sensor.at.z", "sensor.temp sensor.at.z", nil, 96},
		{"fields in Arrow", "sensors.arrow", "sensor.temp,sensor.at.z", "sensor.temp sensor.at.z", nil, 96},
		{"a pattern of fields", "sensors.arrow", "sensor.*", "sensor.temp sensor.humid sensor.at.z", nil, 96},
		{"a field of text", "polars.arrow", "sensor.at.room", "sensor.at.room=a sensor.at.room=b sensor.at.room=c sensor.at.room=?", []float64{0, 1, 0, 0}, 96},
		{"decimals", "duckdb.parquet", "price,twice", "price twice", nil, 96},
		{"days from their mean", "sensors.parquet", "day,seen", "day seen", []float64{1 - 47.5, (37*1 - 37*47.5) / 1440}, 96},
		{"a circle of a day", "sensors.parquet", "seen:cyclic=24h", "seen:cos seen:sin", []float64{math.Cos(2 * math.Pi * (6 + 37./60) / 24), math.Sin(2 * math.Pi * (6 + 37./60) / 24)}, 96},
		{"a circle of numbers", "cities.csv", "lon:cyclic=360", "lon:cos lon:sin", nil, 96},
		{"dictionaries", "sensors.arrow", "color:weight=2", "color=blue color=green color=red color=?", []float64{0, 2, 0, 0}, 96},
		{"keys of folders", "flights", "f0,year,kind", "f0 year kind=in kind=out kind=to go kind=?", nil, 96},
		{"a pattern", "flights", "f*", "f0 f1 f2", nil, 96},
		{"less a pattern", "flights", "*,-f?,f1", "year f1", nil, 96},
		{"tokens", "log.parquet", "message:tokens=8:weight=3", "message#0 message#1 message#2 message#3 message#4 message#5 message#6 message#7", nil, 96},
		{"packed lines", "frame.jsonl.zst", "*", "a b c", nil, 96},
		{"packed text", "frame.csv.zst", "*", "a b c", nil, 96},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := mapped(t, c.path, c.columns, ingest.Mapping{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(d.Encoder.Names(), " "); got != c.names || d.X.Rows != c.rows {
				t.Errorf("%d rows of %s, expected %d of %s", d.X.Rows, got, c.rows, c.names)
			}
			for k, want := range c.first {
				if got := float64(d.X.Row(1)[k]); math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
					t.Errorf("element %d of row 1 is %v, expected %v", k, got, want)
				}
			}
		})
	}
}

// The same columns have the same values in every file format. Decimals have the values of the
// numbers from which they were made.
func TestColumnsAgreeBetweenFiles(t *testing.T) {
	const columns = "sensor.temp,sensor.humid,sensor.at.z,price,day,color"
	want, err := mapped(t, "sensors.arrow", columns, ingest.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want.X.Rows {
		if row := want.X.Row(i); math.Abs(float64(row[0]-row[3])) > 0.0011 {
			t.Fatalf("row %d: a price of %v, made of %v", i, row[3], row[0])
		}
	}
	for _, path := range []string{"sensors.parquet", "polars.arrow", "duckdb.parquet"} {
		got, err := mapped(t, path, columns, ingest.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.X.Data) != fmt.Sprint(want.X.Data) {
			t.Errorf("%s differs", path)
		}
	}
}

// A list in a struct is a vector, which is missing if the struct is null.
func TestVectorInStruct(t *testing.T) {
	_, err := mapped(t, "nested.parquet", "", ingest.Mapping{})
	if err == nil || !strings.Contains(err.Error(), `row 6, column "e.v": the vector is null`) {
		t.Errorf("error %v", err)
	}
	d, err := mapped(t, "nested.parquet", "", ingest.Mapping{Vector: "e.v", Drop: true, Selection: ingest.Selection{ID: "row"}})
	if err != nil {
		t.Fatal(err)
	}
	if d.X.Rows != 90 || d.X.Cols != 2 || d.Dropped != 6 || d.ID.Text(5) != "6" {
		t.Errorf("%d rows of %d values, %d left out, id of row 5 is %s", d.X.Rows, d.X.Cols, d.Dropped, d.ID.Text(5))
	}
}

// Rows of a folder are in the order of its paths. A key has one value in a whole file, which is a
// number, text or missing.
func TestPartitions(t *testing.T) {
	d, err := mapped(t, "flights", "f*", ingest.Mapping{Selection: ingest.Selection{Keep: []string{"year", "kind", "gate"}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Files) != 6 || d.Kept[0].DataType() != "int64" || d.Kept[0].Text(0) != "2022" || d.Kept[0].Text(95) != "2023" || d.Kept[1].Text(95) != "to go" {
		t.Errorf("%d files, first %s, last %s %s", len(d.Files), d.Kept[0].Text(0), d.Kept[0].Text(95), d.Kept[1].Text(95))
	}
	d, err = mapped(t, "gates", "f*", ingest.Mapping{Selection: ingest.Selection{Label: "gate"}})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, g := range d.Label {
		counts[g]++
	}
	if want := "map[:12 00:12 01:24 02:24 03:24]"; fmt.Sprint(counts) != want {
		t.Errorf("gates %v, expected %s", counts, want)
	}
	if _, err := input.Expand([]string{t.TempDir()}); !table.IsBadInput(err) || !strings.Contains(err.Error(), "there is no data in the folder") {
		t.Errorf("an empty folder: %v", err)
	}
	orc := t.TempDir() // as Spark writes one
	if err := os.WriteFile(filepath.Join(orc, "part-0.orc"), []byte("ORC\x08\x03"+strings.Repeat("\x00", 600)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := input.Expand([]string{orc}); !table.IsBadInput(err) || !strings.Contains(err.Error(), "part-0.orc: this is an ORC file, which is not read; convert it to Parquet") {
		t.Errorf("a folder of ORC files: %v", err)
	}
	saved := t.TempDir() // as Hugging Face's datasets save rows
	for _, name := range []string{"data-00000-of-00001.arrow", "dataset_info.json", "state.json"} {
		if err := os.WriteFile(filepath.Join(saved, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := input.Expand([]string{saved}); err != nil || len(got) != 1 || filepath.Ext(got[0]) != ".arrow" {
		t.Errorf("of a saved data set: %v, %v", got, err)
	}
	if _, err := input.Expand([]string{tables}); !table.IsBadInput(err) || !strings.Contains(err.Error(), "the folder holds .") {
		t.Errorf("a folder of all kinds: %v", err)
	}
}

// Invalid column specifications are errors that list valid ones.
func TestColumnRefusals(t *testing.T) {
	for _, c := range []struct{ name, path, columns, want string }{
		{"a struct", "sensors.arrow", "sensor", "name its fields: sensor.temp, sensor.humid, sensor.at.z, sensor.at.room"},
		{"a slip in a path", "sensors.arrow", "sensor.tmp", `did you mean "sensor.temp"?`},
		{"no match", "sensors.arrow", "x*", `no column matches "x*"; the columns are id, sensor.temp`},
		{"tokens of numbers", "sensors.arrow", "price:tokens=8", "tokens are made of text"},
		{"a time as period of a number", "sensors.arrow", "price:cyclic=24h", "numbers a number, such as 360"},
		{"a number as period of a time", "sensors.arrow", "seen:cyclic=24", "times take a time, such as 24h"},
		{"text that is no time", "sensors.arrow", "color:time", `row 1, column "color": "red" is not a time`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := mapped(t, c.path, c.columns, ingest.Mapping{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, expected %q", err, c.want)
			}
		})
	}
	for _, text := range []string{"a:cyclic=never", "a:cyclic=0", "a:tokens=1", "a:tokens=many", "a:cycle=24h"} {
		if _, err := ingest.ParseColumns(text); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// Equal words lead to equal rows, whose length is the weight.
func TestTokens(t *testing.T) {
	d, err := mapped(t, "log.parquet", "message:tokens=64:weight=3", ingest.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range d.X.Rows {
		sum, far := 0.0, 0.0
		for k, v := range d.X.Row(i) {
			sum += float64(v) * float64(v)
			far += math.Pow(float64(v-d.X.Row(i % 15)[k]), 2)
		}
		if math.Abs(sum-9) > 1e-5 || far != 0 {
			t.Fatalf("row %d has length %v, and is %v from row %d of the same words", i, math.Sqrt(sum), math.Sqrt(far), i%15)
		}
	}
}

// Mixed includes every column except those that identify rows. Two random rows differ by about the
// same amount in each.
func TestMixed(t *testing.T) {
	d, err := mapped(t, "log.parquet", "*", ingest.Mapping{Mixed: true})
	if err != nil {
		t.Fatal(err)
	}
	var as []string
	for _, u := range d.Encoder.Uses() {
		as = append(as, u.Column+" "+u.As)
	}
	if want := "at time, standardized; level 3 categories; took number, standardized; message 15 categories"; strings.Join(as, "; ") != want {
		t.Errorf("%s, expected %s", strings.Join(as, "; "), want)
	}
	for _, s := range d.Encoder.Sources() {
		sum := 0.0
		for i := range d.X.Rows {
			for j := range d.X.Rows {
				for k := s.From; k < s.To; k++ {
					sum += math.Pow(float64(d.X.Row(i)[k]-d.X.Row(j)[k]), 2)
				}
			}
		}
		if mean := sum / float64(d.X.Rows*d.X.Rows); mean < 1.3 || mean > 2.0001 {
			t.Errorf("%s: rows differ by %v in it", s.Name, mean)
		}
	}
}

// Row groups that are read concurrently lead to the same rows as in sequence, including passed
// columns. A missing value is reported with its row in the file.
func TestRowGroupsSideBySide(t *testing.T) {
	read := func(threads int, columns string) (*ingest.Dataset, error) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		return mapped(t, "sensors.parquet", columns, ingest.Mapping{Selection: ingest.Selection{ID: "id", Keep: []string{"color", "price"}, Label: "sensor.at.room"}})
	}
	one, err := read(1, "sensor.temp,sensor.humid,seen:cyclic=24h")
	if err != nil {
		t.Fatal(err)
	}
	three, err := read(3, "sensor.temp,sensor.humid,seen:cyclic=24h")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(one.X.Data, three.X.Data) || !slices.Equal(one.Label, three.Label) || !slices.Equal(one.ID.Strings(), three.ID.Strings()) {
		t.Error("three threads read other rows than one")
	}
	for i := range one.Kept {
		ingesttest.EqualColumns(t, one.Kept[i].Name(), three.Kept[i], one.Kept[i])
	}
	for _, threads := range []int{1, 3} {
		if _, err := read(threads, "sensor.temp,load"); err == nil || !strings.Contains(err.Error(), `row 4, column "load": the value is missing`) {
			t.Errorf("%d threads: error %v", threads, err)
		}
	}
}
