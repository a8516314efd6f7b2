package ingest_test

import (
	"context"
	"strings"
	"testing"

	"unfold/ingest"
)

// TestTextThatBeginsWithABracket reads lines that begin with a bracket as JSON only if the first list
// is one: logs and lists of addresses are text.
func TestTextThatBeginsWithABracket(t *testing.T) {
	for text, want := range map[string]struct {
		columns string
		rows    int64
	}{
		"[10.0.0.1, 10.0.0.2];1\n[::1];2\n":                                                         {"text", 2},
		"[2024-05-01 10:00:00] INFO a\n[2024-05-01 10:00:01] WARN b\n":                              {"text", 1},
		"[0.1 0.2 0.3]\n[0.4 0.5 0.6]\n":                                                            {"text", 2},
		"[1, 2.5, -3e-2]\n[NaN, Infinity, null]\n":                                                  {"json", 2},
		"[[1, 2], [3, 4], [5, 6]]":                                                                  {"json", 3},
		"[1" + strings.Repeat(", 1.25", 20_000) + "]\n[2" + strings.Repeat(", 0.5", 20_000) + "]\n": {"json", 2},
	} {
		r, err := ingest.Open(context.Background(), tempFile(t, "data.csv", []byte(text)), ingest.Options{})
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		p, err := ingest.ReadProfile(context.Background(), r, nil)
		r.Close()
		if err != nil {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		got := "json"
		if ingest.Guessed(r) != nil {
			got = "text"
		}
		if got != want.columns || p.Rows != want.rows {
			t.Errorf("%.40q is read as %s of %d rows, want %+v", text, got, p.Rows, want)
		}
	}
}
