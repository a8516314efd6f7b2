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

// Names of an envelope's first field, in Kafka Connect and in Debezium.
var connectFields = []string{"schema", "payload"}
var changeFields = []string{"before", "after", "source", "op", "ts_ms", "ts_us", "ts_ns", "transaction", "updateDescription", "patch", "filter"}

// asideFields are possible first fields of Debezium messages that are no changes.
var asideFields = []string{"status", "message", "databaseName", "ddl"}

// envelope describes the objects around a message's record.
type envelope struct {
	// connect holds the fields of Kafka Connect's envelope, change those of Debezium's within it;
	// nil if there is none.
	connect, change []member
	// aside is the kind of a message that does not describe a change, or "".
	aside string
	// at is the offset of the content of Kafka Connect's envelope, or of the object itself. end is
	// the offset after the message's object, if it is an envelope.
	at, end int
}

// envelope looks for envelopes in the object at the current position, without reading values.
func (p *parser) envelope() (e envelope, ok bool) {
	e.at = p.at
	fields, ok := p.enveloping()
	if end := p.at; isConnect(fields, p.data) {
		e.connect, e.at, e.end = fields, valueOf(fields, "payload"), end
		if fields = nil; p.data[e.at] == '{' {
			p.at, p.depth = e.at, 1
			fields, ok = p.enveloping()
		}
	}
	if p.d != nil && p.d.spec.Changes {
		if e.aside = p.isAside(fields); e.aside != "" && e.connect == nil {
			e.end = p.at
		}
	}
	if p.isChange(fields) {
		if e.change = fields; e.connect == nil {
			e.end = p.at
		}
	}
	return e, ok
}

// enveloping returns an object's fields if its first one may be an envelope's.
func (p *parser) enveloping() (fields []member, ok bool) {
	if name := p.firstName(); !slices.Contains(connectFields, name) && !slices.Contains(changeFields, name) && !slices.Contains(asideFields, name) {
		return nil, true
	}
	fields, ok = p.index(16)
	return fields, ok || p.err == nil
}

// enveloped reads a message's only object, with or without an envelope.
func (p *parser) enveloped() bool {
	e, ok := p.envelope()
	if !ok {
		return false
	}
	p.depth = min(len(e.connect), 1)
	var s *schema
	if s, ok = p.schemaOf(e.connect); !ok {
		return false
	}
	p.begin(s)
	p.at = e.at
	switch {
	case e.aside != "":
		p.aside = e.aside
	case e.change != nil:
		ok = p.change(e.change)
	case p.data[p.at] == '{':
		ok = p.record()
	case p.data[p.at] == 'n':
		// Null with a schema is a tombstone.
		p.deleted = true
		p.b.EndRow()
	default:
		return p.fail(p.at, "%s where the payload's record is expected, an object", p.found())
	}
	if e.end > 0 {
		p.at, p.depth = e.end, 0
	}
	return ok
}

// firstName returns the name of the first field of the object at the current position, or "".
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

// view returns bytes of the message as a string that shares its memory, to be used during decoding
// only.
func view(raw []byte) string { return unsafe.String(unsafe.SliceData(raw), len(raw)) }

// index skips an object and returns the positions of its fields, or none if it has more than most
// or a repeated one.
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

// knownSchema returns the length of the value at the current position if it is a remembered schema,
// else 0. Schemas are longer than records and equal in all messages, so it pays not to scan them.
func (p *parser) knownSchema(name []byte) int {
	if p.d == nil || p.depth != 1 || string(name) != "schema" {
		return 0
	}
	return p.d.schemas.begins(p.data[p.at:])
}

// valueOf returns the offset of a field's value, -1 if there is no such field.
func valueOf(fields []member, name string) int {
	for _, f := range fields {
		if f.name == name {
			return f.at
		}
	}
	return -1
}

