package ingest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"unfold/ingest/table"
)

// Source is an encoded column, or an element of the vector column. Its encoding has the elements
// From..To, To excluded.
type Source struct {
	// Name is the name of the column, or of an element of a list, for example embedding[12].
	Name string
	// Column is the name of the column in both cases.
	Column   string
	Kind     table.Kind
	From, To int
}

// Sources returns the encoded columns or elements in the order of the vector. With the metric
// haversine it is one source with all elements.
func (e *Encoder) Sources() []Source {
	if e.metric == Haversine {
		name := strings.Join(e.Columns(), ",")
		return []Source{{name, name, table.Number, 0, e.dim}}
	}
	if e.vector != "" {
		out := make([]Source, e.dim)
		for i := range out {
			out[i] = Source{e.vector + "[" + strconv.Itoa(i) + "]", e.vector, table.Number, i, i + 1}
		}
		return out
	}
	out, at := make([]Source, len(e.columns)), 0
	for i := range e.columns {
		c := &e.columns[i]
		out[i] = Source{c.Name, c.Name, c.Kind, at, at + c.width()}
		at += c.width()
	}
	return out
}

// Wide reports whether a source has several elements that are not categories: a point on the earth,
// a circle, or tokens. Use Said for its value in a row, and Around for its value at a mean of rows.
func (e *Encoder) Wide(source int) bool {
	return e.metric == Haversine || e.vector == "" && e.columns[source].width() > 1 && !e.columns[source].categorical()
}

// Said returns the text of a wide source in a row.
func (e *Encoder) Said(t *table.Table, source, row int) string {
	columns := e.Columns()
	if e.metric != Haversine {
		columns = columns[source : source+1]
	}
	words := make([]string, len(columns))
	for k, name := range columns {
		if c, ok := t.Column(name); ok {
			words[k] = c.Text(row)
		}
	}
	return strings.Join(words, ",")
}

// Around returns the value of a wide source for the mean of some rows' elements, "" if it has none.
func (e *Encoder) Around(source int, mean []float64) string {
	if e.metric == Haversine {
		lat, lon := place([]float64{mean[0] + e.shiftOf(0), mean[1] + e.shiftOf(1), mean[2] + e.shiftOf(2)})
		return fmt.Sprintf("%.4g,%.4g", lat, lon)
	}
	c := &e.columns[source]
	if c.Tokens > 0 {
		return ""
	}
	turn := math.Mod(math.Atan2(mean[1], mean[0])/(2*math.Pi)+1, 1)
	if c.Kind == table.Time {
		return (time.Duration(turn * c.Period * 24 * float64(time.Hour))).Round(time.Second).String()
	}
	return strconv.FormatFloat(turn*c.Period, 'g', 4, 64)
}

// Category returns the category of element i of a text source. Unseen categories share the last
// element, for which it returns false.
func (e *Encoder) Category(source, i int) (string, bool) {
	if words := e.columns[source].Categories; i < len(words) {
		return words[i], true
	}
	return "", false
}

// code returns the encoding of a source with one element that is a number.
func (e *Encoder) code(source int) (log bool, s scale) {
	if e.metric.warps() {
		return false, scale{0, 1} // without the row, an element cannot be decoded
	}
	if e.vector == "" {
		return e.columns[source].Log1p, e.columns[source].Scale
	}
	if e.element == nil {
		return e.log1p, scale{0, 1}
	}
	return e.log1p, e.element[source]
}

// shiftOfSource returns the number subtracted from a source with one element.
func (e *Encoder) shiftOfSource(source int) float64 {
	if e.shift == nil || e.vector != "" {
		return e.shiftOf(source)
	}
	at := 0
	for i := range e.columns[:source] {
		at += e.columns[i].width()
	}
	return e.shift[at]
}

// Decode returns the number encoded by an element of a source, the inverse of Encode. Times are in
// days since 1970. A column without variance returns its mean. With a metric that changes rows it
// returns the element itself.
func (e *Encoder) Decode(source int, w float64) float64 {
	log, s := e.code(source)
	w += e.shiftOfSource(source)
	v := s.Mean
	if s.Factor != 0 {
		v += w / s.Factor
	}
	if log {
		v = math.Copysign(math.Expm1(math.Abs(v)), v)
	}
	return v
}

// DecodeExactly is Decode for an element in single precision, as Encode returns it. The result is
// the number with the fewest digits that Encode would encode as the same element: 12 instead of
// 11.9999998.
func (e *Encoder) DecodeExactly(source int, w float32) float64 {
	v := e.Decode(source, float64(w))
	log, s := e.code(source)
	if s.Factor == 0 {
		return v
	}
	shift := e.shiftOfSource(source)
	same := func(v float64) bool {
		if log {
			v = log1p(v)
		}
		return float32((v-s.Mean)*s.Factor-shift) == w
	}
	if whole := math.Round(v); math.Abs(v) < 1e6 && same(whole) {
		return whole
	}
	var digits [32]byte
	for n := 1; n < 17; n++ {
		if short, err := strconv.ParseFloat(string(strconv.AppendFloat(digits[:0], v, 'e', n-1, 64)), 64); err == nil && same(short) {
			return short
		}
	}
	return v
}

// Raw returns the value of a source in a record: a number, or a category as in the vocabulary. ok
// is false if the value is missing or the metric changes rows.
func (e *Encoder) Raw(t *table.Table, source, row int) (v float64, word string, ok bool) {
	col, there := t.Column(e.columns[source].Name)
	if !there || col.IsNull(row) {
		return 0, "", false
	}
	if e.columns[source].Kind == table.Text {
		return 0, category(col, row), true
	}
	if e.metric.warps() || e.columns[source].Kind == table.Time {
		return 0, "", false
	}
	v, ok = col.Float(row)
	return v, "", ok
}
