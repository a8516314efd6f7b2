package ingest

import (
	"fmt"
	"slices"
	"strings"

	"unfold/ingest/emit"
	"unfold/ingest/table"
)

// labelNames are names that only labels have, and classNames those that classes usually have, in lower
// case, the usual first. Columns of numbers are labels by a name of labelNames alone, since a number
// named "group" may as well be a measure.
var (
	labelNames = []string{"label", "labels", "target", "targets", "class", "classes"}
	classNames = []string{
		"species", "diagnosis", "cell_type", "celltype", "cell type", "cell.type", "cultivar", "variety", "genre", "activity", "attack", "outcome", "response",
		"category", "type", "kind", "group", "y",
	}
)

// label returns the column that holds labels and the reason, nil if there is none or no other column.
// It is a column with a name of labelNames; else one of categories with a name of classNames; else the
// only one of categories beside two or more columns of numbers. Such a column in the vector would
// split the map by what it says, instead of showing whether the other columns do. ids are the columns
// that identify rows.
func (p *Profile) label(ids map[string]bool) (*ColumnProfile, string) {
	if len(p.Columns) < 2 {
		return nil, ""
	}
	plain := []table.Kind{table.Number, table.Bool, table.Text}
	named := p.called(labelNames, func(c *ColumnProfile) bool { return slices.Contains(plain, c.Kind) })
	if named != nil {
		return named, "by its name"
	}
	var categories []*ColumnProfile
	numbers := 0
	for i := range p.Columns {
		switch c := &p.Columns[i]; {
		case ids[c.Name] || slices.Contains(p.passing, c.Name):
		case c.Kind == table.Number && c.Min < c.Max:
			numbers++
		case c.Kind == table.Text && !c.timed && p.categorical(c):
			categories = append(categories, c)
		}
	}
	of := func(c *ColumnProfile) bool {
		return !ids[c.Name] && (slices.Contains(categories, c) || c.Kind == table.Bool && c.Distinct > 1)
	}
	if named := p.called(classNames, of); named != nil && numbers+len(categories) > 1 {
		return named, "by its name"
	}
	if len(categories) == 1 && numbers > 1 && emit.CheckKept("", []string{categories[0].Name}) == nil {
		return categories[0], "as the only column of categories"
	}
	return nil, ""
}

// called returns the first column with one of the names, in the order of the names, that passes and
// that a map can keep.
func (p *Profile) called(names []string, passes func(*ColumnProfile) bool) *ColumnProfile {
	for _, name := range names {
		for i := range p.Columns {
			if c := &p.Columns[i]; strings.ToLower(c.Name) == name && passes(c) && !slices.Contains(p.passing, c.Name) && emit.CheckKept("", []string{c.Name}) == nil {
				return c
			}
		}
	}
	return nil
}

// categorical reports whether a column of text has few enough values to be categories.
func (p *Profile) categorical(c *ColumnProfile) bool {
	return c.Distinct > 1 && !c.isUnited() && c.Distinct <= categories && 2*int64(c.Distinct) <= p.Rows
}

// labelNote returns what was guessed about the label, and the flags that use the column instead.
func (p *Profile) labelNote() string {
	without := *p
	without.Suggestion.Label = ""
	if i := slices.IndexFunc(p.Columns, func(c ColumnProfile) bool { return c.Name == p.Suggestion.Label }); p.Columns[i].Kind == table.Text {
		without.columns += "," + escaped(p.Suggestion.Label)
		without.Suggestion.Standardize = p.Suggestion.Metric == ""
	}
	return fmt.Sprintf("column %q is taken as the label, %s: it colours the map and is not in the vectors; to have it there: %s",
		p.Suggestion.Label, p.labelWhy, Flags(without.Suggested()))
}

// besideVectors are names of labels beside a column of vectors, in lower case, the usual first.
var besideVectors = append(slices.Clone(labelNames), "y", "y_train", "train_labels")

// labelled returns the mapping of a file with a column of vectors, with the column that is the label by
// its name, and the setting. It adds none if there are labels already.
func (m Mapping) labelled(s table.Schema, labels bool) (Mapping, []Setting) {
	if labels || m.Label != "" {
		return m, nil
	}
	passing := m.Passing()
	for _, name := range besideVectors {
		for _, f := range s {
			plain := f.Kind == table.Number || f.Kind == table.Bool || f.Kind == table.Text
			if !plain || strings.ToLower(f.Name) != name || slices.Contains(passing, f.Name) || emit.CheckKept("", []string{f.Name}) != nil {
				continue
			}
			m.Label = f.Name
			return m, []Setting{{Name: "label", Value: f.Name, Why: fmt.Sprintf("column %q is taken as the label, by its name: it colours the map", f.Name)}}
		}
	}
	return m, nil
}
