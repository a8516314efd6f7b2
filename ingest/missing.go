package ingest

import (
	"context"
	"math"
	"slices"

	"unfold/ingest/table"
)

// Hole is a column with missing values, and the number of such rows.
type Hole struct {
	Column string `json:"column"`
	Rows   int64  `json:"rows"`
}

// Holes returns the columns with missing values that the encoder fills in, in the order of the
// columns.
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

// fill sets the encoder's means of its elements over the rows that have a value; 0 if there are
// none.
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

// means returns the means of the column's elements. shift is subtracted from the first.
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

// Whole reads the rows of a source that have a value in each of some columns.
type Whole struct {
	r       table.Reader
	columns []string
	pending []*table.Table
	rows    int
	kept    []int
}

// Reader drops the rows of r with a missing value if the mapping demands it.
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

// OnlyWhole drops the rows of r in which one of the columns is null or NaN, or a vector with such
// an element. Rows keep their numbers.
func OnlyWhole(r table.Reader, columns []string) *Whole { return &Whole{r: r, columns: columns} }

// Schema returns the schema of the source.
func (w *Whole) Schema() table.Schema { return w.r.Schema() }

// Close closes the source.
func (w *Whole) Close() error { return w.r.Close() }

// Dropped returns the number of rows dropped so far.
func (w *Whole) Dropped() int { return w.rows - len(w.kept) }

// Of returns the values of c for the rows that were kept. c has a value for every row of the
// source; a column of another length is returned unchanged.
func (w *Whole) Of(c table.Column) (table.Column, error) {
	if c.Len() != w.rows {
		return c, nil
	}
	return c.Take(w.kept)
}

// Next returns the next run of rows without missing values.
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

// split queues the runs of rows without missing values.
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

// markHoles marks the rows in which the column has a missing value.
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
	get, text := table.NumberGetter(c.Array()), c.Kind() == table.Text
	for i := range hole {
		hole[i] = hole[i] || c.IsNull(i) || text && isEmpty(c, i) || get != nil && math.IsNaN(get(i))
	}
}

// noRows returns the error for a source in which every row has a missing value.
func noRows(o table.Origin, dropped int64) error {
	if dropped == 0 {
		return o.Bad("there are no rows")
	}
	return o.Bad("there are no rows without a missing value").Suggest("fill them: --missing mean; or leave out the columns that have most holes")
}
