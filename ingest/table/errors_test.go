package table_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"unfold/ingest/table"
	"unfold/internal/offsets"
)

func TestErrorText(t *testing.T) {
	for want, e := range map[string]*table.Error{
		`x.csv: row 3 (line 4), column "a": bad: EOF; do this`: {Origin: table.Origin{File: "x.csv", Row: 99}, Row: 2, Line: 4, Column: "a", Problem: "bad", Err: io.EOF, Hint: "do this"},
		`x.csv: row 1 (line 2): bad`:                           {Origin: table.Origin{File: "x.csv"}, Row: 0, Line: 2, Problem: "bad"},
		`input: line 2: bad`:                                   {Origin: table.Origin{Position: offsets.At("", 1, 0)}, Row: -1, Line: 2, Problem: "bad"},
		`topic t, partition 1, offset 7: row 1: bad`:           {Origin: table.Origin{Position: offsets.At("t", 1, 7)}, Problem: "bad"},
		`standard input: line 2: bad`:                          {Origin: table.Origin{File: "-"}, Row: -1, Line: 2, Problem: "bad"},
		`column "a": bad`:                                      {Row: -1, Column: "a", Problem: "bad"},
		`bad`:                                                  {Row: -1, Problem: "bad"},
	} {
		if e.Error() != want {
			t.Errorf("%s, want %s", e, want)
		}
		if !table.IsBadInput(fmt.Errorf("wrapped: %w", e)) {
			t.Errorf("%v is not bad input", e)
		}
		if e.Err != nil && !errors.Is(e, io.EOF) {
			t.Errorf("%v hides its cause", e)
		}
	}
	if table.IsBadInput(io.EOF) || table.IsBadInput(nil) {
		t.Error("another error is bad input")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"src_bytes", "dst_bytes", "protocol_type", "id"}
	for name, want := range map[string]string{
		"src_byte": "src_bytes", "SRC_BYTES": "src_bytes", "bytes": "", "protocoltyp": "protocol_type", "di": "", "ix": "id", "zzz": "",
		"dat_byte": "dst_bytes", "prot_typ": "", "protocoltypes": "protocol_type", "pro_col_typ": "protocol_type", "iddd": "id", "idd": "id", "iid2": "id", "": "", "zzd": "",
	} {
		if got := table.Nearest(name, names); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Names of one letter are similar only if they differ in case alone.
func TestNearestOfOneLetter(t *testing.T) {
	for name, want := range map[string]string{"t": "", "V": "v", "x1": "x", "": "", "vv": "v"} {
		if got := table.Nearest(name, []string{"v", "x"}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// Of equally near names the first is suggested.
func TestNearestOfSeveral(t *testing.T) {
	for name, want := range map[string]string{"age1": "age2", "page": "ag3", "ag": "ag3"} {
		if got := table.Nearest(name, []string{"agex", "age3", "age2", "ag3"}); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// The error for an unknown column lists up to sixty columns and the nearest name.
func TestUnknownColumn(t *testing.T) {
	var names []string
	for i := range 61 {
		names = append(names, fmt.Sprintf("column%02d", i))
	}
	for _, c := range []struct {
		have []string
		want string
	}{
		{nil, `x.csv: column "colunm07": there is no such column; the columns are (none)`},
		{[]string{"a", "b"}, `x.csv: column "colunm07": there is no such column; the columns are a, b`},
		{[]string{"a", "column07"}, `x.csv: column "colunm07": there is no such column; did you mean "column07"? The columns are a, column07`},
		{names[:60], `The columns are ` + strings.Join(names[:60], ", ")},
		{names, `The columns are ` + strings.Join(names[:60], ", ") + ", ... (61 in all)"},
	} {
		if err := table.UnknownColumn(table.Origin{File: "x.csv"}, "colunm07", c.have); !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
