package ingest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"os"

	"unfold/ingest"
)

// Names of rows are suggested as ids: pandas' index of texts, or the only column of texts that occur
// once each. Numbers of rows are not, nor texts that repeat, nor one of several columns.
func TestNamesOfRowsAreSuggestedAsID(t *testing.T) {
	for _, c := range []struct{ header, row, want string }{
		{",a,b", "cell_%[1]d,%[2]d,%[3]d", "column_0"},
		{"a,gene,b", "%[2]d,g%[1]d,%[3]d", "gene"},
		{",a,b,name", "cell_%[1]d,%[2]d,%[3]d,n%[1]d", "column_0"},
		{"a,name,other,b", "%[2]d,n%[1]d,o%[1]d,%[3]d", ""},
		{",a,b", "%[1]d,%[2]d,%[3]d", ""},
		{"name,a,b", "n%[3]d,%[2]d,%[3]d", ""},
	} {
		var text strings.Builder
		fmt.Fprintln(&text, c.header)
		for i := range 40 {
			fmt.Fprintf(&text, c.row+"\n", i, i*i%17, i*7%5)
		}
		path := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		m, settings, err := ingest.Suggest(t.Context(), path, ingest.ReadOptions{})
		if err != nil || m.ID != c.want || strings.Contains(ingest.Flags(settings), "--id") != (c.want != "") {
			t.Errorf("%s: id %q, %s, error %v; want %q", c.header, m.ID, ingest.Flags(settings), err, c.want)
		}
		own := ingest.ReadOptions{Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "a"}}}
		if m, _, err := ingest.Suggest(t.Context(), path, own); err != nil || m.ID != "a" {
			t.Errorf("%s: an id that is named becomes %q, error %v", c.header, m.ID, err)
		}
	}
}
