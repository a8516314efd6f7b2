package cli

import (
	"bytes"
	_ "embed"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/internal/foreign"
	"unfold/internal/vec"
)

//go:embed testdata/frames.py
var frameFiles string

// frameRows is the number of rows with coordinates in frames.py.
const frameRows = 60

// readFrame reads a frame for the rows of data.csv as a fit does.
func readFrame(t *testing.T, file, id string, dims int) (vec.Matrix[float64], *frameReport, error) {
	t.Helper()
	p := &program{System: System{Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}}
	read := ingest.ReadOptions{Mapping: ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "x0"}, {Name: "x1"}}, Selection: ingest.Selection{ID: id}}}
	d, err := readAll(t.Context(), p, []string{"data.csv"}, read)
	if err != nil {
		t.Fatal(err)
	}
	return frameOf(t.Context(), p, file, framed{inputs: []string{"data.csv"}, read: read, rows: d.X.Rows, id: d.ID, dims: dims})
}

// Coordinates written by pandas, polars and numpy, in their usual forms, are matched by id or by
// order. Rows without one are free.
func TestFramesOfOthers(t *testing.T) {
	t.Chdir(t.TempDir())
	sheet(t, "data.csv", frameRows, true)
	foreign.Run(t, frameFiles, ".")
	for file, by := range map[string]string{
		"index.csv": "id", "plain.csv": "id", "pandas.parquet": "id", "indexed.parquet": "id",
		"polars.parquet": "id", "polars.arrow": "id", "polars.csv": "id", "lists.parquet": "id", "lists.arrows": "id",
		"order.npy": "order", "order32.npy": "order", "order.csv": "order", "order.parquet": "order", "order.arrow": "order",
	} {
		at, report, err := readFrame(t, file, "key", 2)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		free := map[int]bool{7: by == "id", 11: by == "id", 13: by == "id", 17: by == "id"}
		want := frameReport{File: file, By: by, Rows: frameRows, Placed: frameRows}
		if by == "id" {
			want.Placed -= 4
		}
		if *report != want || at.Rows != frameRows || at.Cols != 2 {
			t.Errorf("%s: %+v, expected %+v", file, *report, want)
		}
		for i := range at.Rows {
			got := at.Row(i)
			if free[i] && !(math.IsNaN(got[0]) && math.IsNaN(got[1])) {
				t.Errorf("%s: row %d is at %v, expected it free", file, i, got)
			}
			if !free[i] && (got[0] != float64(i) || got[1] != -float64(i)/2) {
				t.Errorf("%s: row %d is at %v", file, i, got)
			}
		}
	}
}

