package format

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/avrorec"
	"unfold/ingest/jsonrec"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/registry"
)

// Decoding configures the decoding of messages.
type Decoding struct {
	// Format is the format of all messages, or Auto.
	Format Name
	// Spec selects the columns of records that are not Arrow; Arrow limits those that are.
	Spec  record.Spec
	Arrow arrowfmt.Limits
	// ID is the column of ids, which message keys refer to; "" if there is none.
	ID string
	// Truncate makes the truncation of a table, as reported by Debezium, empty the map. Otherwise
	// it is an error.
	Truncate bool
	// File has the schema of messages without a schema id; nil if all messages have an id.
	File *File
	// Registry has the schemas of messages; nil if there is none.
	Registry *registry.Client
	// Chosen, if set, is called when Auto recognises a format for the first time.
	Chosen func(n Name, m *stream.Message)
}

// Decoded is the content of a message.
type Decoded struct {
	// Table has the events. It is nil for a tombstone or a deleted record; Gone is then the id of
	// the deleted event.
	Table *table.Table
	Gone  string
	// Truncated means that all events are deleted. Table is then nil.
	Truncated bool
	// Unchanged are the columns of the single event that Debezium omitted, because the change did
	// not touch them. They are null in Table.
	Unchanged []string
	// Wire is the encoding of the message.
	Wire Wire
}

// Wire is the encoding of a message, for an output in the same encoding. The zero value is that of
// a tombstone, for which an Encoder uses Arrow.
type Wire struct {
	Format Name
	// Value is the original record, without the schema id before it.
	Value []byte
	avro  *avrorec.Decoder // of a record in Avro
}

// reader decodes messages of one schema, or of a format without any.
type reader interface {
	Decode(value []byte, origin table.Origin) (record.Decoded, error)
}

// Decoder decodes the messages of a topic. It is safe for concurrent use.
type Decoder struct {
	set    Decoding
	arrow  arrowfmt.Decoder
	chosen atomic.Uint32 // a bit for each of formats that Auto has recognised
	file   reader        // of messages that name no schema; nil: they name it
	// values and keys are the decoders for schemas and JSON.
	values, keys *schemas
	// all decodes every column, for Fields.
	all func() (*Decoder, error)
}

