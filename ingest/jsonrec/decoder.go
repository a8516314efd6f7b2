package jsonrec

import (
	"bytes"
	"fmt"
	"sync"
	"unicode/utf8"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// Decoder decodes messages. It is safe for concurrent use. A table depends only on its message and
// the spec.
type Decoder struct {
	spec    record.Spec
	layout  *record.Layout
	schemas schemas
	pool    sync.Pool // of *parser
}

// New returns a decoder for the requested columns.
func New(spec record.Spec) *Decoder {
	d := &Decoder{spec: spec, layout: record.NewLayout(spec)}
	d.pool.New = func() any { return &parser{} }
	return d
}

// Looks reports whether a message may be JSON with records: its first byte other than white space
// begins an object or a list.
func Looks(value []byte) bool {
	t := bytes.TrimLeft(bytes.TrimPrefix(value, []byte(bom)), " \t\r\n")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[')
}

// bom is the byte order mark that some Windows programs write before UTF-8.
const bom = "\xef\xbb\xbf"

// Decode decodes a message. Its errors are *table.Error with the offset in bytes, or the record and
// column. The bytes are not kept.
func (d *Decoder) Decode(value []byte, origin table.Origin) (record.Decoded, error) {
	limits := d.layout.Limits()
	if err := limits.CheckSize(value, origin); err != nil {
		return record.Decoded{}, err
	}
	p := d.parser()
	defer d.release(p)
	p.scanner = scanner{data: value, most: limits.Depth}
	if !p.message() {
		return record.Decoded{}, p.problem(origin)
	}
	if p.aside != "" || p.truncated {
		return record.Decoded{Aside: p.aside, Truncated: p.truncated}, nil
	}
	t, err := p.b.Table(origin)
	return record.Decoded{Table: t, Deleted: p.deleted || p.b.Deleted(), Unchanged: p.b.Unchanged()}, err
}

// parser decodes one message.
type parser struct {
	scanner
	d      *Decoder
	layout *record.Layout
	b      *record.Builder
	// schema is Kafka Connect's schema of the record, or nil.
	schema  *schema
	deleted bool
	// aside is the kind of a message that is no change. truncated is set if all records were
	// deleted.
	aside     string
	truncated bool
	// extended: values are MongoDB's extended JSON.
	extended bool
	objects  uint64 // that have been entered
	floats   []float64
	indices  []int64 // of the entries of a sparse vector
	beyond   []byte  // the text of a number in a list that exceeds float64
	// outside describes the element that a sparse vector cannot have, or is "".
	outside string
	texts   []byte // scratch for escapes
	// others collects the paths of lists that are not of numbers, with the first byte of their first
	// element, or v for objects with a list of numbers, unless it is nil.
	others map[string]byte
}

// parser returns a parser for a message; release returns it to the pool.
func (d *Decoder) parser() *parser {
	p := d.pool.Get().(*parser)
	p.d, p.layout, p.deleted, p.objects = d, d.layout, false, 0
	p.aside, p.truncated, p.extended, p.others = "", false, false, nil
	return p
}

func (d *Decoder) release(p *parser) {
	if p.b != nil {
		p.layout.Release(p.b)
	}
	p.b, p.schema, p.beyond, p.outside = nil, nil, nil, ""
	p.scanner = scanner{}
	if cap(p.floats) > 1<<16 {
		p.floats, p.indices = nil, nil
	}
	if cap(p.texts) > 1<<16 {
		p.texts = nil
	}
	d.pool.Put(p)
}

// problem returns the error of a malformed message, or of a value that was refused before.
func (p *parser) problem(origin table.Origin) error {
	if p.b != nil && p.b.Bad() {
		if _, err := p.b.Table(origin); err != nil {
			return err
		}
	}
	e := origin.Bad("%s, at byte %d", p.err.problem, p.err.at+1)
	if p.err.advice != "" {
		e = e.Suggest("%s", p.err.advice)
	}
	return e
}

// advise fails with a problem and advice.
func (s *scanner) advise(at int, advice, problem string, args ...any) bool {
	s.fail(at, problem, args...)
	if s.err.advice == "" {
		s.err.advice = advice
	}
	return false
}

// message reads the whole message.
func (p *parser) message() bool {
	if bytes.HasPrefix(p.data, []byte(bom)) {
		return p.advise(0, "write UTF-8 without it", "the message begins with a byte order mark")
	}
	return p.whole(func() bool {
		switch p.peek() {
		case '{':
			return p.enveloped()
		case '[':
			p.begin(nil)
			return p.list()
		case 0:
			return p.fail(p.at, "the message is empty")
		}
		return p.advise(p.at, "write an object, or a list of objects", "%s where a record is expected", p.found())
	})
}

// whole calls read and checks that nothing follows.
func (p *parser) whole(read func() bool) bool {
	if !utf8.Valid(p.data) {
		return p.fail(invalidAt(p.data), "it is not UTF-8")
	}
	if !read() {
		return false
	}
	if p.peek(); p.at < len(p.data) {
		return p.advise(p.at, "write one record per message, or a list of them", "%s behind the record", p.found())
	}
	return true
}

// begin makes the builder, with the column types of a schema.
func (p *parser) begin(s *schema) {
	p.schema = s
	if s != nil {
		p.layout = s.layout
	}
	p.b = p.layout.Builder()
}

// invalidAt returns the offset of the first byte that is not valid UTF-8.
func invalidAt(b []byte) int {
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return at
}

// list reads a list of records.
func (p *parser) list() bool {
	if !p.enter() {
		return false
	}
	for more, ok := p.first(']'), true; more; {
		if p.peek() != '{' {
			return p.fail(p.at, "%s where record %d is expected, an object", p.found(), p.b.Rows()+1)
		}
		if !p.record() {
			return false
		}
		if more, ok = p.more(']'); !ok {
			return false
		}
	}
	return true
}

// record reads an object as a row.
func (p *parser) record() bool {
	var s *connect
	if p.schema != nil {
		s = p.schema.record
	}
	if !p.object(p.b.Root(), s) {
		return false
	}
	p.b.EndRow()
	return !p.b.Bad()
}

// quote is a text for an error.
func quote(raw []byte) string { return fmt.Sprintf("%q", table.Clip(string(raw))) }
