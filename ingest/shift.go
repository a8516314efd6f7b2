package ingest

import (
	"fmt"
	"math"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Vectors are in single precision, which has 24 bits. Of a column such as the northing of a map's grid,
// 4,649,776 m and some, most of them are spent on what is alike in all rows. So what an encoder learns of
// such a column is a number near its mean, which is subtracted in double precision before values are
// rounded: distances stay as they are, and the bits are those of what parts the rows.
//
// It is done only where it matters, so that other data keep their vectors bit by bit: where rounding
// changes a value, and moves values by more than about 2^-18 of their standard deviation.

// farOff is how many standard deviations a mean has to be from 0 for a column to be shifted: the unit in
// the last place of values there is 2^-23 of them, so 2^-17 of the deviation, and rounding errs by half.
const farOff = 64

// finer is about which part of the standard deviation a shift is a multiple of. A round number makes
// the subtraction exact: the difference has no more digits than the value.
const finer = 16

// spread is what an element's shift is learnt from.
type spread struct {
	moments
	// rounded says that single precision does not hold all values.
	rounded bool
}

func (s *spread) add(v float64) {
	s.moments.add(v)
	s.rounded = s.rounded || float64(float32(v)) != v && v == v
}

// shift is what to subtract of elements that are weight times what was added; 0 for nothing.
func (s *spread) shift(weight float64) float64 {
	deviation := s.deviation()
	if !s.rounded || !(deviation > 0) || !(math.Abs(s.mean) > farOff*deviation) {
		return 0
	}
	_, exponent := math.Frexp(deviation * weight / finer)
	unit := math.Ldexp(1, exponent)
	return math.RoundToEven(s.mean*weight/unit) * unit
}

// shiftBefore is what is subtracted of element k, counted before the metric.
func (e *Encoder) shiftBefore(k int) float64 {
	if e.shift == nil || e.metric.warps() {
		return 0
	}
	return e.shift[k]
}

// round subtracts the shift of rows in double precision, and writes them to x.
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

// Shift returns what is subtracted of each element of the vectors; nil: nothing is.
func (e *Encoder) Shift() []float64 { return e.shift }

// shiftOf is what is subtracted of an element behind the metric.
func (e *Encoder) shiftOf(element int) float64 {
	if e.shift == nil {
		return 0
	}
	return e.shift[element]
}

// blankName is what the element of rows without a direction is called.
const blankName = "(no direction)"

// metricFit learns of whole rows behind a metric: how far they are off, and how many have no direction.
type metricFit struct {
	encoder *Encoder // as the fitter's will be, but for what is learnt here; nil before the first row
	spreads []spread
	blank   int
}

// learnsRows says that the metric's rows are looked at. Where columns are scaled by what is learnt of
// them, their rows are known too late.
func (f *Fitter) learnsRows() bool {
	m := f.mapping
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

// addRows learns from whole rows.
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
		return nil // Encoder says so
	}
	return inPieces(t, e.inner, func(_ int, piece *table.Table, rows vec.Matrix[float64]) error {
		if err := encodeRows(e, piece, rows); err != nil {
			return err
		}
		r.see(e, rows)
		return nil
	})
}

// see learns from rows as they are before the metric.
func (r *metricFit) see(e *Encoder, rows vec.Matrix[float64]) {
	row := make([]float64, e.dim)
	for i := range rows.Rows {
		from := rows.Row(i)
		if !vec.Finite(from) {
			continue // a value is missing
		}
		_, problem := metricRow(e.metric, row, from)
		if e.metric.directs() && problem != "" {
			r.blank++
		}
		for k := range row {
			if e.metric == Haversine && problem == "" {
				r.spreads[k].add(row[k])
			}
		}
	}
}

// wide says that single precision may not hold the values of a column that is encoded as a number or
// vector of numbers as they are.
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

// shifts says that a shift of the column is learnt: of numbers that are not standardized.
func (c *columnFit) shifts() bool {
	return c.sums == nil && c.kind == table.Number && !c.spec.Standardize && !c.single
}

// setShift gives an encoder what it subtracts.
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
	case f.mapping.Metric.bits():
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

// index returns where each column is among those that are fitted, by name.
func (f *Fitter) index() map[string]int {
	at := make(map[string]int, len(f.columns))
	for i := range f.columns {
		at[f.columns[i].spec.Name] = i
	}
	return at
}

// Rounded reports whether single precision changes values that were seen, before anything is subtracted.
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

// DescribeShift says in one line of which elements a number is subtracted before they are rounded; "" if of
// none.
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
