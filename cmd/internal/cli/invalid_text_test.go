package cli

import (
	"fmt"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
)

// Kept text that is not UTF-8 is rejected with its row, or replaced.
func TestInvalidText(t *testing.T) {
	t.Chdir(t.TempDir())
	words, x := make([]string, 60), make([]float64, 60)
	for i := range words {
		words[i], x[i] = fmt.Sprint("w", i), float64(i%7)/float64(1+i)
	}
	words[41] = "Z\xfcrich"
	records, err := table.NewTable(table.Origin{}, table.Float64Column("x", x), table.Float64Column("y", x), table.StringColumn("word", words))
	if err != nil {
		t.Fatal(err)
	}
	value, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	write(t, "in.arrows", string(value))
	for name, args := range map[string]string{
		"fit": "-q fit in.arrows --columns x,y --keep word -o m.unfold --map out.csv", "embed": "-q embed in.arrows -m m.unfold -o out.csv",
	} {
		if name == "embed" {
			must(t, strings.Fields("-q fit in.arrows --columns x,y --keep word --invalid-text replace -o m.unfold")...)
		}
		code, _, stderr := run(t, strings.Fields(args)...)
		if code != exitBadInput || !strings.Contains(stderr, `in.arrows: row 42, column "word": the text is not UTF-8`) {
			t.Errorf("%s: exit %d, says %q", name, code, stderr)
		}
		must(t, strings.Fields(args+" --invalid-text replace")...)
		m, err := ingest.ReadMap(t.Context(), "out.csv", ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c, err := m.Column("word"); err != nil || c.Text(41) != "Z\uFFFDrich" || c.Text(40) != "w40" {
			t.Errorf("%s: %v, %v", name, c.Strings(), err)
		}
	}
}
