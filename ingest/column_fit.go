package ingest

import (
	"cmp"
	"math"
	"slices"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// columnFit collects the statistics of one column.
type columnFit struct {
	spec       ColumnSpec
	kind       table.Kind
	m          moments
	spread     spread
	single     bool // single precision represents every value of the column's type
	categories map[string]int64
	// code is the encoding of a column that needs no learning, such as a circle or tokens. sums are
	// the sums of its elements.
	code columnCode
	sums []float64
	// known is the number of rows with a value, and holes the number of those without.
	known, holes int64
}

// learnt reports whether the column's encoding depends on its rows.
func (c *columnFit) learnt() bool {
	return c.kind == table.Text || c.kind == table.Time || c.spec.Standardize
}

// maxTracked is the maximum number of distinct categories counted for a column. Categories that
// first appear later count as unseen.
const maxTracked = 1 << 16

// columnFit returns the state for learning one column.
func (m Mapping) columnFit(spec ColumnSpec, field table.Field, o table.Origin) (columnFit, error) {
	if spec.special() {
		field.Odd = nil // its text is parsed differently
	}
	if err := o.OddValue(field); err != nil {
		return columnFit{}, err
	}
	c := columnFit{spec: spec, kind: field.Encoded(), single: field.FitsSingle()}
	if c.spec.Weight == 0 {
		c.spec.Weight = 1
	}
	length, times, _ := period(spec.Cyclic)
	switch starred := m.starred(spec.Name); {
	case spec.Tokens > 0 && c.kind != table.Text:
		return c, o.BadColumn(spec.Name, "its type is %s, and tokens are made of text", field.Type)
	case spec.Tokens > 0:
		c.code = columnCode{Tokens: spec.Tokens}
	case spec.Cyclic != "" && times != (c.kind != table.Number), c.kind == table.Bool && spec.special():
		return c, o.BadColumn(spec.Name, "its type is %s, and the period is %q", field.Type, spec.Cyclic).
			Suggest("times take a time, such as 24h, 7d, day, week or year, and numbers a number, such as 360")
	case spec.Cyclic != "":
		c.code = columnCode{Period: length}
		if times {
			c.kind = table.Time
		}
	case spec.Time && c.kind != table.Text && c.kind != table.Time:
		return c, o.BadColumn(spec.Name, "its type is %s, and the option time reads text", field.Type)
	case spec.Time:
		c.kind = table.Time
	case c.kind == table.Text && (c.spec.Log1p || c.spec.Standardize && !starred):
		return c, o.BadColumn(spec.Name, "it is text: its categories cannot be scaled").Suggest("give it only a weight; if it should hold numbers, set its type to float64 to learn which row does not")
	case c.kind == table.Text:
		c.categories = map[string]int64{}
	}
	if c.code.width() > 1 {
		c.code.Name, c.code.Kind, c.code.Scale = spec.Name, c.kind, scale{Factor: c.spec.Weight}
		c.sums = make([]float64, c.code.width())
		return c, nil
	}
	switch c.kind {
	case table.Number:
		c.spec.Log1p = c.spec.Log1p || m.Log1p
		c.spec.Standardize = c.spec.Standardize || m.Standardize || m.Mixed
	case table.Time:
		c.spec.Standardize = c.spec.Standardize || m.Standardize || m.Mixed
		c.spec.Log1p = false
	}
	return c, nil
}

func (c *columnFit) learn(col table.Column, o table.Origin, missing, fill bool) error {
	if c.sums != nil {
		return c.learnSums(col, o, missing, fill)
	}
	if c.kind == table.Text {
		for i := range col.Len() {
			if missing && isEmpty(col, i) {
				c.holes++
				continue
			} else if col.IsNull(i) {
				return table.Null(o, i, c.spec.Name)
			}
			c.known++
			w := category(col, i)
			if _, ok := c.categories[w]; ok || len(c.categories) < maxTracked {
				c.categories[w]++
			}
		}
		return nil
	}
	return (&columnCode{Kind: c.kind}).each(col, o, missing, func(_ int, v float64) error {
		c.count(v)
		if c.spec.Log1p {
			v = log1p(v)
		}
		if fill || c.learnt() {
			c.m.add(v)
		}
		if c.shifts() {
			c.spread.add(v)
		}
		return nil
	})
}

// count counts a value; NaN is missing.
func (c *columnFit) count(v float64) {
	if math.IsNaN(v) {
		c.holes++
	} else {
		c.known++
	}
}

// learnSums adds up the elements of a column whose encoding is known.
func (c *columnFit) learnSums(col table.Column, o table.Origin, missing, fill bool) error {
	if !fill {
		return nil
	}
	x := vec.New[float32](col.Len(), c.code.width())
	if err := encodeColumn(&c.code, col, x, 0, o, missing); err != nil {
		return err
	}
	for i := range x.Rows {
		row := x.Row(i)
		if c.count(float64(row[0])); row[0] != row[0] {
			continue
		}
		for k, v := range row {
			c.sums[k] += float64(v)
		}
	}
	return nil
}

// codeOf returns the encoding of the column.
func (c *columnFit) codeOf(most int) columnCode {
	if c.sums != nil {
		return c.code
	}
	code := columnCode{Name: c.spec.Name, Kind: c.kind, Log1p: c.spec.Log1p, Scale: scale{Factor: c.spec.Weight}}
	switch {
	case c.kind == table.Text:
		code.Categories = c.vocabulary(most)
	case c.spec.Standardize:
		code.Scale = c.m.scale(c.spec.Weight)
	case c.kind == table.Time:
		// Days since 1970 are too large for the precision of an element.
		code.Scale.Mean = c.m.mean
	}
	return code
}

// vocabulary returns the at most n most frequent categories. They are in alphabetical order, so
// that the same records in another order lead to the same encoder.
func (c *columnFit) vocabulary(n int) []string {
	if n == 0 {
		n = DefaultVocabulary
	}
	categories := make([]string, 0, len(c.categories))
	for w := range c.categories {
		categories = append(categories, w)
	}
	slices.SortFunc(categories, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.categories[b], c.categories[a]), cmp.Compare(a, b))
	})
	categories = categories[:min(n, len(categories))]
	slices.Sort(categories)
	return categories
}
