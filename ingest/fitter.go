package ingest

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"unfold/ingest/table"
)

// Fitter learns an Encoder in one streaming pass: the length of the vectors, means and deviations
// of columns to standardize, and categories of text columns. Its memory grows with the columns and
// their vocabularies, not with the rows.
type Fitter struct {
	mapping Mapping
	vector  string
	columns []columnFit
	element []moments
	dim     int
	sparse  *sparseFit // for a column of sparse vectors, otherwise nil
	spreads []spread   // of vector elements that are not standardized
	behind  metricFit
	// holes is the number of vectors with missing elements.
	holes  int64
	rows   int64
	origin table.Origin
	schema table.Schema
	left   []Left
	looks  []*idLook
}

// moments are Welford's running mean and sum of squared deviations. The sum is in units of unit
// squared, where unit is a power of two close to the largest deviation. Otherwise the square of
// 1e-160 would be rounded to 0. A power of two changes no bit of other sums.
type moments struct {
	n, mean    float64
	unit, sum2 float64
}

func (m *moments) add(v float64) {
	if math.IsNaN(v) {
		return // missing
	}
	m.n++
	d := v - m.mean
	m.mean += d / m.n
	if a := math.Abs(d); a > 2*m.unit && !math.IsInf(a, 0) {
		_, exponent := math.Frexp(a)
		unit := math.Ldexp(1, exponent-1)
		m.sum2 *= m.unit / unit * (m.unit / unit)
		m.unit = unit
	}
	if m.unit > 0 {
		m.sum2 += d / m.unit * ((v - m.mean) / m.unit)
	}
}

// deviation returns the standard deviation of the added values.
func (m *moments) deviation() float64 { return m.unit * math.Sqrt(m.sum2/m.n) }

// variance returns the variance of the added values.
func (m *moments) variance() float64 { return m.sum2 / m.n * m.unit * m.unit }

// scale returns the standardizing map times weight; all 0 without variance.
func (m *moments) scale(weight float64) scale {
	sd := m.deviation()
	// Rounding gives a constant column a deviation of about 1e-16 of its value.
	if !(sd > 1e-12*math.Abs(m.mean)) || sd == 0 {
		return scale{Mean: m.mean}
	}
	return scale{Mean: m.mean, Factor: weight / sd}
}

// NewFitter returns a Fitter for a mapping and tables with the given schema. The error names
// unknown columns (an *Error) or a contradiction in the mapping.
func NewFitter(m Mapping, s table.Schema) (*Fitter, error) { return newFitter(m, s, table.Origin{}) }

// FitterOf returns a Fitter for source r with the given name. If the mapping does not fit and r has
// no rows, it returns the error of missing rows, because text files without rows have no known
// types.
func FitterOf(ctx context.Context, r table.Reader, m Mapping, name string) (*Fitter, error) {
	o := table.Origin{File: name}
	f, err := newFitter(m, r.Schema(), o)
	if err != nil {
		if _, end := r.Next(ctx); end == io.EOF {
			return nil, o.Bad("there are no rows")
		}
		return nil, m.unread(r, o, err)
	}
	return f, nil
}

// unread extends the error of a mapping by the columns of the source that are not read, because the
// vector may be one of them.
func (m Mapping) unread(r table.Reader, o table.Origin, err error) error {
	if p, is := r.(*partition); is {
		r = p.Reader
	}
	l, is := r.(table.Leaving)
	if !is || len(m.Columns) > 0 {
		return err
	}
	for _, f := range l.Left() {
		hint := table.SparseHint(f.Type)
		if f.Name == m.Vector {
			return o.BadColumn(f.Name, "its type is %s, which is not read", f.Type).Suggest("%s", hint)
		}
		var e *table.Error
		if m.Vector == "" && len(vectorsOf(r.Schema())) == 0 && errors.As(err, &e) {
			return e.Suggest("%s; column %q of type %s is not read: %s", e.Hint, f.Name, f.Type, hint)
		}
	}
	return err
}

