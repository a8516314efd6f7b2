package stream

import (
	"fmt"
	"slices"
	"strconv"
)

// piece is an output message with all or some of the events of an input message.
type piece struct {
	entry    *entry
	from, to int // events, to excluded
	message  Message
}

func messagesOf(pieces []piece) []Message {
	out := make([]Message, len(pieces))
	for i := range pieces {
		out[i] = pieces[i].message
	}
	return out
}

// fit adapts rejected outputs. Outputs that are too large are split into parts, or their messages
// become dead letters. Messages rejected for another reason also become dead letters. Of the other
// outputs it returns those in keep, or all if keep is nil. If a part is too large, all parts of its
// message are written again, because the numbers of the parts change.
func (w *worker) fit(outputs []piece, keep []bool, refused *RefusedError) []piece {
	changed := map[*entry]bool{}
	for _, m := range refused.Messages {
		p := &outputs[m.Index]
		changed[p.entry] = true
		if p.entry.bad == nil {
			w.cut(p, m, refused.of(m))
		}
	}
	var out []piece
	for i := range outputs {
		e := outputs[i].entry
		switch again, is := changed[e]; {
		case !is:
			if keep == nil || keep[i] {
				out = append(out, outputs[i])
			}
		case again:
			changed[e] = false
			if e.good() {
				out = append(out, w.number(e)...)
			}
		}
	}
	return out
}

// cut splits a piece that is too large, or marks its message as bad.
func (w *worker) cut(p *piece, m Refused, why error) {
	e, rows := p.entry, p.to-p.from
	switch {
	case m.Why != nil || w.p.TooLarge == ToDeadLetters || e.outcome.Parts == nil || e.events.Len() < 2:
		e.spoil(StageWrite, why)
		return
	case rows < 2:
		e.spoil(StageWrite, fmt.Errorf("event %d alone is too large: %w", p.from, why))
		return
	}
	if e.pieces == nil {
		e.pieces = []piece{*p}
	}
	i := slices.IndexFunc(e.pieces, func(q piece) bool { return q.from == p.from })
	n := m.parts(rows)
	var parts []piece
	for k := range n {
		part := piece{entry: e, from: p.from + k*rows/n, to: p.from + (k+1)*rows/n}
		value, err := e.outcome.Parts.Part(part.from, part.to)
		if err != nil {
			e.spoil(StageWrite, err)
			return
		}
		part.message = w.p.output(e, value)
		parts = append(parts, part)
	}
	e.pieces = slices.Replace(e.pieces, i, i+1, parts...)
}

// parts returns the number of pieces into which a rejected message is split.
func (m Refused) parts(rows int) int {
	// Smaller messages compress a little worse.
	n := int(1.1*float64(m.Size)/float64(max(m.Limit, 1))) + 1
	return min(max(n, 2), rows)
}

// number sets the part headers of an entry's pieces and returns them.
func (w *worker) number(e *entry) []piece {
	for i := range e.pieces {
		p := &e.pieces[i]
		p.message = w.p.output(e, p.message.Value)
		add := func(key string, v int) {
			p.message.Headers = append(p.message.Headers, Header{key, strconv.AppendInt(nil, int64(v), 10)})
		}
		add(HeaderPart, i+1)
		add(HeaderParts, len(e.pieces))
		add(HeaderPartRow, p.from)
	}
	return slices.Clone(e.pieces)
}

// Part identifies a part of an output.
type Part struct {
	// Number counts from 1 to Of. A whole output is part 1 of 1.
	Number, Of int
	// Row is the index of the part's first event in the input, from 0.
	Row int
}

// PartOf reads the part headers of an output message. ok is false if they are invalid.
func PartOf(m *Message) (p Part, ok bool) {
	if _, is := m.Header(HeaderPart); !is {
		return Part{1, 1, 0}, true
	}
	n, err1 := number(m, HeaderPart)
	of, err2 := number(m, HeaderParts)
	row, err3 := number(m, HeaderPartRow)
	p = Part{int(n), int(of), int(row)}
	return p, err1 == nil && err2 == nil && err3 == nil && 1 <= n && n <= of
}
