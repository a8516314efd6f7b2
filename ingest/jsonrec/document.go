package jsonrec

import (
	"strconv"
	"time"

	"unfold/ingest/record"
)

// document reads a change's record that is a text containing JSON, as Debezium's MongoDB connector
// writes it. Errors give the offset of this text in the message.
func (p *parser) document(at int) bool {
	p.at = at
	raw, _, ok := p.text()
	if !ok {
		return false
	}
	outer, extended := p.scanner, p.extended
	p.scanner, p.extended = scanner{data: unescape(nil, raw), most: outer.most}, true
	p.peek()
	ok = p.object(p.b.Root(), nil)
	if ok && (p.peek() != 0 || p.at < len(p.data)) {
		ok = p.fail(p.at, "%s behind the record", p.found())
	}
	inner := p.scanner
	p.scanner, p.extended = outer, extended
	if !ok && inner.err != nil {
		return p.fail(at, "the record, which is JSON in a text, cannot be read: %s, at byte %d of the text", inner.err.problem, inner.at+1)
	}
	return ok
}

// extendedValue reads a value that MongoDB's extended JSON writes as an object of one field, such
// as {"$oid": "65"}. If the object is none, it returns false and leaves the scanner's position
// unchanged.
func (p *parser) extendedValue(n *record.Node) bool {
	start, depth := p.at, p.depth
	fields, ok := p.index(1)
	if end := p.at; ok && len(fields) == 1 {
		value := p.data[fields[0].at:fields[0].end]
		if p.extendedAs(n, fields[0].name, value) {
			p.at, p.depth = end, depth
			return true
		}
	}
	p.at, p.depth, p.err = start, depth, nil
	return false
}

// extendedAs adds a value of a type of extended JSON.
func (p *parser) extendedAs(n *record.Node, name string, value []byte) bool {
	text := ""
	if len(value) > 1 && value[0] == '"' {
		text = string(unescape(nil, value[1:len(value)-1]))
	}
	switch name {
	case "$oid", "$uuid", "$symbol", "$numberDecimal":
		p.b.Text(n, []byte(text))
		return true
	case "$numberInt", "$numberLong":
		v, err := strconv.ParseInt(text, 10, 64)
		if err == nil {
			p.b.Int(n, v)
		}
		return err == nil
	case "$numberDouble":
		v, err := strconv.ParseFloat(text, 64)
		if err == nil {
			p.b.Float(n, v)
		}
		return err == nil
	case "$date":
		if v, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			p.b.Time(n, v, record.Millis)
			return true
		}
		v, err := time.Parse(time.RFC3339Nano, text)
		if err == nil {
			p.b.Time(n, v.UnixMicro(), record.Micros)
		}
		return err == nil
	}
	return false
}