// NewDecoder returns a decoder, or an error if the settings are inconsistent.
func NewDecoder(s Decoding) (*Decoder, error) {
	if s.Format == "" {
		s.Format = Auto
	}
	if s.File != nil {
		if s.Format != Auto && s.Format != s.File.format {
			return nil, fmt.Errorf("messages are %s, and their schema is for %s", s.Format, s.File.format)
		}
		s.Format = s.File.format
	}
	s.Spec.Changes = true
	all := s.Spec
	all.Paths, all.Named, all.Vector = nil, nil, ""
	all.ID = s.ID[strings.LastIndexByte(s.ID, '.')+1:]
	d := &Decoder{
		set: s, arrow: arrowfmt.Decoder{Limits: s.Arrow},
		values: newSchemas(s.Registry, s.Spec, false), keys: newSchemas(s.Registry, all, true),
	}
	d.all = sync.OnceValues(func() (*Decoder, error) {
		s := s
		s.Spec.Paths, s.Spec.Named, s.Chosen = nil, nil, nil
		s.Spec.Vector, s.Spec.Types = "", nil // a value of another type is there all the same
		return NewDecoder(s)
	})
	if s.File != nil {
		var err error
		if d.file, err = s.File.compile(s.Spec); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// OfArrow makes a decoder of Arrow IPC streams within limits.
func OfArrow(limits arrowfmt.Limits) *Decoder {
	return &Decoder{set: Decoding{Format: Arrow, Arrow: limits}, arrow: arrowfmt.Decoder{Limits: limits}}
}

// Limits are those of Arrow messages.
func (d *Decoder) Limits() arrowfmt.Limits { return d.set.Arrow }

// Decode decodes a message. Errors concern the message, except those that match
// *stream.UnavailableError. A message without events returns a *stream.SkippedError.
func (d *Decoder) Decode(m *stream.Message) (out Decoded, err error) {
	if out, err = d.decode(m); err != nil {
		err = d.named(m, err)
	}
	return out, err
}

func (d *Decoder) decode(m *stream.Message) (out Decoded, err error) {
	if m.Tombstone() {
		out.Gone, err = d.gone(m)
		return out, err
	}
	origin := table.Origin{Position: m.Position()}
	n := d.set.Format
	if n == Auto {
		n = d.recognise(m)
	}
	if n == Auto {
		return out, d.unknown(m.Value, origin)
	}
	if n == Arrow {
		if out.Table, err = d.arrow.Decode(m.Value, origin); err != nil {
			return out, d.explain(m, err)
		}
		d.chose(n, m)
		out.Wire.Format = Arrow
		return out, nil
	}
	r, wire, err := d.reader(n, m, origin)
	if err != nil {
		return out, readAs(n, err)
	}
	got, err := r.Decode(wire.Value, origin)
	if err != nil {
		return out, readAs(wire.Format, err)
	}
	d.chose(wire.Format, m)
	switch out.Wire = wire; {
	case got.Aside != "":
		return out, &stream.SkippedError{Kind: got.Aside}
	case got.Truncated && d.set.Truncate:
		out.Truncated = true
		return out, nil
	case got.Truncated:
		return out, origin.Bad("Debezium's operation \"t\" says that the table was emptied, and holds no record").
			Suggest("to empty the map as well set source.truncate to empty; to go on without it %s", record.SkipOperation)
	case !got.Deleted:
		out.Table, out.Unchanged = got.Table, got.Unchanged
		return out, nil
	}
	out.Gone, err = d.deleted(got.Table, m)
	return out, err
}

// DecodeNow is Decode, but first fetches missing schemas, for callers that can wait for a registry.
func (d *Decoder) DecodeNow(ctx context.Context, m *stream.Message) (Decoded, error) {
	for tries := 0; ; tries++ {
		out, err := d.Decode(m)
		var missing *stream.UnavailableError
		if !errors.As(err, &missing) || missing.Fetch == nil || tries == mostFetches {
			return out, err
		}
		if err := missing.Fetch(ctx); err != nil {
			return out, err
		}
	}
}

// mostFetches is the maximum number of fetches for one message: its schema, its key's, and one that
// was evicted meanwhile.
const mostFetches = 4

// explain adds advice to the error of a message with a schema id when no registry is configured.
func (d *Decoder) explain(m *stream.Message, err error) error {
	var e *table.Error
	if d.set.Format == Auto && d.set.Registry == nil && registry.Framed(m.Value) && errors.As(err, &e) {
		e.Hint = "say where the schema registry is (registry.url), or, of records without a registry, their format and schema"
	}
	return err
}

// fieldsTime is the timeout of Fields for fetching a schema.
const fieldsTime = 2 * time.Second

// Fields describes all columns of a message's events, including those not selected; nil if it
// cannot be decoded. It decodes the message again and is meant for error messages.
func (d *Decoder) Fields(m *stream.Message) table.Schema {
	all := d
	if d.all != nil {
		var err error
		if all, err = d.all(); err != nil {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), fieldsTime)
	defer cancel()
	out, err := all.DecodeNow(ctx, m)
	if err != nil || out.Table == nil {
		return nil
	}
	fields := out.Table.Schema()
	if d.all == nil {
		return fields
	}
	// Fields of a change's envelope are columns only where they are named.
	named, err := d.DecodeNow(ctx, m)
	if err != nil || named.Table == nil {
		return fields
	}
	for i, f := range named.Table.Schema() {
		if !fields.May(f.Name) && hasValue(named.Table.Columns()[i]) {
			fields = append(slices.Clone(fields), f)
		}
	}
	return fields
}

// hasValue reports whether some row of the column has a value.
func hasValue(c table.Column) bool {
	for i := range c.Len() {
		if !c.IsNull(i) {
			return true
		}
	}
	return false
}

// Weigh returns the decompressed size of a message's events in bytes, if known without decoding
// them; otherwise 0.
func (d *Decoder) Weigh(m *stream.Message) int64 {
	if n := d.set.Format; n == Arrow || n == Auto && d.recognise(m) == Arrow {
		return d.arrow.Weigh(m.Value)
	}
	return 0
}

// bySchema stands for the format of a message's schema.
const bySchema Name = ""

// recognise returns the format of a message's bytes. For unknown bytes it returns the format in
// use, whose decoder reports the error, or Auto if there is none.
func (d *Decoder) recognise(m *stream.Message) Name {
	v := m.Value
	if arrowfmt.Looks(v) && (len(v) < 2 || v[1] != 0xfe) { // a byte order mark of UTF-16
		return Arrow
	}
	if d.set.Registry != nil {
		if _, framed := m.Header(registry.ValueHeader); framed || registry.Framed(v) {
			return bySchema
		}
	}
	if jsonrec.Looks(v) {
		return JSON
	}
	if registry.Framed(v) {
		return Arrow // its error explains that a registry is needed
	}
	if used := d.inUse(); len(used) == 1 {
		return used[0]
	}
	return Auto
}

// chose records and reports the formats that Auto recognises, once for each.
func (d *Decoder) chose(n Name, m *stream.Message) {
	if d.set.Format != Auto {
		return
	}
	bit := uint32(1) << slices.Index(formats, n)
	if d.chosen.Load()&bit == 0 && d.chosen.Or(bit)&bit == 0 && d.set.Chosen != nil {
		d.set.Chosen(n, m)
	}
}

// inUse lists the formats that Auto has recognised so far.
func (d *Decoder) inUse() (names []Name) {
	bits := d.chosen.Load()
	for i, n := range formats {
		if bits>>i&1 == 1 {
			names = append(names, n)
		}
	}
	return names
}

// unknown returns the error for bytes of no known format, when no format or several are in use.
func (d *Decoder) unknown(v []byte, origin table.Origin) error {
	what := "this is in no format that is recognised"
	if like, _ := arrowfmt.Resembles(v); like != "" {
		what = "this looks like " + like
	}
	begins := "an Arrow stream begins with 0xff, JSON with { or ["
	if d.set.Registry != nil {
		begins += ", a record of the schema registry with 0"
	}
	e := origin.Bad("%s: %s; %s", what, firstByte(v), begins)
	if used := d.inUse(); len(used) > 0 {
		return e.Suggest("messages of this topic are %s", joined(used))
	}
	return e.Suggest("set source.format, and source.schema for Avro and Protobuf without a registry")
}

// joined lists formats for a reader.
func joined(names []Name) string {
	var text []string
	for _, n := range names {
		text = append(text, string(n))
	}
	return strings.Join(text, " and ")
}

// firstByte describes where a message of another format differs.
func firstByte(v []byte) string {
	if len(v) == 0 {
		return "it is empty"
	}
	if v[0] > ' ' && v[0] < 0x7f {
		return fmt.Sprintf("byte 1 is 0x%02x (%q)", v[0], rune(v[0]))
	}
	return fmt.Sprintf("byte 1 is 0x%02x", v[0])
}

// readAs adds the assumed format to an error that concerns a whole message.
func readAs(n Name, err error) error {
	var e *table.Error
	if n == bySchema || !errors.As(err, &e) || e.Column != "" || strings.Contains(strings.ToLower(e.Problem), string(n)) {
		return err
	}
	e.Problem = fmt.Sprintf("read as %s: %s", n, e.Problem)
	return err
}

// reader returns the decoder for a message that is not Arrow, and its encoding.
func (d *Decoder) reader(n Name, m *stream.Message, origin table.Origin) (reader, Wire, error) {
	wire := Wire{Format: n, Value: m.Value}
	if n == JSON {
		if registry.Framed(m.Value) {
			wire.Value = m.Value[registry.FrameSize:]
		}
		return d.values.json, wire, nil
	}
	if d.file != nil {
		wire.avro, _ = d.file.(*avrorec.Decoder)
		return d.file, wire, nil
	}
	header, _ := m.Header(registry.ValueHeader)
	if unframed(header, m.Value) {
		return nil, wire, origin.Bad("the bytes behind its first byte, 0, are the id of no schema")
	}
	r, wire, err := d.values.find(header, m.Value)
	if errors.Is(err, errNoSchema) {
		err = fmt.Errorf("%w: %s", err, firstByte(m.Value))
	}
	if err == nil && n != bySchema && wire.Format != n {
		err = fmt.Errorf("its schema is of format %s, and %s is read", wire.Format, n)
	}
	return r, wire, located(origin, err)
}

// located adds the position of the message to an error, also one that is read later.
func located(origin table.Origin, err error) error {
	if err == nil {
		return nil
	}
	var missing *stream.UnavailableError
	if errors.As(err, &missing) {
		if missing.Fetch == nil {
			return err
		}
		return &stream.UnavailableError{Err: missing.Err, Fetch: func(ctx context.Context) error { return located(origin, missing.Fetch(ctx)) }}
	}
	e := origin.Bad("its schema cannot be used")
	e.Err = err
	return e
}
