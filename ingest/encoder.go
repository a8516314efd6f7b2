package ingest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unfold/ingest/table"
	"unfold/internal/vec"
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

// Encode encodes a table. It fails if a column is missing, if a value is null, NaN, infinite or not
// of the fitted kind, or if a vector has another length. Its *Error names row and column.
func (e *Encoder) Encode(t *table.Table) (*Batch, error) {
	x := vec.New[float32](t.Len(), e.dim)
	b, err := e.EncodeInto(t, x)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Pass returns a batch with only the columns that are passed on, without vectors.
func (e *Encoder) Pass(t *table.Table) (*Batch, error) {
	b, err := e.choice.pass(t)
	if err != nil {
		return nil, t.Located(err)
	}
	return b, nil
}

// EncodeInto encodes t into x, which must be t.Len() x Dim(). Otherwise it is like Encode.
func (e *Encoder) EncodeInto(t *table.Table, x vec.Matrix[float32]) (*Batch, error) {
	b, err := e.encodeInto(t, x)
	if err != nil {
		return nil, t.Located(err)
	}
	return b, nil
}

func (e *Encoder) encodeInto(t *table.Table, x vec.Matrix[float32]) (*Batch, error) {
	b, err := e.choice.pass(t)
	if err != nil {
		return nil, err
	}
	b.X = x
	if e.shift == nil && !e.precise {
		b.Blank, err = encodeTo(e, t, x)
		return b, err
	}
	return b, inPieces(t, e.dim, func(from int, piece *table.Table, wide vec.Matrix[float64]) error {
		blank, err := encodeTo(e, piece, wide)
		b.Blank += blank
		if err != nil {
			return err
		}
		return e.round(x.Slice(from, from+piece.Len()), wide, piece.Origin)
	})
}

// encodeTo encodes the rows of t in the precision of x, before anything is subtracted. It returns
// the number of rows without a direction.
func encodeTo[T vec.Float](e *Encoder, t *table.Table, x vec.Matrix[T]) (blank int, err error) {
	rows := x
	if e.inner != e.dim {
		rows = vec.New[T](x.Rows, e.inner)
	}
	if err := encodeRows(e, t, rows); err != nil {
		return 0, err
	}
	fillIn(e, rows)
	return applyMetric(e, x, rows, t.Origin)
}

// encodeRows encodes rows before fill and metric.
func encodeRows[T vec.Float](e *Encoder, t *table.Table, x vec.Matrix[T]) error {
	if e.vector != "" {
		return encodeVector(e, t, x)
	}
	at := 0
	for i := range e.columns {
		c := &e.columns[i]
		col, err := t.Need(c.Name)
		if err != nil {
			return err
		}
		if err := encodeColumn(c, col, x, at, t.Origin, e.lacks()); err != nil {
			return err
		}
		at += c.width()
	}
	return nil
}

// lacks reports whether values may be missing.
func (e *Encoder) lacks() bool { return e.missing || e.fill != nil }

// fillIn replaces missing values by the means of their columns.
func fillIn[T vec.Float](e *Encoder, x vec.Matrix[T]) {
	if e.fill == nil {
		return
	}
	for i := range x.Rows {
		for k, v := range x.Row(i) {
			if v != v {
				x.Row(i)[k] = T(float64(e.fill[k]) + e.shiftBefore(k))
			}
		}
	}
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

func encodeVector[T vec.Float](e *Encoder, t *table.Table, x vec.Matrix[T]) error {
	c, err := t.Need(e.vector)
	if err != nil {
		return err
	}
	if !isVector(c.Kind()) {
		return t.Origin.BadColumn(c.Name(), "its type is %s, not a list of numbers", c.DataType())
	}
	if !e.log1p && e.element == nil {
		return table.CopyVectors(x.Data, e.inner, c, t.Origin, e.lacks())
	}
	wide := vec.New[float64](min(x.Rows, pieceRows), e.inner)
	for i := range x.Rows {
		if i%pieceRows == 0 {
			to, o := min(i+pieceRows, x.Rows), t.Origin
			o.Row += int64(i)
			if err := table.CopyVectors(wide.Slice(0, to-i).Data, e.inner, c.Slice(i, to), o, e.lacks()); err != nil {
				return err
			}
		}
		row := x.Row(i)
		for k, w := range wide.Row(i % pieceRows) {
			if e.log1p {
				w = log1p(w)
			}
			if e.element != nil {
				w = (w - e.element[k].Mean) * e.element[k].Factor
			}
			row[k] = T(w)
			if !table.Finite32(w) && !(e.lacks() && math.IsNaN(w)) {
				return table.NotFinite(t.Origin.BadAt(i, c.Name(), "element %d of the vector is %v once scaled", k, w))
			}
		}
	}
	return nil
}

func encodeNumber[T vec.Float](c *columnCode, col table.Column, x vec.Matrix[T], at int, o table.Origin, missing bool) error {
	return c.each(col, o, missing, func(i int, v float64) error {
		if c.Log1p {
			v = log1p(v)
		}
		v = (v - c.Scale.Mean) * c.Scale.Factor
		if !table.Finite32(v) && !(missing && math.IsNaN(v)) {
			return table.NotFinite(o.BadAt(i, c.Name, "the value is %v once scaled", v))
		}
		x.Data[i*x.Cols+at] = T(v)
		return nil
	})
}

func encodeText[T vec.Float](c *columnCode, col table.Column, x vec.Matrix[T], at int, o table.Origin, missing bool) error {
	_, empty := c.index[""] // earlier model files have it as a category
	for i := range x.Rows {
		if col.IsNull(i) || missing && !empty && isEmpty(col, i) {
			if !missing {
				return table.Null(o, i, c.Name)
			}
			for k := range c.width() {
				x.Data[i*x.Cols+at+k] = T(math.NaN())
			}
			continue
		}
		k, ok := c.index[category(col, i)]
		if !ok {
			k = len(c.Categories)
		}
		x.Data[i*x.Cols+at+k] = T(c.Scale.Factor)
	}
	return nil
}

// isEmpty reports whether a row has no text. Where missing values are allowed, empty text is missing
// in all formats, because CSV cannot distinguish the two. Otherwise it is a category.
func isEmpty(c table.Column, i int) bool { return c.IsNull(i) || c.Text(i) == "" }

// category returns a text value as in a vocabulary, as valid UTF-8.
func category(c table.Column, i int) string { return strings.ToValidUTF8(c.Text(i), "\uFFFD") }

// log1p is the sign-symmetric logarithm sign(v) log(1+|v|).
func log1p(v float64) float64 { return math.Copysign(math.Log1p(math.Abs(v)), v) }
