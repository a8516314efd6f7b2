package jsonrec

import (
	"slices"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// Records returns the encoded records within a message that Decode accepts, one per row of its
// table; for an envelope, the record in it. The result is empty if the message deletes a record
// without giving its values.
func Records(value []byte) ([][]byte, error) {
	p := parser{scanner: scanner{data: value, most: record.Limits{}.Filled().Depth}}
	if p.peek() == '[' {
		return p.listed()
	}
	if p.peek() != '{' {
		p.fail(p.at, "%s where a record is expected", p.found())
		return nil, p.plain()
	}
	e, ok := p.envelope()
	if !ok {
		return nil, p.plain()
	}
	at := e.at
	if e.change != nil {
		did := record.Change(string(value[valueOf(e.change, "op")+1]))
		at = rowOf(e.change, did == record.Deleted)
	}
	if at >= 0 && value[at] == '"' { // MongoDB's record, which is text
		p.at = at
		raw, _, ok := p.text()
		if !ok {
			return nil, p.plain()
		}
		return [][]byte{unescape(nil, raw)}, nil
	}
	if at < 0 || value[at] == 'n' {
		return nil, nil
	}
	if p.at, p.depth = at, 0; !p.skip() {
		return nil, p.plain()
	}
	return [][]byte{value[at:p.at]}, nil
}

// plain returns the parser's error without an origin.
func (p *parser) plain() error {
	return table.Origin{}.Bad("%s, at byte %d", p.err.problem, p.err.at+1)
}

// listed are the elements of a list.
func (p *parser) listed() ([][]byte, error) {
	var out [][]byte
	ok := p.enter()
	for more := ok && p.first(']'); more && ok; {
		p.peek()
		from := p.at
		if ok = p.skip(); ok {
			out = append(out, p.data[from:p.at])
			more, ok = p.more(']')
		}
	}
	if !ok {
		return nil, p.plain()
	}
	return out, nil
}

// Has reports whether a record has a field with this name, and returns the first of the other names
// that it has, or "".
func Has(object []byte, name string, others []string) (has bool, other string, err error) {
	p := parser{scanner: scanner{data: object, most: record.Limits{}.Filled().Depth}}
	if p.peek() != '{' {
		p.fail(p.at, "%s where an object is expected", p.found())
		return false, "", p.plain()
	}
	ok := p.enter()
	for more := ok && p.first('}'); more && ok; {
		var raw []byte
		var escaped bool
		if raw, escaped, ok = p.key(); !ok {
			break
		}
		if escaped {
			raw = unescape(nil, raw)
		}
		has = has || string(raw) == name
		if i := slices.Index(others, string(raw)); i >= 0 {
			other = others[i]
		}
		if ok = p.skip(); ok {
			more, ok = p.more('}')
		}
	}
	if !ok {
		return false, "", p.plain()
	}
	return has, other, nil
}
