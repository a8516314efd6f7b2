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

// Encoder turns raw records into vectors. It is what a Fitter has learnt:
// Encode is a pure function of (encoder, record). An Encoder is immutable and
// safe for concurrent use.
type Encoder struct {
	// vector is the vector column's name; columns are the plain ones instead.
	vector  string
	columns []columnCode
	// element scales the vector column's elements; nil leaves them as they are.
	element []scale
	log1p   bool
	// missing makes NaN of what is missing; it is not kept with the encoder.
	missing bool
	// fill holds what the elements are where a value is missing; nil: that is an error.
	fill []float32
	// metric maps rows of inner elements, as they are encoded, to rows of dim.
	metric Metric
	inner  int
	// shift is subtracted from rows behind the metric, in double precision; nil: nothing is.
	shift []float64
	// precise makes rows in double precision up to the end, as shift does.
	precise bool
	// blank gives rows without a direction (Metric.directs) an element of their own.
	blank bool

	dim    int
	names  []string
	choice Selection
	// kept is the choice that a file had, nil for an encoder that was learnt here.
	kept *Selection
}

// scale is the affine map (v-mean)*factor of a number after log1p. It includes
// the weight, and is 0 for a column without variance.
type scale struct {
	Mean   float64 `json:"mean"`
	Factor float64 `json:"factor"`
}

// columnCode is how one plain column is encoded.
type columnCode struct {
	Name  string     `json:"name"`
	Kind  table.Kind `json:"kind"`
	Log1p bool       `json:"log1p,omitempty"`
	Scale scale      `json:"scale"`
	// Categories are a text column's vocabulary: category i has element i, one that is
	// not among them the element after the last.
	Categories []string       `json:"words,omitempty"`
	index      map[string]int // inverse of Categories
	// Period makes a circle of the values: in days for times, else in their own unit.
	Period float64 `json:"period,omitempty"`
	// Tokens is the number of elements that a text's words are hashed into.
	Tokens int `json:"tokens,omitempty"`
}

// width is the number of elements of the column's encoding.
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

// categorical says that the elements are those of a vocabulary.
func (c *columnCode) categorical() bool { return c.Kind == table.Text && c.Tokens == 0 }

// finish fills what follows from the other fields.
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

// behind is the length of a row behind the metric.
func (e *Encoder) behind() int {
	dim := e.metric.dim(e.inner)
	if e.blank {
		dim++
	}
	return dim
}

// Dim is the length of an encoded vector.
func (e *Encoder) Dim() int { return e.dim }

// Names are the names of the vector's elements: the column, or "column=category"
// ("column=?" for categories unseen), "column:cos" and "column:sin", "column#number" of
// tokens, and x, y, z of the metric haversine. They are nil for a vector column.
func (e *Encoder) Names() []string { return e.names }

// Selection returns the columns that pass through.
func (e *Encoder) Selection() Selection { return e.choice }

// Metric is the distance between rows that the Euclidean one of their vectors is.
func (e *Encoder) Metric() Metric { return cmp.Or(e.metric, Euclidean) }

// Fills says that missing values become the means of their columns.
func (e *Encoder) Fills() bool { return e.fill != nil }

// Strict returns the same encoder, for which missing values are errors.
func (e *Encoder) Strict() *Encoder {
	out := *e
	out.missing, out.fill = false, nil
	return &out
}

// Reading returns the same encoder, which takes the vectors from a column of another name. It
// fails if vectors are made of plain columns.
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

// Shape is a text that is equal for encoders of columns that are equal but for what was
// learnt: the vector column and its length, or the names and kinds of plain columns.
// Tables of one shape can be learnt from together, whatever numbers they hold.
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

// Columns are the columns that vectors are made of: the vector column, or the plain ones.
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

// Needs lists all the columns that Encode looks at, those that pass through included.
func (e *Encoder) Needs() []string { return append(e.Columns(), e.choice.Passing()...) }

// With returns the same encoder with other columns passing through.
func (e *Encoder) With(s Selection) *Encoder {
	out := *e
	out.choice = s
	return &out
}

// Renamed lists the id and the kept columns of an encoder from a file that the file did not name: With has. No
// event is known to have had them.
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

// Unlabelled returns the same encoder, whose batches have no Label: the label
// column passes through like others, and its values are not written out as text
// (which may take far more than the column: many rows may share one long value).
func (e *Encoder) Unlabelled() *Encoder {
	return e.With(Selection{ID: e.choice.ID, Keep: e.choice.passing(), ReplaceText: e.choice.ReplaceText})
}

// Lenient returns the same encoder, for which nulls and NaN are missing values, NaN in
// the vector, or, as it is at first, errors. It is a matter of who reads: files do not
// keep it.
func (e *Encoder) Lenient(missing bool) *Encoder {
	out := *e
	out.missing = missing
	return &out
}

// Check fails with an *Error if a source with that schema is known to hold a value that
// is not of the kind that was fitted; name is the source's.
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

// Encode turns a table into a batch. It fails if a column is missing, a value is null,
// NaN, infinite or not of the kind that was fitted, or a vector has another length. Its
// *Error names row and column.
func (e *Encoder) Encode(t *table.Table) (*Batch, error) {
	x := vec.New[float32](t.Len(), e.dim)
	b, err := e.EncodeInto(t, x)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Pass returns what passes through of a table, without vectors.
func (e *Encoder) Pass(t *table.Table) (*Batch, error) {
	b, err := e.choice.pass(t)
	if err != nil {
		return nil, t.Located(err)
	}
	return b, nil
}

// EncodeInto is Encode into the memory of x, which must be t.Len() x Dim().
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

// encodeTo encodes the rows of t in the precision of x, before anything is subtracted, and returns
// how many have no direction.
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

// encodeRows encodes rows as they are before fill and metric.
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

// lacks says that values may be missing.
func (e *Encoder) lacks() bool { return e.missing || e.fill != nil }

// fillIn puts the columns' means where values are missing.
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

// pass collects what passes through.
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

// column returns a column that passes through.
func (s Selection) column(t *table.Table, name string) (table.Column, error) {
	c, err := t.Need(name)
	if err != nil {
		return c, err
	}
	return table.SoundColumn(c, t.Origin, s.ReplaceText)
}

// Passing lists the columns that pass through, each once: the id, if there is one, the kept
// ones and the label.
func (s Selection) Passing() []string {
	out := s.passing()
	if s.ID != "" && !slices.Contains(out, s.ID) {
		out = append([]string{s.ID}, out...)
	}
	return out
}

// passing lists the kept columns and the label, each once.
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
	for i := range x.Rows {
		if col.IsNull(i) {
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

// category is a text value as the vocabulary holds it: valid UTF-8.
func category(c table.Column, i int) string { return strings.ToValidUTF8(c.Text(i), "\uFFFD") }

// log1p is the sign-symmetric logarithm sign(v) log(1+|v|).
func log1p(v float64) float64 { return math.Copysign(math.Log1p(math.Abs(v)), v) }