func newFitter(m Mapping, s table.Schema, o table.Origin) (*Fitter, error) {
	vector, specs, left, err := m.resolve(s, o)
	if err != nil {
		return nil, err
	}
	f := &Fitter{mapping: m, vector: vector, origin: o, schema: s, left: left}
	if vector != "" {
		field, _ := s.Find(vector)
		if f.dim = field.Dim; field.Kind == table.SparseVector {
			f.sparse = &sparseFit{}
		}
		return f, nil
	}
	find := s.Lookup()
	f.columns = make([]columnFit, 0, len(specs))
	for _, spec := range specs {
		field, _ := find(spec.Name)
		if m.starred(spec.Name) {
			f.look(field)
		}
		c, err := m.columnFit(spec, field, o)
		if err != nil {
			return nil, err
		}
		if err := c.whitenable(m.Metric, o); err != nil {
			return nil, err
		}
		f.columns = append(f.columns, c)
	}
	if err := f.asCategories(); err != nil {
		return nil, err
	}
	for _, l := range left {
		field, _ := find(l.Column)
		f.look(field)
	}
	return f, nil
}

// Expect sets the length of the vectors where the schema does not have it, as in JSON, of which only the
// rows would tell.
func (f *Fitter) Expect(dim int) {
	if f.vector != "" && f.dim == 0 && f.sparse == nil {
		f.dim = dim
	}
}

// needs returns the columns that Add reads and those that are passed on.
func (f *Fitter) needs() []string {
	names := f.mapping.Passing()
	if f.vector != "" {
		names = append(names, f.vector)
	}
	for i := range f.columns {
		names = append(names, f.columns[i].spec.Name)
	}
	for _, l := range f.looks {
		names = append(names, l.name)
	}
	return names
}

// look lets the rows decide whether a column is an id.
func (f *Fitter) look(field table.Field) {
	if l := newIDLook(field); l != nil && !field.Index {
		f.looks = append(f.looks, l)
	}
}

// Left returns the columns that "*" omits, in the schema's order: those that are neither numbers
// nor booleans, and those that identify rows according to the rows so far.
func (f *Fitter) Left() []Left {
	why := map[string]string{}
	for _, l := range f.left {
		why[l.Column] = l.Why
	}
	for _, l := range f.looks {
		if w := l.why(); w != "" {
			why[l.name] = w
		}
	}
	var out []Left
	for _, field := range f.schema.Flat() {
		if w, ok := why[field.Name]; ok {
			out = append(out, Left{field.Name, w})
		}
	}
	return out
}

// Settled reports whether further rows cannot change which columns are encoded.
func (f *Fitter) Settled() bool {
	for _, l := range f.looks {
		if l.kind == table.Number && !l.done {
			return false
		}
	}
	return f.rows > 0
}

// starred reports whether a column was selected by "*" and not by its name.
func (m Mapping) starred(name string) bool {
	return !slices.ContainsFunc(m.Columns, func(c ColumnSpec) bool { return c.Name == name })
}

// NeedsPass reports whether all rows are needed. Otherwise the first rows determine the encoder
// (see Settled).
func (f *Fitter) NeedsPass() bool {
	if f.mapping.Fill {
		return true
	}
	if f.wide() || f.learnsRows() {
		return true
	}
	if f.vector != "" {
		return f.mapping.Standardize || f.sparse != nil
	}
	return slices.ContainsFunc(f.columns, func(c columnFit) bool { return c.code.width() == 1 && c.learnt() })
}

// Add learns from a table. It returns the same errors as Encode.
func (f *Fitter) Add(t *table.Table) error { return t.Located(f.mapping.Metric.gap(f.learn(t))) }

func (f *Fitter) learn(t *table.Table) error {
	f.rows += int64(t.Len())
	for _, l := range f.looks {
		l.see(t)
	}
	if f.vector != "" {
		if err := f.addVectors(t); err != nil {
			return err
		}
		return f.addBehind(t)
	}
	for i := range f.columns {
		c := &f.columns[i]
		col, err := t.Need(c.spec.Name)
		if err != nil {
			return err
		}
		if err := c.learn(col, t.Origin, f.mapping.lacks(), f.mapping.Fill); err != nil {
			return err
		}
	}
	return f.addBehind(t)
}

