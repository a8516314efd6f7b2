package ingest

import (
	"context"
	"math"
	"slices"

	"unfold/ingest/table"
)

// Hole is a column with missing values, and in how many rows.
type Hole struct {
	Column string `json:"column"`
	Rows   int64  `json:"rows"`
}

// Holes are the columns in which values were missing that the encoder fills in, in the order
// of the columns.
func (f *Fitter) Holes() []Hole {
	if f.vector != "" && f.holes > 0 {
		return []Hole{{f.vector, f.holes}}
	}
	var out []Hole
	for _, c := range f.columns {
		if c.holes > 0 {
			out = append(out, Hole{c.spec.Name, c.holes})
		}
	}
	return out
}

// fill gives an encoder the means of its elements, over the rows that have a value; 0 where
// none has.
func (f *Fitter) fill(e *Encoder) {
	e.fill = make([]float32, 0, e.inner)
	if f.vector != "" {
		for k := range f.element {
			mean, s := f.element[k].mean, scale{Factor: 1}
			if e.element != nil {
				s = e.element[k]
			}
			e.fill = append(e.fill, float32((mean-s.Mean)*s.Factor-e.shiftBefore(k)))
		}
		return
	}
	at, known := 0, f.index()
	for i := range e.columns {
		code := &e.columns[i]
		e.fill = append(e.fill, f.columns[known[code.Name]].means(code, e.shiftBefore(at))...)
		at += code.width()
	}
}

// means are those of the column's elements, less what is subtracted of the first.
func (c *columnFit) means(code *columnCode, shift float64) []float32 {
	if c.known == 0 {
		return make([]float32, code.width())
	}
	if c.sums != nil {
		out := make([]float32, len(c.sums))
		for k, v := range c.sums {
			out[k] = float32(v / float64(c.known))
		}
		return out
	}
	if c.kind != table.Text {
		return []float32{float32((c.m.mean-code.Scale.Mean)*code.Scale.Factor - shift)}
	}
	out, rest := make([]float32, len(code.Categories)+1), c.known
	for k, w := range code.Categories {
		out[k] = float32(code.Scale.Factor * float64(c.categories[w]) / float64(c.known))
		rest -= c.categories[w]
	}
	out[len(code.Categories)] = float32(code.Scale.Factor * float64(rest) / float64(c.known))
	return out
}

// Whole reads those rows of a source that have a value in each of some columns.
type Whole struct {
	r       table.Reader
	columns []string
	pending []*table.Table
	rows    int
	kept    []int
}

// Reader leaves out the rows of r that have a hole, if the mapping drops them.
func (f *Fitter) Reader(r table.Reader) table.Reader {
	if !f.mapping.Drop {
		return r
	}
	columns := []string{f.vector}
	if f.vector == "" {
		columns = columns[:0]
		for _, c := range f.columns {
			columns = append(columns, c.spec.Name)
		}
	}
	return OnlyWhole(r, columns)
}

// OnlyWhole leaves the rows of r out in which one of the columns is null or NaN, or a vector
// with such an element. Rows keep their numbers.
func OnlyWhole(r table.Reader, columns []string) *Whole { return &Whole{r: r, columns: columns} }

// Schema and Close are those of the source.
func (w *Whole) Schema() table.Schema { return w.r.Schema() }

// Close closes the source.
func (w *Whole) Close() error { return w.r.Close() }

// Dropped returns how many rows were left out so far.
func (w *Whole) Dropped() int { return w.rows - len(w.kept) }

// Of returns the values of the rows that were given, of a column of all rows of the source.
// One of another length it returns as it is.
func (w *Whole) Of(c table.Column) (table.Column, error) {
	if c.Len() != w.rows {
		return c, nil
	}
	return c.Take(w.kept)
}

// Next returns the next rows without a hole between them.
func (w *Whole) Next(ctx context.Context) (*table.Table, error) {
	for len(w.pending) == 0 {
		t, err := w.r.Next(ctx)
		if err != nil {
			return nil, err
		}
		if err := w.split(t); err != nil {
			return nil, err
		}
	}
	t := w.pending[0]
	w.pending = w.pending[1:]
	return t, nil
}

// split queues the runs of rows that are whole.
func (w *Whole) split(t *table.Table) error {
	hole := make([]bool, t.Len())
	for _, name := range w.columns {
		c, err := t.Need(name)
		if err != nil {
			return err
		}
		markHoles(hole, c)
	}
	for from := 0; from < len(hole); {
		to := from
		for to < len(hole) && !hole[to] {
			w.kept = append(w.kept, w.rows+to)
			to++
		}
		if to > from {
			w.pending = append(w.pending, t.Slice(from, to))
		}
		from = to + 1
	}
	w.rows += len(hole)
	return nil
}

// markHoles marks the rows in which a value of a column is missing.
func markHoles(hole []bool, c table.Column) {
	if c.Kind() == table.Vector {
		vector := table.VectorRows(c)
		for i := range hole {
			v := vector(i)
			hole[i] = hole[i] || v == nil || slices.ContainsFunc(v, math.IsNaN)
		}
		return
	}
	if c.Kind() == table.SparseVector {
		rows := table.NewSparseRows(c, table.Origin{}, true)
		for i := range hole {
			hole[i] = hole[i] || rows.Lacks(i)
		}
		return
	}
	get := table.NumberGetter(c.Array())
	for i := range hole {
		hole[i] = hole[i] || c.IsNull(i) || get != nil && math.IsNaN(get(i))
	}
}

// noRows is the error for a source of which every row has a hole.
func noRows(o table.Origin, dropped int64) error {
	if dropped == 0 {
		return o.Bad("there are no rows")
	}
	return o.Bad("there are no rows without a missing value").Suggest("fill them: --missing mean; or leave out the columns that have most holes")
}
