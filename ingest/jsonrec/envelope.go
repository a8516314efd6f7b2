package jsonrec

import (
	"bytes"
	"slices"
	"unsafe"

	"unfold/ingest/record"
)

// member is a field of an envelope.
type member struct {
	name    string
	at, end int // its value's offsets, white space passed over
}

// The names by which the first field of an envelope is known: Connect's, and Debezium's.
var connectFields = []string{"schema", "payload"}
var changeFields = []string{"before", "after", "source", "op", "ts_ms", "ts_us", "ts_ns", "transaction"}

// enveloped reads a message's only object, which may be an envelope.
func (p *parser) enveloped() bool {
	start := p.at
	name := p.firstName()
	var fields []member
	ok := true
	if slices.Contains(connectFields, name) || slices.Contains(changeFields, name) {
		if fields, ok = p.index(16); !ok && p.err != nil {
			return false
		}
	}
	end := p.at
	p.at, p.depth = start, 0
	switch {
	case isConnect(fields, p.data):
		if !p.connect(fields) {
			return false
		}
	case p.isChange(fields):
		p.begin(nil)
		if !p.change(fields) {
			return false
		}
	default:
		p.begin(nil)
		return p.record()
	}
	p.at, p.depth = end, 0
	return true
}

// firstName is the name of the first field of the object at hand, "" if it has none.
func (p *parser) firstName() string {
	rest := bytes.TrimLeft(p.data[p.at+1:], " \t\r\n")
	if len(rest) == 0 || rest[0] != '"' {
		return ""
	}
	rest = rest[1:min(len(rest), 16)]
	name, _, found := bytes.Cut(rest, []byte{'"'})
	if !found {
		return ""
	}
	return view(name)
}

// view is a text that shares the message's memory: for as long as it is decoded.
func view(raw []byte) string { return unsafe.String(unsafe.SliceData(raw), len(raw)) }

// index passes over an object and says where its fields are; none if it has more than most
// or one comes twice.
func (p *parser) index(most int) (fields []member, ok bool) {
	if !p.enter() {
		return nil, false
	}
	fields = make([]member, 0, min(most+1, 8))
	for more := p.first('}'); more; {
		raw, _, ok := p.key()
		if !ok {
			return nil, false
		}
		p.peek()
		at := p.at
		if n := p.knownSchema(raw); n > 0 {
			p.at += n
		} else if !p.skip() {
			return nil, false
		}
		fields = append(fields, member{view(raw), at, p.at})
		if more, ok = p.more('}'); !ok {
			return nil, false
		}
		if len(fields) > most {
			return nil, false
		}
	}
	for i, f := range fields {
		if valueOf(fields[:i], f.name) >= 0 {
			return nil, true
		}
	}
	return fields, true
}

// knownSchema is the length of the value at hand if it is a schema that has been read before,
// else 0: schemas are longer than records, and equal in all messages.
func (p *parser) knownSchema(name []byte) int {
	if p.d == nil || p.depth != 1 || string(name) != "schema" {
		return 0
	}
	return p.d.schemas.begins(p.data[p.at:])
}

// valueOf is the offset of a field's value, -1 if there is no such field.
func valueOf(fields []member, name string) int {
	for _, f := range fields {
		if f.name == name {
			return f.at
		}
	}
	return -1
}

// isConnect reports Connect's envelope: schema and payload and nothing else.
func isConnect(fields []member, data []byte) bool {
	s, payload := valueOf(fields, "schema"), valueOf(fields, "payload")
	return len(fields) == 2 && s >= 0 && payload >= 0 && (data[s] == '{' || data[s] == 'n')
}

// isChange reports Debezium's envelope: an operation of one letter, and what was before or is
// after it, among fields that it has.
func (p *parser) isChange(fields []member) bool {
	op, before, after := valueOf(fields, "op"), valueOf(fields, "before"), valueOf(fields, "after")
	if op < 0 || before < 0 && after < 0 || p.data[op] != '"' || p.data[op+2] != '"' {
		return false
	}
	for _, f := range fields {
		if !slices.Contains(changeFields, f.name) {
			return false
		}
	}
	return isRecord(p.data, before) && isRecord(p.data, after)
}

// isRecord reports that a field is not there, null or an object.
func isRecord(data []byte, at int) bool {
	return at < 0 || data[at] == 'n' || data[at] == '{'
}

// connect reads what Connect's envelope holds.
func (p *parser) connect(fields []member) bool {
	p.depth = 1
	var s *schema
	if f := fields[slices.IndexFunc(fields, func(f member) bool { return f.name == "schema" })]; p.data[f.at] == '{' {
		var err error
		if s, err = p.d.schemas.of(p.data[f.at:f.end], p.d.spec); err != nil {
			return p.fail(f.at, "Connect's schema cannot be read: %v", err)
		}
	}
	p.at = valueOf(fields, "payload")
	switch p.data[p.at] {
	case 'n':
		// Null with a schema around it is a tombstone.
		p.begin(s)
		p.deleted = true
		p.b.EndRow()
		return true
	case '{':
	default:
		return p.fail(p.at, "%s where the payload's record is expected, an object", p.found())
	}
	name := p.firstName()
	if !slices.Contains(changeFields, name) {
		p.begin(s)
		return p.record()
	}
	start := p.at
	inner, ok := p.index(16)
	if !ok && p.err != nil {
		return false
	}
	p.at, p.depth = start, 1
	p.begin(s)
	if !p.isChange(inner) {
		return p.record()
	}
	return p.change(inner)
}

// change reads the record of a change, at the level of the envelope's braces.
func (p *parser) change(fields []member) bool {
	p.depth++
	at := valueOf(fields, "op")
	op := p.data[at+1]
	var ok bool
	if p.deleted, ok = record.Change(string(op)); !ok {
		return p.advise(at, record.SkipOperation, "Debezium's operation %q holds no record", op)
	}
	row := valueOf(fields, "after")
	if p.deleted {
		row = valueOf(fields, "before")
	}
	there := row >= 0 && p.data[row] == '{'
	if !there && !p.deleted {
		return p.fail(at, "Debezium's operation %q has no record after it", op)
	}
	if there {
		var s *connect
		if p.schema != nil {
			s = p.schema.record
		}
		p.b.Changed(!p.deleted)
		if p.at = row; !p.object(p.b.Root(), s) {
			return false
		}
		p.b.Changed(false)
	}
	if !p.changeColumns(fields) {
		return false
	}
	p.b.EndRow()
	return !p.b.Bad()
}

// changeColumns reads the fields of the envelope itself that are asked for by name and that
// the record has not.
func (p *parser) changeColumns(fields []member) bool {
	if p.d.spec.Paths == nil {
		return true
	}
	root := p.b.Root()
	for _, f := range fields {
		n := root.Child([]byte(f.name))
		if n == nil || !n.Once(1) {
			continue
		}
		var s *connect
		if p.schema != nil {
			s = p.schema.root.field([]byte(f.name))
		}
		if p.at = f.at; !p.value(n, s) {
			return false
		}
	}
	return true
}
