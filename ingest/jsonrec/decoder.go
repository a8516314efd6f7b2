package jsonrec

import (
	"bytes"
	"fmt"
	"sync"
	"unicode/utf8"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// Decoder decodes messages. It is safe for concurrent use. A table is a function of its
// message and the spec alone.
type Decoder struct {
	spec    record.Spec
	layout  *record.Layout
	schemas schemas
	pool    sync.Pool // of *parser
}

// New returns the decoder of what is wanted.
func New(spec record.Spec) *Decoder {
	d := &Decoder{spec: spec, layout: record.NewLayout(spec)}
	d.pool.New = func() any { return &parser{} }
	return d
}

// Looks reports whether a message looks like JSON that may hold records: its first byte
// that is no white space opens an object or a list.
func Looks(value []byte) bool {
	t := bytes.TrimLeft(bytes.TrimPrefix(value, []byte(bom)), " \t\r\n")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[')
}

// bom is the mark that some programs of Windows put before UTF-8.
const bom = "\xef\xbb\xbf"

// Decode decodes a message. What is wrong with it is a *table.Error, which says at which
// byte, or at which record and column. The bytes are not kept.
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
	// schema is what Connect's schema says of the record, nil if it has none.
	schema  *schema
	deleted bool
	// aside is the kind of a message that is no change; truncated that all records are gone.
	aside     string
	truncated bool
	// extended: values are MongoDB's extended JSON.
	extended bool
	objects  uint64 // that have been entered
	floats   []float64
	indices  []int64 // of the entries of a sparse vector
	beyond   []byte  // a number of a list that no float64 holds
	// outside says which element of a sparse vector it cannot have, "" if there is none.
	outside string
	texts   []byte // scratch for escapes
}

// parser returns one for a message; release gives it back, and what it has used.
func (d *Decoder) parser() *parser {
	p := d.pool.Get().(*parser)
	p.d, p.layout, p.deleted, p.objects = d, d.layout, false, 0
	p.aside, p.truncated, p.extended = "", false, false
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

// problem is the error of a message that is not well formed, or of a value that was refused
// before.
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

// advise fails with what to do.
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

// whole reads what there is to its end.
func (p *parser) whole(read func() bool) bool {
	if !utf8.Valid(p.data) {
		return p.fail(invalidAt(p.data), "it is not UTF-8")
	}
	if !read() {
		return false
	}
	if p.peek(); p.at < len(p.data) {
		return p.advise(p.at, "write one record a message, or a list of them", "%s behind the record", p.found())
	}
	return true
}

// begin makes the builder, of the columns that a schema says.
func (p *parser) begin(s *schema) {
	p.schema = s
	if s != nil {
		p.layout = s.layout
	}
	p.b = p.layout.Builder()
}

// invalidAt is the offset of the first byte that is not UTF-8.
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
