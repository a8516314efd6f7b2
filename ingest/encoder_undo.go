package ingest

import (
	"math"
	"time"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Undone are vectors decoded into values of the records.
type Undone struct {
	// X are the values, n x m.
	X vec.Matrix[float64]
	// Sigma is the error of the values in each row, a root mean square over the row.
	Sigma []float32
	// names are the names of the columns of X, nil for elements of a vector column. time marks
	// columns that are times, in days since 1970.
	names []string
	time  []bool
	// precise is true if single precision cannot represent the values.
	precise bool
}

// AsTheyAre wraps vectors that no encoder produced, with errors and the names of their elements, if
// known. It adds the numbers that were subtracted from the elements; nil for none.
func AsTheyAre(x vec.Matrix[float32], sigma []float32, names []string, shift []float64) *Undone {
	u := &Undone{X: vec.Convert[float64](x), Sigma: sigma, names: names, time: make([]bool, x.Cols), precise: shift != nil}
	for i := range u.X.Rows {
		for k, s := range shift {
			u.X.Row(i)[k] += s
		}
	}
	return u
}

// Undo decodes vectors that need not come from a record: x (n x Dim) with errors sigma, each the
// root mean square over a row's elements. Numbers are returned without scaling and logarithm, and
// haversine points as latitude and longitude. A category is returned as its share, 1 if it is
// certain. Tokens and cycles keep their elements without the weight, so that those of a record have
// length 1. Some metrics use only part of a row, and only that part is returned: shares with
// Hellinger, directions with cosine and correlation. Errors are propagated to first order.
func (e *Encoder) Undo(x vec.Matrix[float32], sigma []float32) *Undone {
	sources := e.Sources()
	undo := func(v, slope []float64, w []float32) { e.undoElements(v, slope, w, sources) }
	u := &Undone{names: e.names, precise: e.shift != nil}
	cols := e.dim
	switch {
	case e.metric == Haversine:
		undo, cols, u.names = e.undoEarth, 2, e.Columns()
	case e.metric == Hellinger:
		undo = undoShares
	case e.white != nil:
		undo = e.undoWhitened()
	case e.blank:
		cols--
		if u.names != nil {
			u.names = u.names[:cols]
		}
	}
	if e.vector != "" {
		u.names = nil
	}
	u.time = make([]bool, cols)
	if e.metric != Haversine && e.vector == "" {
		for i, s := range sources {
			if s.Kind == table.Time && !e.metric.warps() && e.columns[i].Period == 0 {
				u.time[s.From], u.precise = true, true
			}
		}
	}
	u.X, u.Sigma = vec.New[float64](x.Rows, cols), make([]float32, x.Rows)
	slope := make([]float64, cols)
	for i := range x.Rows {
		undo(u.X.Row(i), slope, x.Row(i))
		mean := vec.SquaredNorm(slope) / float64(cols)
		u.Sigma[i] = float32(min(float64(sigma[i])*math.Sqrt(mean), math.MaxFloat32))
	}
	return u
}

// undoElements sets v to the values encoded by the elements w, one by one, and slope to their
// derivatives.
func (e *Encoder) undoElements(v, slope []float64, w []float32, sources []Source) {
	if e.metric.warps() {
		for k := range v {
			v[k], slope[k] = float64(w[k]), 1
		}
		return
	}
	for i, s := range sources {
		if s.To-s.From == 1 && (e.vector != "" || e.columns[i].Kind != table.Text && e.columns[i].Period == 0) {
			v[s.From], slope[s.From] = e.undoNumber(i, float64(w[s.From]))
			continue
		}
		factor := e.columns[i].Scale.Factor
		for k := s.From; k < s.To; k++ {
			v[k], slope[k] = 0, 0
			if factor != 0 {
				v[k], slope[k] = float64(w[k])/factor, 1/factor
			}
		}
	}
}

// undoNumber is Decode with the derivative.
func (e *Encoder) undoNumber(source int, w float64) (v, slope float64) {
	log, s := e.code(source)
	if s.Factor == 0 {
		return e.Decode(source, w), 0
	}
	slope = 1 / s.Factor
	if log {
		slope *= math.Exp(math.Abs(s.Mean + (w+e.shiftOfSource(source))/s.Factor))
	}
	return e.Decode(source, w), slope
}

// undoEarth sets v to latitude and longitude in degrees.
func (e *Encoder) undoEarth(v, slope []float64, w []float32) {
	v[0], v[1] = place([]float64{float64(w[0]) + e.shiftOf(0), float64(w[1]) + e.shiftOf(1), float64(w[2]) + e.shiftOf(2)})
	// An error of three coordinates becomes one along the surface, in two.
	slope[0] = math.Sqrt(1.5) / earthRadius * 180 / math.Pi
	slope[1] = slope[0] / max(math.Cos(v[0]*math.Pi/180), 1e-3)
}

// undoWhitened returns the function that sets v to the values of whitened rows. An error of a row is
// one of each value in units of its deviation, because correlations have a diagonal of ones.
func (e *Encoder) undoWhitened() func(v, slope []float64, w []float32) {
	plain, row := *e, make([]float64, e.inner)
	plain.metric = Euclidean
	return func(v, slope []float64, w []float32) {
		for k := range row {
			row[k] = float64(w[k])
		}
		e.white.undo(v, row)
		for k, inner := range v {
			v[k], slope[k] = plain.undoNumber(k, inner)
			slope[k] *= e.white.Deviation[k]
		}
	}
}

// undoShares sets v to shares that sum to 1; w are their square roots.
func undoShares(v, slope []float64, w []float32) {
	sum := 0.0
	for _, r := range w {
		sum += float64(r) * float64(r)
	}
	for k, r := range w {
		v[k], slope[k] = 0, 0
		if sum > 0 && r > 0 {
			v[k], slope[k] = float64(r)*float64(r)/sum, 2*float64(r)/sum
		}
	}
}

// Bare returns the values in single precision.
func (u *Undone) Bare() vec.Matrix[float32] {
	out := vec.New[float32](u.X.Rows, u.X.Cols)
	for i, v := range u.X.Data {
		out.Data[i] = float32(max(-math.MaxFloat32, min(v, math.MaxFloat32)))
	}
	return out
}

// Columns returns the values as columns of a table: one column NAME.COLUMN per plain column, or one
// list NAME.
func (u *Undone) Columns(name string) []table.Column {
	if u.names == nil {
		if u.precise {
			return []table.Column{table.NewColumn(name, table.FixedList(u.X.Rows, u.X.Cols, table.Float64Column("", u.X.Data).Array()))}
		}
		return []table.Column{table.VectorColumn(name, u.Bare())}
	}
	out, bare := make([]table.Column, len(u.names)), u.Bare()
	for k, of := range u.names {
		switch of = name + "." + of; {
		case u.time[k]:
			out[k] = table.TimeColumn(of, eachRow(u.X, k, dayOf))
		case u.precise:
			out[k] = table.Float64Column(of, eachRow(u.X, k, func(v float64) float64 { return v }))
		default:
			out[k] = table.Float32Column(of, eachRow(bare, k, func(v float32) float32 { return v }))
		}
	}
	return out
}

// eachRow applies f to one column of x.
func eachRow[T vec.Float, V any](x vec.Matrix[T], column int, f func(T) V) []V {
	out := make([]V, x.Rows)
	for i := range out {
		out[i] = f(x.Row(i)[column])
	}
	return out
}

// dayOf returns the time that is the given number of days after the beginning of 1970. It is
// rounded to a second and limited to the years 1 to 9999.
func dayOf(days float64) time.Time {
	const first, last = -62135596800, 253402300799 // seconds
	return time.Unix(int64(max(first, min(math.Round(days*86400), last))), 0).UTC()
}
