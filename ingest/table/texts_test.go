package table_test

import (
	"errors"
	"io"
	"io/fs"
	"testing"

	"unfold/ingest/table"
	"unfold/internal/offsets"
)

// An error about a row of text includes its line and the text of the field, also for slices.
func TestLocated(t *testing.T) {
	texts := &table.Texts{Lines: []int64{2, 3, 7}}
	texts.Keep(1, "a", "n/a")
	texts.Keep(2, "a", "1e999")
	texts.Keep(2, "b", "none")
	made, err := table.NewTable(here, table.Int64Column("a", []int64{1, 2, 3}))
	if err != nil {
		t.Fatal(err)
	}
	whole := table.OfText(here, made.Record(), texts)
	for _, c := range []struct {
		t    *table.Table
		row  int
		col  string
		want string
	}{
		{whole, 0, "a", `x.csv: row 11 (line 2), column "a": bad`},
		{whole, 1, "a", `x.csv: row 12 (line 3), column "a": bad ("n/a")`},
		{whole, 2, "a", `x.csv: row 13 (line 7), column "a": bad ("1e999")`},
		{whole, 2, "b", `x.csv: row 13 (line 7), column "b": bad ("none")`},
		{whole, 1, "b", `x.csv: row 12 (line 3), column "b": bad`},
		{whole, 3, "a", `x.csv: row 14, column "a": bad`},
		{whole, -1, "a", `x.csv: row 10, column "a": bad`}, // a row before the table's
		{whole.Slice(1, 3), 0, "a", `x.csv: row 12 (line 3), column "a": bad ("n/a")`},
		{whole.Slice(1, 3).Slice(1, 2), 0, "b", `x.csv: row 13 (line 7), column "b": bad ("none")`},
		{made, 1, "a", `x.csv: row 12, column "a": bad`},
	} {
		if err := c.t.Located(c.t.Origin.BadAt(c.row, c.col, "bad")); err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if err := whole.Located(here.BadColumn("a", "bad")); err.Error() != `x.csv: column "a": bad` {
		t.Errorf("of a column: %v", err)
	}
	first := table.OfText(table.Origin{File: "x.csv"}, made.Record(), texts)
	if err := first.Located(first.Origin.BadAt(0, "c", "bad")); err.Error() != `x.csv: row 1 (line 2), column "c": bad` {
		t.Errorf("the first row: %v", err)
	}
	known := here.BadAt(1, "a", "bad")
	known.Line = 99
	if err := whole.Located(known); err.Error() != `x.csv: row 12 (line 99), column "a": bad` {
		t.Errorf("a line that is known: %v", err)
	}
	if err := whole.Located(io.EOF); err != io.EOF {
		t.Errorf("another error: %v", err)
	}
	if err := whole.Located(nil); err != nil {
		t.Errorf("no error: %v", err)
	}
}

// Errors without a file name get the name of the file.
func TestInFile(t *testing.T) {
	for want, err := range map[string]error{
		`f.csv: row 2: bad`:                   &table.Error{Row: 1, Problem: "bad"},
		`x.csv: row 12: bad`:                  here.BadAt(1, "", "bad"),
		`topic t, partition 0, offset 3: bad`: (table.Origin{Position: offsets.At("t", 0, 3)}).Bad("bad"),
		`f.csv: EOF`:                          io.EOF,
	} {
		got := table.InFile("f.csv", err)
		if got.Error() != want || !errors.Is(got, err) {
			t.Errorf("%v, want %s", got, want)
		}
	}
	for _, c := range []struct {
		e    *table.Error
		not  error
		want bool
	}{{&table.Error{Missing: true}, fs.ErrNotExist, true}, {&table.Error{}, fs.ErrNotExist, false}, {&table.Error{Missing: true}, io.EOF, false}} {
		if errors.Is(c.e, c.not) != c.want {
			t.Errorf("a missing file: %v is %v: %v", c.e.Missing, c.not, !c.want)
		}
	}
	cause := here.Bad("bad %d", 7).Because(io.ErrUnexpectedEOF).Suggest("try %s", "again")
	if cause.Error() != "x.csv: bad 7: unexpected EOF; try again" || !errors.Is(cause, io.ErrUnexpectedEOF) || cause.Class() != "*ingest.Error" {
		t.Errorf("%v of class %s", cause, cause.Class())
	}
}