// addBehind learns from rows after the metric, if necessary.
func (f *Fitter) addBehind(t *table.Table) error {
	if f.sparse != nil || !f.learnsRows() || t.Len() == 0 {
		return nil
	}
	return f.addRows(t)
}

// lacks reports whether values may be missing.
func (m Mapping) lacks() bool { return m.Missing || m.Fill }

func (f *Fitter) addVectors(t *table.Table) error {
	c, err := t.Need(f.vector)
	if err != nil {
		return err
	}
	if c.Kind() == table.SparseVector {
		return f.addSparse(c, t.Origin)
	}
	if c.Kind() != table.Vector {
		return t.Origin.BadColumn(c.Name(), "its type is %s, not a list of numbers", c.DataType())
	}
	if f.dim == 0 {
		f.dim, _ = table.VectorDim(c)
	}
	if !f.mapping.Standardize && !f.mapping.Fill && !f.wide() || t.Len() == 0 {
		return nil
	}
	if f.element == nil {
		f.element, f.spreads = make([]moments, f.dim), make([]spread, f.dim)
	}
	row := make([]float64, f.dim)
	for i := range t.Len() {
		one := t.Origin
		one.Row += int64(i)
		if err := table.CopyVectors(row, f.dim, c.Slice(i, i+1), one, f.mapping.lacks()); err != nil {
			return err
		}
		f.addRow(row)
	}
	return nil
}

// addRow learns from the elements of a vector.
func (f *Fitter) addRow(row []float64) {
	if slices.ContainsFunc(row, math.IsNaN) {
		f.holes++
	}
	learns := f.mapping.Standardize || f.mapping.Fill
	for k, w := range row {
		if f.mapping.Log1p {
			w = log1p(w)
		}
		if learns {
			f.element[k].add(w)
		}
		if f.spreads != nil && !f.mapping.Standardize {
			f.spreads[k].add(w)
		}
	}
}

// Encoder returns the learnt encoder. It returns an *Error if there were no rows.
func (f *Fitter) Encoder() (*Encoder, error) {
	e := &Encoder{vector: f.vector, choice: f.mapping.Selection, inner: f.dim, metric: f.mapping.Metric, missing: f.mapping.Missing}
	if f.rows == 0 && (f.NeedsPass() || f.vector != "" && f.dim == 0) {
		return nil, f.origin.Bad("there are no rows")
	}
	left := f.Left()
	if f.vector != "" {
		if f.dim == 0 {
			return nil, f.origin.BadColumn(f.vector, "the vectors are empty")
		}
		e.log1p = f.mapping.Log1p
		if f.mapping.Standardize {
			for _, m := range f.element {
				e.element = append(e.element, m.scale(1))
			}
		}
	}
	out := make(map[string]bool, len(left))
	for _, l := range left {
		out[l.Column] = true
	}
	for i := range f.columns {
		c := &f.columns[i]
		if !out[c.spec.Name] {
			e.columns = append(e.columns, c.codeOf(f.mapping.MaxVocabulary))
		}
	}
	if f.vector == "" && len(e.columns) == 0 {
		return nil, noneLeft(f.origin, f.schema, left)
	}
	e.blank = f.behind.blank > 0
	e.finish()
	if err := f.setWhitening(e); err != nil {
		return nil, err
	}
	f.setShift(e)
	if e.inner > maxDim {
		return nil, f.origin.Bad("the encoded vector has %d elements, more than %d", e.inner, maxDim).Suggest("bound the vocabulary")
	}
	if err := e.metric.checkDim(e.inner, f.origin, f.vector); err != nil {
		return nil, err
	}
	if f.mapping.Fill {
		f.fill(e)
	}
	return e, nil
}

// maxDim is the maximum length of an encoded vector.
const maxDim = 1 << 20
