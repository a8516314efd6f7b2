package format

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

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
	all := s.Spec
	all.Paths, all.Named, all.Vector = nil, nil, ""
	d := &Decoder{
		set: s, arrow: arrowfmt.Decoder{Limits: s.Arrow},
		values: newSchemas(s.Registry, s.Spec, false), keys: newSchemas(s.Registry, all, true),
	}
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
// *stream.UnavailableError.
func (d *Decoder) Decode(m *stream.Message) (out Decoded, err error) {
	if m.Tombstone() {
		out.Gone, err = d.gone(m)
		return out, err
	}
	origin := table.Origin{Position: m.Position()}
	n := d.set.Format
	if n == Auto {
		n = d.recognise(m)
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
		return out, err
	}
	got, err := r.Decode(wire.Value, origin)
	if err != nil {
		return out, err
	}
	d.chose(wire.Format, m)
	if out.Wire = wire; !got.Deleted {
		out.Table = got.Table
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

// recognise says by a message's bytes what it is. What is nothing known is Arrow, whose decoder
// says what is wrong with it.
func (d *Decoder) recognise(m *stream.Message) Name {
	v := m.Value
	if arrowfmt.Looks(v) {
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
	return Arrow
}

// chose reports what Auto has recognised, once for each format.
func (d *Decoder) chose(n Name, m *stream.Message) {
	if d.set.Format != Auto || d.set.Chosen == nil {
		return
	}
	bit := uint32(1) << slices.Index(formats, n)
	if d.chosen.Load()&bit == 0 && d.chosen.Or(bit)&bit == 0 {
		d.set.Chosen(n, m)
	}
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
	r, wire, err := d.values.find(header, m.Value)
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
