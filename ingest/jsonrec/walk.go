package jsonrec

import (
	"bytes"
	"math"
	"slices"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// object reads the fields of an object as values of n's children. The schema may be nil.
func (p *parser) object(n *record.Node, s *connect) bool {
	p.objects++
	number := p.objects
	if !p.enter() {
		return false
	}
	for more := p.first('}'); more; {
		at := p.at
		raw, escaped, ok := p.key()
		if !ok {
			return false
		}
		if escaped {
			p.texts = unescape(p.texts[:0], raw)
			raw = p.texts
		}
		child := n.Child(raw)
		if !child.Once(number) {
			return p.fail(at, "the field %s comes twice in its object", quote(raw))
		}
		if !p.value(child, s.field(raw)) {
			return false
		}
		if more, ok = p.more('}'); !ok {
			return false
		}
	}
	return true
}

// value reads a value for node n. If the builder refuses it the rest of the message need not be
// read.
func (p *parser) value(n *record.Node, s *connect) bool {
	if n == nil {
		return p.skip() && !p.b.Bad()
	}
	ok := false
	switch p.peek() {
	case '{':
		ok = p.objectValue(n, s)
	case '[':
		ok = p.listValue(n)
	case '"':
		var raw []byte
		var escaped bool
		if raw, escaped, ok = p.text(); ok {
			p.textValue(n, s, raw, escaped)
		}
	case 't':
		if ok = p.word("true"); ok {
			p.b.Bool(n, true)
		}
	case 'f':
		if ok = p.word("false"); ok {
			p.b.Bool(n, false)
		}
	case 'n':
		if ok = p.word("null"); ok {
			p.b.Null(n)
		}
	default:
		var v number
		if v, ok = p.number(); ok {
			ok = p.numberValue(n, s, v)
		}
	}
	return ok && !p.b.Bad()
}

// objectValue reads an object: as a sparse vector, as a decimal, or as fields below n; and also as
// JSON text if that is requested.
func (p *parser) objectValue(n *record.Node, s *connect) bool {
	if n.Wanted() {
		if p.extended && p.extendedValue(n) {
			return true
		}
		if (s == nil || s.kind == kindSparse) && p.sparse() {
			p.vector(n)
			return true
		}
		if p.outside != "" && n.Pinned() == record.Vector {
			p.b.Refuse(n, "%s", p.outside)
			return false
		}
		if s != nil && s.kind == kindVariableDecimal {
			return p.variableDecimal(n)
		}
	}
	start := p.at
	if n.Below() {
		if !p.object(n, s) {
			return false
		}
	} else if !p.skip() {
		return false
	}
	p.own(n, start, "an object")
	return true
}

// listValue reads a list: as a vector, or else only as JSON text if that is requested.
func (p *parser) listValue(n *record.Node) bool {
	start := p.at
	if n.Wanted() && p.numbers() {
		if n.Pinned() == record.Text && !p.hasNumber() {
			p.b.Text(n, p.data[start:p.at]) // other lists of the column are not of numbers
		} else {
			p.vector(n)
		}
		return true
	}
	if n.Wanted() && n.Sparse() && p.entries() {
		if p.beyond != nil {
			p.refuseRange(n, p.beyond)
		} else {
			p.b.Sparse(n, p.indices, p.floats)
		}
		return true
	}
	if !p.skip() {
		return false
	}
	if p.others != nil && n.Wanted() {
		if rest := bytes.TrimLeft(p.data[start+1:p.at], " \t\r\n"); len(rest) > 0 {
			if p.others[n.Path()] = rest[0]; rest[0] == '{' && listOfNumbers.Match(rest) {
				p.others[n.Path()] = 'v'
			}
		}
	}
	p.own(n, start, "a list that is not of numbers")
	return true
}

// hasNumber reports whether a list of numbers has one that is not missing.
func (p *parser) hasNumber() bool {
	return p.beyond != nil || slices.ContainsFunc(p.floats, func(v float64) bool { return !math.IsNaN(v) })
}

// vector adds the numbers in p.floats. For an empty list the type of the elements is unknown.
func (p *parser) vector(n *record.Node) {
	switch {
	case p.beyond != nil:
		p.refuseRange(n, p.beyond)
	case len(p.floats) == 0 && n.Pinned() == record.Auto:
		p.b.Null(n)
	case len(p.floats) == 0 && n.Pinned() == record.Sparse:
		p.b.Sparse(n, nil, nil)
	default:
		p.b.Vector64(n, p.floats)
	}
}

// refuseRange refuses a number that exceeds float64.
func (p *parser) refuseRange(n *record.Node, raw []byte) {
	p.b.Refuse(n, "the number %s is beyond a double's range, at byte %d", table.Clip(string(raw)), cap(p.data)-cap(raw)+1)
}

// own adds the JSON text of a value that no column can hold, if it is requested by name.
func (p *parser) own(n *record.Node, start int, what string) {
	switch {
	case p.b.LeftOut(n, p.data[start:p.at]):
	case !n.Named() && n.Pinned() == record.Auto:
	case n.Pinned() == record.Auto, n.Pinned() == record.Text:
		p.b.Text(n, p.data[start:p.at])
	default:
		p.b.Refuse(n, "%s cannot be a value of type %s, at byte %d", what, n.Pinned(), start+1)
	}
}

// numberValue adds a number.
func (p *parser) numberValue(n *record.Node, s *connect, v number) bool {
	if math.IsNaN(v.named) {
		p.b.Null(n) // as Python writes a missing value
		return true
	}
	if n.Pinned() == record.Text {
		p.b.Text(n, v.raw)
		return true
	}
	if magnitude, ok := v.integer(); ok {
		switch {
		case v.negative:
			p.integer(n, s, -int64(magnitude))
		case magnitude > 1<<63-1:
			p.b.Uint(n, magnitude)
		default:
			p.integer(n, s, int64(magnitude))
		}
		return true
	}
	if n.ID() && !v.fraction {
		p.b.Refuse(n, "the id %s is beyond 64 bits, which no number can hold; pin the column to text, as in %s:%s", table.Clip(string(v.raw)), n.Path(), record.Text)
		return false
	}
	x, ok := v.float()
	if !ok {
		p.refuseRange(n, v.raw)
		return false
	}
	p.b.Float(n, x)
	return true
}

// integer adds an integer, which may be a time.
func (p *parser) integer(n *record.Node, s *connect, v int64) {
	if s == nil || s.kind != kindTime {
		p.b.Int(n, v)
		return
	}
	p.b.Time(n, v, s.unit)
}

// textValue adds a text.
func (p *parser) textValue(n *record.Node, s *connect, raw []byte, escaped bool) {
	if escaped {
		p.texts = unescape(p.texts[:0], raw)
		raw = p.texts
	}
	if s == nil {
		p.b.Text(n, raw)
		return
	}
	p.schemaText(n, s, raw)
}
