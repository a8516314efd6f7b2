package ingest_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"os"

	"unfold/ingest"
)

// Names of rows are suggested as ids: pandas' index of texts, the only column under the name of an id,
// or the only column of texts that occur once each. Other numbers of rows are not, nor texts that
// repeat, nor one of several columns.
func TestNamesOfRowsAreSuggestedAsID(t *testing.T) {
	for _, c := range []struct{ header, row, want string }{
		{",a,b", "cell_%[1]d,%[2]d,%[3]d", "column_0"},
		{"a,gene,b", "%[2]d,g%[1]d,%[3]d", "gene"},
		{",a,b,name", "cell_%[1]d,%[2]d,%[3]d,n%[1]d", "column_0"},
		{"a,name,other,b", "%[2]d,n%[1]d,o%[1]d,%[3]d", ""},
		{",a,b", "%[1]d,%[2]d,%[3]d", ""},
		{"id,a,b", "%[1]d,%[2]d,%[3]d", "id"},
		{"user_id,a,name", "%[4]d,%[2]d,n%[1]d", "user_id"},
		{"Id,a,b", "%[4]d.0,%[2]d,%[3]d", "Id"},
		{"id,a,b", "%[3]d,%[2]d,%[1]d", ""},
		{"id,key,a", "%[1]d,%[4]d,%[2]d", ""},
		{"sample,a,b", "%[4]d,%[2]d,%[3]d", ""},
		{"name,a,b", "n%[3]d,%[2]d,%[3]d", ""},
	} {
		var text strings.Builder
		fmt.Fprintln(&text, c.header)
		for i := range 40 {
			fmt.Fprintf(&text, c.row+"%[5]s\n", i, i*i%17, i*7%5, i*7%40, "")
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

// Numbers under the name of an id are one in few rows, too, and successive numbers in any order under
// any name. Numbers with a gap or a value twice are columns of the vector.
func TestNumbersOfRowsAreNoVectors(t *testing.T) {
	for _, c := range []struct {
		header string
		value  func(i int) any
		rows   int
		left   string
	}{
		{"id", func(i int) any { return 9 - i*i }, 4, "an id by its name"},
		{"id", func(i int) any { return i / 2 }, 4, ""},
		{"customer", func(i int) any { return 100 + i*7%40 }, 40, "an id: the whole numbers from 100 to 139, each once"},
		{"customer", func(i int) any { return min(i*7%41, 39) }, 40, ""},
		{"customer", func(i int) any { return i * 7 % 41 }, 40, ""},
	} {
		text := c.header + ",a\n"
		for i := range c.rows {
			text += fmt.Sprintf("%v,%g\n", c.value(i), 0.5*float64(i*i%17))
		}
		d, err := ingest.ReadAll(t.Context(), []string{tempFile(t, "x.csv", []byte(text))}, ingest.ReadOptions{Mapping: columnsOf(t, "*")})
		if err != nil {
			t.Fatal(err)
		}
		said := ingest.DescribeLeft(d.Left)
		if c.left == "" && said != "" || !strings.Contains(said, c.left) {
			t.Errorf("%s: %q, want %q", text[:40], said, c.left)
		}
	}
}
