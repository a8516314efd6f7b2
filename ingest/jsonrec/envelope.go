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
var changeFields = []string{"before", "after", "source", "op", "ts_ms", "ts_us", "ts_ns", "transaction", "updateDescription", "patch", "filter"}

// asideFields are first fields of messages of Debezium's that are no changes.
var asideFields = []string{"status", "message", "databaseName", "ddl"}

// envelope is what stands around the record of a message.
type envelope struct {
	// connect and change are the fields of Connect's envelope and of Debezium's within, nil
	// where there is none.
	connect, change []member
	// aside is the kind of a message beside changes, "" for others.
	aside string
	// at is the offset of what is in Connect's envelope, or of the object itself; end is that
	// behind the message's object, if it is an envelope.
	at, end int
}

// envelope looks at the object at hand, which may be an envelope, without reading it.
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

// enveloping are the fields of an object whose first one may be an envelope's.
func (p *parser) enveloping() (fields []member, ok bool) {
	if name := p.firstName(); !slices.Contains(connectFields, name) && !slices.Contains(changeFields, name) && !slices.Contains(asideFields, name) {
		return nil, true
	}
	fields, ok = p.index(16)
	return fields, ok || p.err == nil
}

// enveloped reads a message's only object, which may be an envelope.
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
		// Null with a schema around it is a tombstone.
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

// isRecord reports that a field is not there, null, an object or, as MongoDB's are, an object
// as text.
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

// schemaOf is the schema in Connect's envelope, nil if it has none.
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

// change reads the record of a change, at the level of the envelope's braces.
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

// rowOf is the offset of a change's record, -1 if there is none.
func rowOf(change []member, deleted bool) int {
	if deleted {
		return valueOf(change, "before")
	}
	return valueOf(change, "after")
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
