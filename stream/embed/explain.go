package embed

import (
	"context"
	"errors"
	"math"
	"strconv"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/reasons"
)

// Explain selects the events whose novelty is explained by columns and nearest points. The zero
// value explains none.
type Explain struct {
	// Columns is the number of columns with the largest contributions that are listed for an event.
	Columns int
	// Above is the percentile that one of an event's novelties must exceed; 0 explains all events.
	Above float64
}

// Check returns an error for invalid settings, or for kept columns that conflict with reasons.
func (x Explain) Check(keep []string) error {
	switch {
	case x.Columns < 0:
		return errors.New("the number of columns that explain an event has to be positive")
	case !(x.Above >= 0 && x.Above <= 1):
		return errors.New("the percentile above which events are explained must be from 0 to 1")
	case x.Columns == 0:
		return nil
	}
	return emit.CheckReasons(keep)
}

// wants reports whether an event with these novelties is explained.
func (x Explain) wants(local, global float32) bool {
	return x.Above == 0 || float64(max(local, global)) > x.Above
}

// Why is the reason why an event is novel.
type Why struct {
	Reasons   []emit.Reason
	Neighbors []emit.Neighbor
	// Global and Local are the raw scores, in units of distance and as a ratio. Columns have the
	// same shares of both, except for Gap, the share of the local one without a column (package
	// reasons).
	Global, Local, Gap float64
}

// Why returns the reasons of the placed rows, nil for rows without; nil if none were requested.
func (p *Places) Why() []*Why { return p.why }

// source returns the record of a placed row, which may be missing (nil).
type source func(row int) (t *table.Table, own int)

// explain explains the rows that how selects, with vectors x. Rows with missing values are not
// explained.
func (p *Places) explain(ctx context.Context, x vec.Matrix[float32], how Explain, of source) error {
	if how.Columns == 0 {
		return nil
	}
	if p.At.Near == nil && x.Rows > 0 {
		return models.BadInputf("a model of this kind has no neighbours, so that nothing explains its novelty; explain no events")
	}
	p.why = make([]*Why, x.Rows)
	var rows []int
	for i := range x.Rows {
		if how.wants(p.At.NoveltyLocal[i], p.At.NoveltyGlobal[i]) && vec.Finite(x.Row(i)) {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return ctx.Err()
	}
	e := &explaining{m: p.m, encoder: p.m.encoder, sources: p.m.encoder.Sources()}
	e.columns = make([]reasons.Column, len(e.sources))
	for c, s := range e.sources {
		e.columns[c] = reasons.Column{Name: s.Name, From: s.From, To: s.To}
	}
	e.exact = p.m.explainer().Exact()
	return p.m.explainer().Each(ctx, x, p.At.Near, rows, func(at int, s *reasons.Split) {
		p.why[rows[at]] = e.why(s, how.Columns, rows[at], of)
	})
}

// explaining converts splits to columns and values of the source.
type explaining struct {
	m       *Map
	encoder *ingest.Encoder
	sources []ingest.Source
	columns []reasons.Column
	// exact reports that neighbours' elements are exactly the encoded ones.
	exact bool
}

func (e *explaining) why(s *reasons.Split, columns, row int, of source) *Why {
	w := &Why{Global: s.Global, Local: s.Local, Gap: s.Around * s.Gap / s.Local}
	var room [16]reasons.Share
	top := s.Top(room[:0], e.columns, columns)
	w.Reasons = make([]emit.Reason, len(top))
	t, own := of(row)
	for i, share := range top {
		w.Reasons[i] = e.reason(s, share, t, own)
	}
	w.Neighbors = make([]emit.Neighbor, len(s.Index))
	for j, o := range s.Index {
		w.Neighbors[j] = emit.Neighbor{ID: e.m.PointID(int(o)), Distance: float32(s.Distance(j))}
	}
	return w
}

func (e *explaining) reason(s *reasons.Split, share reasons.Share, t *table.Table, row int) emit.Reason {
	from := e.sources[share.Column]
	r := emit.Reason{Column: from.Name, Share: share.Amount / s.Global}
	if e.encoder.Wide(share.Column) {
		e.wide(&r, s, share.Column, t, row)
		return r
	}
	if from.Kind == table.Text {
		e.category(&r, s, share.Column, t, row)
		return r
	}
	low, high, mean := math.Inf(1), math.Inf(-1), 0.0
	for j := range s.Index {
		v := s.Seen(j, from.From)
		low, high, mean = min(low, v), max(high, v), mean+v/float64(len(s.Index))
	}
	r.Direction = emit.Above
	if s.Own(from.From) < mean {
		r.Direction = emit.Below
	}
	r.Value = e.number(share.Column, s.Own(from.From), true)
	if t != nil && e.encoder.Vector() == "" {
		if v, _, ok := e.encoder.Raw(t, share.Column, row); ok {
			r.Value = v
		}
	}
	r.Low, r.High = e.number(share.Column, low, e.exact), e.number(share.Column, high, e.exact)
	return r
}

// number returns an element in the source's units. If it was decoded from principal components it
// is rounded to four digits, of itself or of a step of one in the element if that is larger.
func (e *explaining) number(source int, w float64, exact bool) float64 {
	if exact {
		return e.encoder.DecodeExactly(source, float32(w)) + 0 // never -0
	}
	v := e.encoder.Decode(source, w)
	most := max(math.Abs(v), math.Abs(e.encoder.Decode(source, w+1)-v))
	if most == 0 || math.IsInf(most, 0) {
		return v
	}
	digits := 3 - int(math.Floor(math.Log10(most)))
	if short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', max(digits, 0), 64), 64); err == nil && digits >= 0 {
		return short + 0
	}
	step := math.Pow10(-digits)
	return math.Round(v/step)*step + 0
}

