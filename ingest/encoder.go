package ingest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"unfold/ingest/table"
)

// Encoder encodes raw records as vectors. A Fitter learns it. Encode is a pure function of
// (encoder, record). An Encoder is immutable and safe for concurrent use.
type Encoder struct {
	// vector is the name of the vector column. Otherwise columns are the encodings of plain
	// columns.
	vector  string
	columns []columnCode
	// element scales the elements of the vector column; nil leaves them unchanged.
	element []scale
	log1p   bool
	// missing encodes missing values as NaN. It is not stored with the encoder.
	missing bool
	// fill are the elements for missing values; if nil, missing values are errors.
	fill []float32
	// metric maps encoded rows of inner elements to rows of dim elements.
	metric Metric
	inner  int
	// shift is subtracted from rows after the metric, in double precision; nil subtracts nothing.
	shift []float64
	// precise encodes rows in double precision until the end, like shift.
	precise bool
	// blank adds an element for rows without a direction (Metric.directs).
	blank bool
	// white is the map of the metric mahalanobis, otherwise nil.
	white *whitening

	dim    int
	names  []string
	choice Selection
	// kept is the selection in the encoder's file, nil for an encoder that was learnt here.
	kept *Selection
}

// scale is the affine map (v-mean)*factor of a number after log1p. The factor includes the weight;
// it is 0 for a column without variance.
type scale struct {
	Mean   float64 `json:"mean"`
	Factor float64 `json:"factor"`
}

// columnCode is the encoding of one plain column.
type columnCode struct {
	Name  string     `json:"name"`
	Kind  table.Kind `json:"kind"`
	Log1p bool       `json:"log1p,omitempty"`
	Scale scale      `json:"scale"`
	// Categories are the vocabulary of a text column. Category i has element i, and all others
	// share the element after the last.
	Categories []string       `json:"words,omitempty"`
	index      map[string]int // inverse of Categories
	// Period makes the values cyclic. It is in days for times, otherwise in the unit of the column.
	Period float64 `json:"period,omitempty"`
	// Tokens is the number of elements into which the words of a text are hashed.
	Tokens int `json:"tokens,omitempty"`
}

// width returns the number of elements of the column's encoding.
func (c *columnCode) width() int {
	switch {
	case c.Tokens > 0:
		return c.Tokens
	case c.Period > 0:
		return 2
	case c.Kind == table.Text:
		return len(c.Categories) + 1
	}
	return 1
}

// categorical reports whether the elements are categories of a vocabulary.
func (c *columnCode) categorical() bool { return c.Kind == table.Text && c.Tokens == 0 }

// finish sets the fields that follow from the others.
func (e *Encoder) finish() {
	if e.vector != "" {
		e.dim = e.behind()
		return
	}
	e.inner, e.names = 0, nil
	for i := range e.columns {
		c := &e.columns[i]
		e.inner += c.width()
		e.names = append(e.names, c.elements()...)
		if c.categorical() {
			c.index = make(map[string]int, len(c.Categories))
			for k, w := range c.Categories {
				c.index[w] = k
			}
		}
	}
	if e.dim = e.behind(); e.metric == Haversine {
		e.names = []string{"x", "y", "z"}
	}
	if e.blank {
		e.names = append(e.names, blankName)
	}
}

// behind returns the length of a row after the metric.
func (e *Encoder) behind() int {
	dim := e.metric.dim(e.inner)
	if e.blank {
		dim++
	}
	return dim
}

// Dim returns the length of an encoded vector.
func (e *Encoder) Dim() int { return e.dim }

// Names returns the names of the vector's elements. Names are the column, "column=category"
// ("column=?" for unseen categories), "column:cos" and "column:sin", "column#number" for tokens,
// and x, y, z for the metric haversine. They are nil for a vector column.
func (e *Encoder) Names() []string { return e.names }

// Selection returns the columns that are passed on.
func (e *Encoder) Selection() Selection { return e.choice }