// This program's maps are valid frames in every format.
func TestOwnMapsAreFrames(t *testing.T) {
	t.Chdir(t.TempDir())
	sheet(t, "data.csv", frameRows, true)
	for _, id := range []string{"", "key"} {
		for _, file := range []string{"map.parquet", "map.arrow", "map.arrows", "map.csv", "map.npy"} {
			args := "-q fit data.csv --columns x0,x1,x2 --dims 3 --steps 3 -o model.unfold --map " + file
			if id != "" {
				args += " --id " + id
			}
			must(t, words(args)...)
			m, err := ingest.ReadMap(t.Context(), file, ingest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			at, report, err := readFrame(t, file, id, 3)
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if by := map[bool]string{false: "order", true: "id"}[id != "" && file != "map.npy"]; report.By != by || report.Placed != frameRows {
				t.Errorf("%s: %+v, expected all rows by %s", file, *report, by)
			}
			for i, v := range m.Embedding.Data {
				if float32(at.Data[i]) != v {
					t.Fatalf("%s: element %d is %v, in the map %v", file, i, at.Data[i], v)
				}
			}
		}
	}
}

// A model as a frame places the rows: its own rows get their learnt places, others the places of
// embed.
func TestModelsAreFrames(t *testing.T) {
	t.Chdir(t.TempDir())
	sheet(t, "data.csv", frameRows, true)
	text, err := os.ReadFile("data.csv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "half.csv", strings.Join(strings.SplitAfter(string(text), "\n")[:31], ""))
	must(t, words("-q fit half.csv --columns *:standardize --steps 5 --id key --keep kind -o yesterday.unfold --map half.parquet")...)
	// The format is detected by the first bytes, not the name.
	if err := os.Rename("yesterday.unfold", "yesterday.csv"); err != nil {
		t.Fatal(err)
	}
	must(t, words("-q embed data.csv -m yesterday.csv -o all.parquet")...)
	half, err := ingest.ReadMap(t.Context(), "half.parquet", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := ingest.ReadMap(t.Context(), "all.parquet", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, report, err := readFrame(t, "yesterday.csv", "", 2)
	if err != nil {
		t.Fatal(err)
	}
	if want := (frameReport{File: "yesterday.csv", By: "model", Rows: frameRows, Placed: frameRows}); *report != want {
		t.Errorf("%+v, expected %+v", *report, want)
	}
	for i, v := range at.Data {
		if want := all.Embedding.Data[i]; v != float64(want) {
			t.Fatalf("row %d is at %v, embed places it at %v", i/2, at.Row(i/2), all.Embedding.Row(i/2))
		}
		if i < len(half.Embedding.Data) && v != float64(half.Embedding.Data[i]) {
			t.Fatalf("row %d is at %v, learnt at %v", i/2, at.Row(i/2), half.Embedding.Row(i/2))
		}
	}
}

func TestFramesThatDoNotFit(t *testing.T) {
	t.Chdir(t.TempDir())
	sheet(t, "data.csv", frameRows, true)
	sheet(t, "few.csv", 40, true)
	table := func(head string, row func(i int) string, n int) string {
		var b strings.Builder
		b.WriteString(head + "\n")
		for i := range n {
			b.WriteString(row(i) + "\n")
		}
		return b.String()
	}
	write(t, "strangers.csv", table("id,x,y", func(i int) string { return fmt.Sprintf("other %d,%d,%d", i, i, i) }, 60))
	write(t, "short.csv", table("x,y", func(i int) string { return fmt.Sprintf("%d,%d", i, i) }, 59))
	write(t, "three.csv", table("key,p,q,r", func(i int) string { return fmt.Sprintf("key %d,%d,%d,1", i, i, i) }, 60))
	write(t, "four.csv", table("embedding_0,embedding_1,embedding_2,n", func(i int) string { return fmt.Sprintf("%d,%d,1,7", i, i) }, 60))
	write(t, "twice.csv", table("key,x,y", func(i int) string { return fmt.Sprintf("key %d,%d,1", i/2, i) }, 60))
	write(t, "nothing.csv", table("key,x,y", func(i int) string { return fmt.Sprintf([]string{"key %d,NaN,1", "key %d,1,"}[i%2], i) }, 60))
	write(t, "words.csv", table("key,x,y", func(i int) string { return fmt.Sprintf("key %d,left,%d", i, i) }, 60))
	must(t, words("-q fit data.csv --columns x0,x1,x2 --dims 3 --steps 3 -o solid.unfold")...)
	data, err := os.ReadFile("data.csv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "renamed.csv", strings.Replace(string(data), ",x11", ",y11", 1))
	must(t, words("-q fit renamed.csv --columns *,-x0 --steps 3 -o renamed.unfold")...)
	for name, c := range map[string]struct {
		file, id string
		want     []string
	}{
		"no id in common":     {"strangers.csv", "key", []string{`strangers.csv: column "id": none of its 60 ids is one of the data's`, `"other 0"`, `column "key" with "key 0"`}},
		"another count":       {"short.csv", "key", []string{"short.csv: 59 rows for the 60 rows to be learnt"}},
		"too many numbers":    {"three.csv", "key", []string{"three.csv: it is not known which columns are coordinates: those of numbers are p, q, r, for a map of 2 dimensions"}},
		"too many dimensions": {"four.csv", "key", []string{"four.csv: it has 3 coordinates (embedding_0, embedding_1, embedding_2), the map to be learnt 2 dimensions"}},
		"an id twice":         {"twice.csv", "key", []string{`twice.csv: row 2, column "key": the id "key 0" is that of row 1, too`}},
		"no coordinate":       {"nothing.csv", "key", []string{"nothing.csv: no row has a coordinate in it"}},
		"no numbers":          {"words.csv", "key", []string{"words.csv: it is not known which columns are coordinates: those of numbers are y, for a map of 2 dimensions"}},
		"no file":             {"absent.csv", "key", []string{"absent.csv: the file does not exist"}},
		"a solid map":         {"solid.unfold", "", []string{"solid.unfold: its map has 3 dimensions, the one to be learnt 2", "--dims 3"}},
		"other columns":       {"renamed.unfold", "", []string{"renamed.unfold", `data.csv: column "y11": there is no such column`}},
	} {
		_, report, err := readFrame(t, c.file, c.id, 2)
		if err == nil {
			t.Errorf("%s: no error, %+v", name, report)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nexpected it to say %s", name, err, want)
			}
		}
	}
}

// A duplicate id is accepted if both rows have the same place.
func TestFrameWithEqualRows(t *testing.T) {
	t.Chdir(t.TempDir())
	sheet(t, "data.csv", 4, true)
	write(t, "again.csv", "key,x,y\nkey 1,5,6\nkey 1,5,6\nkey 2,,6\nkey 2,NaN,7\n,1,2\n,3,4\n")
	at, report, err := readFrame(t, "again.csv", "key", 2)
	if err != nil {
		t.Fatal(err)
	}
	if report.Placed != 1 || at.Row(1)[0] != 5 || at.Row(1)[1] != 6 {
		t.Errorf("%+v: %v", *report, at.Data)
	}
	if line := report.String(); line != "again.csv gave coordinates to 1 of 4 rows, by id" {
		t.Errorf("it says %q", line)
	}
}