// wide explains a column of several elements, with the row's value and the decoded mean of the
// neighbours' elements.
func (e *explaining) wide(r *emit.Reason, s *reasons.Split, source int, t *table.Table, row int) {
	from := e.sources[source]
	mean := make([]float64, from.To-from.From)
	for j := range s.Index {
		for k := range mean {
			mean[k] += s.Seen(j, from.From+k) / float64(len(s.Index))
		}
	}
	nan := math.NaN()
	r.Direction, r.Value, r.Low, r.High, r.Text = emit.Other, nan, nan, nan, true
	r.Category, r.Expected = e.encoder.Said(t, source, row), e.encoder.Around(source, mean)
}

// unseen stands for all categories that are not in the vocabulary.
const unseen = "?"

// category explains a text column, with the neighbours' most frequent category; of equally frequent
// ones, that of the nearest.
func (e *explaining) category(r *emit.Reason, s *reasons.Split, source int, t *table.Table, row int) {
	from := e.sources[source]
	votes := make([]int, from.To-from.From)
	word := func(of func(i int) float64) int {
		best := 0
		for i := range votes {
			if of(from.From+i) > of(from.From+best) {
				best = i
			}
		}
		return best
	}
	expected := -1
	for j := range s.Index {
		votes[word(func(i int) float64 { return s.Seen(j, i) })]++
	}
	for j := range s.Index {
		if c := word(func(i int) float64 { return s.Seen(j, i) }); expected < 0 || votes[c] > votes[expected] {
			expected = c
		}
	}
	nan := math.NaN()
	r.Direction, r.Value, r.Low, r.High, r.Text = emit.Other, nan, nan, nan, true
	r.Expected = e.named(source, expected)
	r.Category = e.named(source, word(s.Own))
	if t != nil {
		if _, text, ok := e.encoder.Raw(t, source, row); ok {
			r.Category = text
		}
	}
}

func (e *explaining) named(source, i int) string {
	if word, ok := e.encoder.Category(source, i); ok {
		return word
	}
	return unseen
}
