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

// Settings say how messages are read.
type Settings struct {
	// Format is that of all messages, or Auto.
	Format Name
	// Spec says what is wanted of records that are not Arrow, Arrow bounds those that are.
	Spec  record.Spec
	Arrow arrowfmt.Limits
	// ID is the column of ids, by which keys are read; "" if there is none.
	ID string
	// Truncate says that the truncation of a table, as Debezium reports it, empties the map.
	// Otherwise it is an error.
	Truncate bool
	// File has the schema of messages that name none; nil: they name it.
	File *File
	// Registry has the schemas that messages name; nil: there is none.
	Registry *registry.Client
	// Chosen, if set, is called when Auto has recognised a format for the first time.
	Chosen func(n Name, m *stream.Message)
}

// Decoded is what a message holds.
type Decoded struct {
	// Table holds the events; nil for a tombstone or a deleted record, of the event whose id
	// is Gone.
	Table *table.Table
	Gone  string
	// Truncated says that all events are gone. There is no Table then.
	Truncated bool
	// Unchanged are the columns of the one event whose values Debezium has left out, since the
	// change did not touch them. They are null in Table.
	Unchanged []string
	// Wire is how the message was written.
	Wire Wire
}

// Wire is how a message was written, for an output that is to be written likewise. The zero
// value is that of a tombstone, and means Arrow to an Encoder.
type Wire struct {
	Format Name
	// Value is the record as it came, without what stands before it to name its schema.
	Value []byte
	avro  *avrorec.Decoder // of a record in Avro
}

// reader decodes messages of one schema, or of a format without any.
type reader interface {
	Decode(value []byte, origin table.Origin) (record.Decoded, error)
}

// Decoder decodes the messages of a topic. It is safe for concurrent use.
type Decoder struct {
	set    Settings
	arrow  arrowfmt.Decoder
	chosen atomic.Uint32 // a bit for each of formats that Auto has recognised
	file   reader        // of messages that name no schema; nil: they name it
	// values and keys are those of schemas, and of JSON.
	values, keys *schemas
	// all decodes every column, for Fields.
	all func() (*Decoder, error)
}

// NewDecoder makes a decoder. It fails if the settings cannot be met.
func NewDecoder(s Settings) (*Decoder, error) {
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
	return &Decoder{set: Settings{Format: Arrow, Arrow: limits}, arrow: arrowfmt.Decoder{Limits: limits}}
}

// Limits are those of Arrow messages.
func (d *Decoder) Limits() arrowfmt.Limits { return d.set.Arrow }

// Decode reads a message. Errors are about the message, but for those that match
// *stream.UnavailableError. A message that holds no event is a *stream.SkippedError.
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

// DecodeNow is Decode, which gets what is missing first: for those who have time to wait for
// a registry.
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

// mostFetches is how many things may be missing for one message: its schema, its key's, and
// one that was forgotten meanwhile.
const mostFetches = 4

// explain says what to do with a message that names a schema where none can be asked for.
func (d *Decoder) explain(m *stream.Message, err error) error {
	var e *table.Error
	if d.set.Format == Auto && d.set.Registry == nil && registry.Framed(m.Value) && errors.As(err, &e) {
		e.Hint = "say where the schema registry is (registry.url), or, of records without a registry, their format and schema"
	}
	return err
}

// fieldsTime bounds the time that Fields takes to get a schema.
const fieldsTime = 2 * time.Second

// Fields describes all columns that the events of a message have, also those that the settings do not
// want; nil if it cannot be read. It is for errors: it decodes the message again.
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
	return out.Table.Schema()
}

// Weigh returns how many bytes the events of a message take once decompressed, if that is
// known without decoding them; else 0.
func (d *Decoder) Weigh(m *stream.Message) int64 {
	if n := d.set.Format; n == Arrow || n == Auto && d.recognise(m) == Arrow {
		return d.arrow.Weigh(m.Value)
	}
	return 0
}

// bySchema stands for the format of the schema that a message names.
const bySchema Name = ""

// recognise returns the format that a message's bytes are in. For bytes of no known format it is
// the one in use, whose decoder finds the fault, or Auto if none is.
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
		return Arrow // which explains what a registry would be needed for
	}
	if used := d.inUse(); len(used) == 1 {
		return used[0]
	}
	return Auto
}

// chose notes and reports what Auto has recognised, once for each format.
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

// unknown is the error for bytes of no known format, where no format or several are in use.
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

// readAs adds the format that a message was read as to an error about the whole of it.
func readAs(n Name, err error) error {
	var e *table.Error
	if n == bySchema || !errors.As(err, &e) || e.Column != "" || strings.Contains(strings.ToLower(e.Problem), string(n)) {
		return err
	}
	e.Problem = fmt.Sprintf("read as %s: %s", n, e.Problem)
	return err
}

// reader returns what decodes a message that is not Arrow, and how that is written.
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

// located says which message an error is about, also one that comes up later.
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