// Metric returns the distance of rows that equals the Euclidean distance of their vectors.
func (e *Encoder) Metric() Metric { return cmp.Or(e.metric, Euclidean) }

// Fills reports whether missing values are replaced by the means of their columns.
func (e *Encoder) Fills() bool { return e.fill != nil }

// Strict returns the same encoder with missing values as errors.
func (e *Encoder) Strict() *Encoder {
	out := *e
	out.missing, out.fill = false, nil
	return &out
}

// Reading returns the same encoder for vectors in a column of another name. It fails if vectors are
// made of plain columns.
func (e *Encoder) Reading(vector string) (*Encoder, error) {
	if e.vector == "" {
		return nil, fmt.Errorf("vectors are made of the columns %s, not of one column of vectors", table.List(e.Columns()))
	}
	out := *e
	out.vector = vector
	return &out, nil
}

// Vector returns the vector column's name, or "" if plain columns are encoded.
func (e *Encoder) Vector() string { return e.vector }

// Shape returns a text that is equal for encoders that differ only in learnt values. It contains
// the vector column and its length, or the names and kinds of plain columns. Tables of the same
// shape can be learnt from together.
func (e *Encoder) Shape() string {
	var b strings.Builder
	if e.metric.named() {
		fmt.Fprintf(&b, "%s ", e.metric)
	}
	if e.vector != "" {
		fmt.Fprintf(&b, "%q[%d]", e.vector, e.inner)
	}
	for _, c := range e.columns {
		fmt.Fprintf(&b, "%q %v,", c.Name, c.Kind)
		if c.Period > 0 || c.Tokens > 0 {
			fmt.Fprintf(&b, "%v %d,", c.Period, c.Tokens)
		}
	}
	return b.String()
}

// Columns returns the columns that are encoded: the vector column, or the plain ones.
func (e *Encoder) Columns() []string {
	if e.vector != "" {
		return []string{e.vector}
	}
	names := make([]string, len(e.columns))
	for i := range e.columns {
		names[i] = e.columns[i].Name
	}
	return names
}

// Needs returns all columns that Encode reads, including those that are passed on.
func (e *Encoder) Needs() []string { return append(e.Columns(), e.choice.Passing()...) }

// With returns the same encoder with another selection of columns to pass on.
func (e *Encoder) With(s Selection) *Encoder {
	out := *e
	out.choice = s
	return &out
}

// Renamed returns the id and kept columns that the selection in the encoder's file did not name,
// but With has. No event is known to have had them.
func (e *Encoder) Renamed() (names []string) {
	if e.kept == nil {
		return nil
	}
	known := e.kept.Passing()
	for _, name := range (Selection{ID: e.choice.ID, Keep: e.choice.Keep}).Passing() {
		if !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	return names
}

// Unlabelled returns the same encoder whose batches have no Label. The label column is passed on
// like others. That saves memory, because its text may be far larger than the column if many rows
// share one long value.
func (e *Encoder) Unlabelled() *Encoder {
	return e.With(Selection{ID: e.choice.ID, Keep: e.choice.passing(), ReplaceText: e.choice.ReplaceText})
}

// Lenient returns the same encoder. With missing, nulls and NaN are missing values and become NaN
// in the vector; otherwise they are errors, which is the default. Files do not store this setting.
func (e *Encoder) Lenient(missing bool) *Encoder {
	out := *e
	out.missing = missing
	return &out
}

// Check returns an *Error if the schema of a source shows that a value is not of the fitted kind.
// name is the name of the source.
func (e *Encoder) Check(s table.Schema, name string) error {
	find := s.Lookup()
	for _, c := range e.columns {
		if f, ok := find(c.Name); ok && (c.Kind == table.Number || c.Kind == table.Bool) {
			if err := (table.Origin{File: name}).OddValue(f); err != nil {
				return err
			}
		}
	}
	return nil
}
