package ingest

import (
	"fmt"

	"unfold/ingest/table"
	"unfold/internal/shift"
	"unfold/internal/vec"
)

// The encoder learns a number near the mean of a column far from 0 and subtracts it in double
// precision before rounding (package shift), if rounding changes values.

// spread collects the statistics from which an element's shift is computed.
type spread struct {
	moments
	// rounded is true if single precision cannot represent all values.
	rounded bool
}

func (s *spread) add(v float64) {
	s.moments.add(v)
	s.rounded = s.rounded || float64(float32(v)) != v && v == v
}

// shift returns the number to subtract from elements that are weight times the added values; 0 for
// none.
func (s *spread) shift(weight float64) float64 {
	if !s.rounded {
		return 0
	}
	return shift.Of(s.mean, s.deviation(), weight)
}

// shiftBefore returns the number subtracted from element k, counted before the metric.
func (e *Encoder) shiftBefore(k int) float64 {
	if e.shift == nil || e.metric.warps() {
		return 0
	}
	return e.shift[k]
}

// round subtracts the shift from rows in double precision and writes them to x.
func (e *Encoder) round(x vec.Matrix[float32], wide vec.Matrix[float64], o table.Origin) error {
	for i := range x.Rows {
		row := x.Row(i)
		for k, v := range wide.Row(i) {
			if e.shift != nil {
				v -= e.shift[k]
			}
			row[k] = float32(v)
			if !table.Finite32(v) && !(e.lacks() && v != v) {
				return table.NotFinite(o.BadAt(i, e.vector, "element %d of the vector is %v once shifted", k, v))
			}
		}
	}
	return nil
}

// Shifted returns the encoder with other numbers to subtract from the elements of the vectors; nil
// for none.
func (e *Encoder) Shifted(by []float64) *Encoder {
	out := *e
	out.shift = by
	return &out
}

// Shift returns the numbers subtracted from the elements of the vectors; nil if there are none.
func (e *Encoder) Shift() []float64 { return e.shift }

// shiftOf returns the number subtracted from an element after the metric.
func (e *Encoder) shiftOf(element int) float64 {
	if e.shift == nil {
		return 0
	}
	return e.shift[element]
}

// blankName is the name of the element for rows without a direction.
const blankName = "(no direction)"

// metricFit collects statistics of whole rows after the metric: their spread, and the number
// without a direction.
type metricFit struct {
	encoder *Encoder // the encoder without shifts; nil before the first row
	spreads []spread
	blank   int
	// covariance is for the metric mahalanobis.
	covariance covariance
}

// learnsRows reports whether rows after the metric are inspected. That is impossible if columns are
// scaled by statistics that are known only at the end.
func (f *Fitter) learnsRows() bool {
	m := f.mapping
	if m.Metric.whitens() {
		return true
	}
	if !m.Metric.directs() && m.Metric != Haversine || m.Standardize || m.AsIs {
		return false
	}
	for i := range f.columns {
		if c := &f.columns[i]; c.sums == nil && c.learnt() {
			return false
		}
	}
	return true
}

// addRows adds whole rows.
func (f *Fitter) addRows(t *table.Table) error {
	r := &f.behind
	if r.encoder == nil {
		r.encoder = &Encoder{vector: f.vector, inner: f.dim, log1p: f.vector != "" && f.mapping.Log1p, metric: f.mapping.Metric, missing: f.mapping.lacks()}
		for i := range f.columns {
			r.encoder.columns = append(r.encoder.columns, f.columns[i].codeOf(f.mapping.MaxVocabulary))
		}
		r.encoder.finish()
		r.spreads = make([]spread, r.encoder.dim)
	}
	e := r.encoder
	if e.metric.checkDim(e.inner, f.origin, f.vector) != nil {
		return nil // Encoder returns the error
	}
	return inPieces(t, e.inner, func(_ int, piece *table.Table, rows vec.Matrix[float64]) error {
		if err := encodeRows(e, piece, rows); err != nil {
			return err
		}
		r.see(e, rows)
		return nil
	})
}

// see adds rows before the metric.
func (r *metricFit) see(e *Encoder, rows vec.Matrix[float64]) {
	if e.metric.whitens() {
		r.covariance.add(rows)
		return
	}
	row, m := make([]float64, e.dim), e.metric.entry()
	for i := range rows.Rows {
		from := rows.Row(i)
		if !vec.Finite(from) {
			continue // a value is missing
		}
		_, problem := metricRow(m, row, from)
		if m.directs && problem != "" {
			r.blank++
		}
		for k := range row {
			if e.metric == Haversine && problem == "" {
				r.spreads[k].add(row[k])
			}
		}
	}
}

// wide reports whether single precision may not represent the values of a column that is encoded as
// a number, or as a vector of numbers, without standardization.
func (f *Fitter) wide() bool {
	if f.sparse != nil || f.mapping.AsIs {
		return false
	}
	if f.vector != "" {
		field, _ := f.schema.Find(f.vector)
		return !f.mapping.Standardize && !field.FitsSingle()
	}
	for i := range f.columns {
		if f.columns[i].shifts() {
			return true
		}
	}
	return false
}

// shifts reports whether a shift of the column is learnt, which is the case for numbers that are
// not standardized.
func (c *columnFit) shifts() bool {
	return c.sums == nil && c.kind == table.Number && !c.spec.Standardize && !c.single
}

// setShift sets the shift of an encoder.
func (f *Fitter) setShift(e *Encoder) {
	shift := make([]float64, e.dim)
	far := false
	set := func(k int, s *spread, weight float64) {
		v := s.shift(weight)
		far = far || v != 0
		if k < len(shift) {
			shift[k] = v
		}
	}
	switch {
	case e.metric.bits(), e.metric.Distance().Absolute(), e.white != nil:
		return
	case e.metric == Haversine:
		for k := range f.behind.spreads {
			set(k, &f.behind.spreads[k], 1)
		}
	case e.vector != "":
		for k := range f.spreads {
			set(k, &f.spreads[k], 1)
		}
	default:
		at, known := 0, f.index()
		for i := range e.columns {
			if c := &f.columns[known[e.columns[i].Name]]; c.shifts() {
				set(at, &c.spread, c.spec.Weight)
			}
			at += e.columns[i].width()
		}
	}
	switch {
	case !far:
	case e.metric.warps() && e.metric != Haversine:
		e.precise = true
	default:
		e.shift = shift
	}
}

// index returns the index of each fitted column by name.
func (f *Fitter) index() map[string]int {
	at := make(map[string]int, len(f.columns))
	for i := range f.columns {
		at[f.columns[i].spec.Name] = i
	}
	return at
}

// Rounded reports whether single precision changes any of the values so far, before anything is
// subtracted.
func (f *Fitter) Rounded() bool {
	for i := range f.spreads {
		if f.spreads[i].rounded {
			return true
		}
	}
	for i := range f.columns {
		if c := &f.columns[i]; c.spread.rounded || c.spec.Standardize && c.kind == table.Number {
			return true
		}
	}
	return f.mapping.Standardize || f.mapping.Metric == Haversine
}

// DescribeShift lists in one line the elements from which a number is subtracted before rounding;
// "" if there are none.
func (e *Encoder) DescribeShift() string {
	var names []string
	for k, v := range e.shift {
		if v == 0 {
			continue
		}
		name := fmt.Sprintf("%s[%d]", e.vector, k)
		if e.names != nil {
			name = e.names[k]
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return "numbers far from 0 are centred in double precision: " + table.List(names)
}
