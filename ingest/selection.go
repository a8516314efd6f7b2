package ingest

import (
	"slices"

	"unfold/ingest/table"
)

// Selection contains the columns that are passed on without encoding.
type Selection struct {
	// ID is the column that identifies a record.
	ID string `json:"id,omitempty" yaml:"id,omitempty"`
	// Keep are the columns that are passed on with their types.
	Keep []string `json:"keep,omitempty" yaml:"keep,omitempty"`
	// Label is the class column, which is also passed on.
	Label string `json:"label,omitempty" yaml:"label,omitempty"`
	// ReplaceText replaces invalid UTF-8 in passed text by U+FFFD. Otherwise such a row is an
	// error.
	ReplaceText bool `json:"-" yaml:"-"`
}

// pass returns a batch with the columns that are passed on.
func (s Selection) pass(t *table.Table) (*Batch, error) {
	b := &Batch{Origin: t.Origin}
	var err error
	if s.ID != "" {
		if b.ID, err = s.column(t, s.ID); err != nil {
			return nil, err
		}
		if err := table.CheckID(b.ID, t.Origin); err != nil {
			return nil, err
		}
	}
	for _, name := range s.passing() {
		c, err := s.column(t, name)
		if err != nil {
			return nil, err
		}
		b.Kept = append(b.Kept, c)
		if name == s.Label {
			b.Label = c.Strings()
		}
	}
	return b, nil
}

// column returns a column to pass on.
func (s Selection) column(t *table.Table, name string) (table.Column, error) {
	c, err := t.Need(name)
	if err != nil {
		return c, err
	}
	return table.SoundColumn(c, t.Origin, s.ReplaceText)
}

// Passing returns the columns that are passed on without duplicates: the id, if there is one, the
// kept ones and the label.
func (s Selection) Passing() []string {
	out := s.passing()
	if s.ID != "" && !slices.Contains(out, s.ID) {
		out = append([]string{s.ID}, out...)
	}
	return out
}

// passing returns the kept columns and the label without duplicates.
func (s Selection) passing() []string {
	out := make([]string, 0, len(s.Keep)+1)
	for i := range len(s.Keep) + 1 {
		name := s.Label
		if i < len(s.Keep) {
			name = s.Keep[i]
		}
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
