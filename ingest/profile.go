package ingest

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"unfold/ingest/table"
)

// ColumnProfile describes the values of a column, or of a field of a struct with its dotted path.
type ColumnProfile struct {
	Name string
	Type string
	Kind table.Kind
	// Missing is the number of rows without a value: null, NaN, or a vector with such an element.
	Missing int64
	// Null is the number of rows without a vector, which have no values to fill.
	Null int64
	// Min and Max are the smallest and the largest number, element of a vector, or time in days
	// since 1970. They are NaN if there is none.
	Min, Max float64
	// First and Last are Min and Max as written in the source. Distinct is the number of different
	// values of a column of text or booleans, up to MostDistinct.
	First, Last string
	Distinct    int

	// Width is the length of sparse vectors, and Entries the number of their values that are not 0.
	// Both are 0 for other columns.
	Width, Entries int
	// Problem is the error of the first sparse vector that cannot be read, or nil.
	Problem error

	read   int // number of sparse vectors read
	zeros  int64
	m      moments
	values map[string]bool
	// timed is true if all text so far can be parsed as times, and united if it is numbers with units.
	timed, united bool
}

// unitNumber matches a number with a sign of a currency or of percent.
var unitNumber = regexp.MustCompile(`^\(?[-+]?([$€£¥]\s?-?[0-9][0-9.,']*|[0-9][0-9.,']*\s?[%‰$€£¥])\)?$`)

// MostDistinct is the maximum of ColumnProfile.Distinct.
const MostDistinct = 1000

// Profile describes the columns of a source.
type Profile struct {
	Rows    int64
	Columns []ColumnProfile
	// Left are the columns that "*" omits.
	Left []Left
	// Suggestion is a suggested mapping. It has no columns if there is one column of vectors, or
	// nothing to encode. columns is the text of its columns.
	Suggestion Mapping
	columns    string
	labelWhy   string   // why Suggestion.Label is the label
	timesWhy   string   // why times are not among the columns; "" if they are, or there are none
	numbers    bool     // whether "*" selects columns
	labelled   bool     // whether the rows have labels, so that none are guessed
	passing    []string // columns that are passed on, and are not suggested
	// Unread are the columns that the reader omits; their types contain the reason.
	Unread table.Schema
	// Entries is the number of nonzero values of a sparse matrix, or of sparse vectors in the only
	// vector column. It is nil for other sources.
	Entries *int
	// Vector is the only column of vectors, "" if there is none or more than one.
	Vector string
}

// ReadProfile reads a source to its end. see is called with every table, and may be nil.
func ReadProfile(ctx context.Context, r table.Reader, see func(*table.Table)) (*Profile, error) {
	schema := r.Schema()
	flat := schema.Flat()
	p := &Profile{Columns: make([]ColumnProfile, len(flat))}
	for i, f := range flat {
		p.Columns[i] = ColumnProfile{Name: f.Name, Type: f.Type, Kind: f.Kind, Min: math.NaN(), Max: math.NaN(), timed: f.Kind == table.Text, united: f.Kind == table.Text}
	}
	if s, is := SparseOf(r); is {
		return p.ofSparse(ctx, s, see)
	}
	p.Unread = table.LeftOf(r)
	if len(schema) == 0 {
		p.Rows, _ = table.RowsOf(r) // no table contains them
	}
	// The omitted columns depend on the rows.
	fitter, refused := newFitter(Mapping{Columns: []ColumnSpec{{Name: "*"}}}, withoutOdd(schema), table.Origin{})
	if refused == nil {
		fitter.columns = nil // nothing is learnt
	}
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, err
		}
		for i := range p.Columns {
			if err := p.Columns[i].see(t); err != nil {
				return nil, t.Located(err)
			}
		}
		if refused == nil {
			for _, l := range fitter.looks {
				l.see(t)
			}
		}
		p.Rows += int64(t.Len())
		if see != nil {
			see(t)
		}
	}
	if refused == nil {
		p.Left = fitter.Left()
		united := map[string]bool{}
		for i := range p.Columns {
			if c := &p.Columns[i]; c.isUnited() {
				united[c.Name] = true
			}
		}
		for i := range p.Left {
			if f, ok := schema.Find(p.Left[i].Column); ok && f.Odd != nil && f.Odd.Kind == table.Number {
				p.Left[i].Why = fmt.Sprintf("%d of %d values are numbers, %q is not", f.Odd.Fit, f.Odd.Of, table.Clip(f.Odd.Text))
			}
			if united[p.Left[i].Column] {
				p.Left[i].Why = unitWhy
			}
		}
	}
	if vectors := vectorsOf(schema); len(vectors) == 1 {
		p.Vector = vectors[0]
		p.ofEntries()
		return p, nil
	}
	p.numbers = refused == nil
	p.suggest()
	return p, nil
}

