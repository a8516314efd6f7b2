package table_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"unfold/ingest/table"
	"unfold/internal/offsets"
)

func TestErrorText(t *testing.T) {
	for want, e := range map[string]*table.Error{
		`x.csv: row 3 (line 4), column "a": bad: EOF; do this`: {Origin: table.Origin{File: "x.csv", Row: 99}, Row: 2, Line: 4, Column: "a", Problem: "bad", Err: io.EOF, Hint: "do this"},
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
	} {
		if got := table.Nearest(name, names); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
