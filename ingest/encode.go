package ingest

import (
	"math"
	"strings"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

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
		return nil, t.Located(e.metric.gap(err))
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
