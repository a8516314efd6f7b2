package table_test

import (
	"testing"

	"unfold/ingest/table"
)

// Rows that repeat an id are counted; the first repeated id is that of the earliest such row.
func TestRepeatedIDsAreCounted(t *testing.T) {
	for _, c := range []struct {
		ids   table.Column
		rows  int
		first string
	}{
		{table.Int64Column("id", []int64{3, 1, 2}), 0, ""},
		{table.Int64Column("id", []int64{7, 1, 2, 1, 7, 7}), 3, "1"},
		{table.StringColumn("id", []string{"a", "b", "b"}), 1, "b"},
		{table.StringColumn("id", nil), 0, ""},
	} {
		if rows, first := table.Repeated(c.ids); rows != c.rows || first != c.first {
			t.Errorf("%v: %d rows, first %q; want %d, %q", c.ids.Strings(), rows, first, c.rows, c.first)
		}
	}
}
