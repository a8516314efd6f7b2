package ingesttest

import (
	"testing"

	"unfold/ingest/table"
)

// EqualTables fails the test unless two tables have the same columns (names,
// types) and the same values (nulls, and the text of the others).
func EqualTables(t testing.TB, what string, got, want *table.Table) {
	t.Helper()
	if g, w := got.Schema().String(), want.Schema().String(); g != w {
		t.Errorf("%s: columns %s, want %s", what, g, w)
		return
	}
	for k, w := range want.Columns() {
		EqualColumns(t, what, got.Columns()[k], w)
	}
}

// EqualColumns compares names and values of two columns.
func EqualColumns(t testing.TB, what string, got, want table.Column) {
	t.Helper()
	if got.Name() != want.Name() || got.Len() != want.Len() {
		t.Errorf("%s: column %q of %d rows, want %q of %d", what, got.Name(), got.Len(), want.Name(), want.Len())
		return
	}
	for i := range want.Len() {
		if got.IsNull(i) != want.IsNull(i) || got.Text(i) != want.Text(i) {
			t.Errorf("%s: column %q, row %d: %q (null %v), want %q (null %v)", what, want.Name(), i,
				got.Text(i), got.IsNull(i), want.Text(i), want.IsNull(i))
			return
		}
	}
}