// isConnect reports whether the fields are those of Kafka Connect's envelope: schema and payload
// only.
func isConnect(fields []member, data []byte) bool {
	s, payload := valueOf(fields, "schema"), valueOf(fields, "payload")
	return len(fields) == 2 && s >= 0 && payload >= 0 && (data[s] == '{' || data[s] == 'n')
}

// isChange reports whether the fields are those of Debezium's envelope: an operation of one letter,
// and a record before or after the change, among known fields.
func (p *parser) isChange(fields []member) bool {
	op, before, after := valueOf(fields, "op"), valueOf(fields, "before"), valueOf(fields, "after")
	truncated := op >= 0 && len(p.data) > op+2 && p.data[op+1] == 't' && valueOf(fields, "source") >= 0
	if op < 0 || before < 0 && after < 0 && !truncated || p.data[op] != '"' || p.data[op+2] != '"' {
		return false
	}
	for _, f := range fields {
		if !slices.Contains(changeFields, f.name) {
			return false
		}
	}
	return isRecord(p.data, before) && isRecord(p.data, after)
}

// isRecord reports whether a field is missing, null, an object or (from MongoDB) a text that
// contains an object.
func isRecord(data []byte, at int) bool {
	return at < 0 || data[at] == 'n' || data[at] == '{' || bytes.HasPrefix(data[at:], []byte(`"{`))
}

// isAside returns the kind of a message that is no change, "" for others.
func (p *parser) isAside(fields []member) string {
	if len(fields) == 0 {
		return ""
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	kind := record.Aside(names)
	at := valueOf(fields, map[string]string{record.Heartbeat: "ts_ms", record.Transaction: "status", record.LogMessage: "op"}[kind])
	switch is := func(text string) bool { return bytes.HasPrefix(p.data[at:], []byte(text)) }; {
	case kind == record.Heartbeat && (p.data[at] < '0' || p.data[at] > '9'),
		kind == record.Transaction && !is(`"BEGIN"`) && !is(`"END"`),
		kind == record.LogMessage && !is(`"m"`):
		return ""
	}
	return kind
}

// schemaOf returns the schema in Kafka Connect's envelope, nil if there is none.
func (p *parser) schemaOf(connect []member) (*schema, bool) {
	at := slices.IndexFunc(connect, func(f member) bool { return f.name == "schema" })
	if at < 0 || p.data[connect[at].at] != '{' {
		return nil, true
	}
	f := connect[at]
	s, err := p.d.schemas.of(p.data[f.at:f.end], p.d.spec)
	if err != nil {
		return nil, p.fail(f.at, "Connect's schema cannot be read: %v", err)
	}
	return s, true
}

// change reads the record of a change, at the nesting level of the envelope.
func (p *parser) change(fields []member) bool {
	p.depth++
	at := valueOf(fields, "op")
	op := p.data[at+1]
	switch did := record.Change(string(op)); {
	case did == record.Deleted:
		p.deleted = true
	case did == record.Truncated && p.d.spec.Changes:
		p.truncated = true
		return true
	case did == record.Message && p.d.spec.Changes:
		p.aside = record.LogMessage
		return true
	case did != record.Upserted:
		return p.advise(at, record.SkipOperation, "Debezium's operation %q holds no record", op)
	}
	row := rowOf(fields, p.deleted)
	if row >= 0 && p.data[row] == '"' {
		if !p.document(row) || !p.changeColumns(fields) {
			return false
		}
		p.b.EndRow()
		return !p.b.Bad()
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
		if p.at = row; !p.object(p.b.Root(), s) {
			return false
		}
	}
	if !p.changeColumns(fields) {
		return false
	}
	p.b.EndRow()
	return !p.b.Bad()
}

// rowOf returns the offset of a change's record, -1 if there is none.
func rowOf(change []member, deleted bool) int {
	if deleted {
		return valueOf(change, "before")
	}
	return valueOf(change, "after")
}

// changeColumns reads fields of the envelope that are requested by name and missing in the record.
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
