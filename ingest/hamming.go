package ingest

import (
	"errors"
	"slices"

	"unfold/ingest/table"
)

// Rows of 0 and 1 are encoded unchanged. A category is a 1 at its element, so that two rows with
// different categories differ in two elements. If some columns are text, numbers and booleans are
// treated as categories, too. Then every differing column counts as two, and all columns have the
// same weight.

// asCategories treats every column as categories if some are text, for the metric hamming.
func (f *Fitter) asCategories() error {
	isText := func(c columnFit) bool { return c.kind == table.Text }
	if f.mapping.Metric != Hamming || !slices.ContainsFunc(f.columns, isText) {
		return nil
	}
	for i := range f.columns {
		c := &f.columns[i]
		if c.kind == table.Time {
			return f.origin.BadColumn(c.spec.Name, "it holds times, and the metric %s takes 0 and 1, booleans and text", Hamming)
		}
		if !isText(*c) {
			c.kind, c.categories = table.Text, map[string]int64{}
		}
	}
	return nil
}

// gap returns an error with the remedies that a missing value has under the metric: rows of 0 and 1 have
// no means.
func (m Metric) gap(err error) error {
	var e *table.Error
	if m.bits() && errors.As(err, &e) && e.NoValue {
		_ = e.Suggest("drop such rows (missing drop), leave the column out, or give the missing a value of its own, such as the word unknown")
	}
	return err
}