// unitWhy is the reason for omitting a column of numbers with units.
const unitWhy = "numbers with a sign of percent or a currency: write them without"

// isUnited reports whether a column of text has numbers with units only.
func (c *ColumnProfile) isUnited() bool { return c.united && c.Distinct > 0 }

// withoutOdd returns a schema in which columns with odd values are text.
func withoutOdd(s table.Schema) table.Schema {
	if !slices.ContainsFunc(s, func(f table.Field) bool { return f.Odd != nil }) {
		return s
	}
	s = slices.Clone(s)
	for i := range s {
		s[i].Odd = nil
	}
	return s
}

// see adds the rows of a table.
func (c *ColumnProfile) see(t *table.Table) error {
	col, err := t.Need(c.Name)
	if err != nil {
		return nil // two columns have this name, so neither can be used
	}
	switch c.Kind {
	case table.Vector:
		row := table.VectorRows(col)
		for i := range col.Len() {
			v := row(i)
			if v == nil {
				c.Null++
			}
			if v == nil || slices.ContainsFunc(v, math.IsNaN) {
				c.Missing++
			}
			for _, x := range v {
				c.widen(x)
			}
		}
	case table.SparseVector:
		c.seeSparse(col, t.Origin)
	case table.Number:
		get := table.NumberGetter(col.Array())
		for i := range col.Len() {
			c.number(col, i, get)
		}
	case table.Time:
		get, err := table.DaysOf(col, t.Origin, true)
		if err != nil {
			return err
		}
		for i := range col.Len() {
			c.number(col, i, func(i int) float64 { v, _ := get(i); return v })
		}
	default:
		c.timed = c.timed && table.Millis(col) != nil
		for i := range col.Len() {
			if col.IsNull(i) || col.Text(i) == "" {
				c.Missing++
			} else if v := col.Text(i); len(c.values) < MostDistinct && !c.values[v] {
				if c.values == nil {
					c.values = map[string]bool{}
				}
				c.united = c.united && unitNumber.MatchString(v)
				c.values[strings.Clone(v)] = true
			}
		}
		c.Distinct = len(c.values)
	}
	return nil
}

// number adds the value of a row.
func (c *ColumnProfile) number(col table.Column, i int, get func(i int) float64) {
	if col.IsNull(i) || math.IsNaN(get(i)) {
		c.Missing++
		return
	}
	v := get(i)
	if v == 0 {
		c.zeros++
	}
	c.m.add(v)
	if first, last := c.widen(v); first || last {
		text := col.Text(i)
		if first {
			c.First = text
		}
		if last {
			c.Last = text
		}
	}
}

// widen extends the range to a value.
func (c *ColumnProfile) widen(v float64) (first, last bool) {
	if math.IsNaN(v) {
		return false, false
	}
	if first = !(v >= c.Min); first {
		c.Min = v
	}
	if last = !(v <= c.Max); last {
		c.Max = v
	}
	return first, last
}
