package format

import (
	"cmp"
	"context"
	"fmt"

	"unfold/ingest/emit"
	"unfold/ingest/jsonrec"
	"unfold/stream/registry"
)

// Encoding configures the encoding of places.
type Encoding struct {
	// Format is the format of all outputs; Same or "" means that of the input.
	Format Name
	// Pass writes the original records, in JSON or Avro, with more fields.
	Pass bool
	// Registry registers the schemas of outputs in Avro or Protobuf, under the subject that
	// Strategy derives from Topic. If nil, these formats cannot be written.
	Registry *registry.Client
	Topic    string
	Strategy registry.Strategy
	// RecordName is the full name of records in Avro; "" for emit.AvroName.
	RecordName string
}

// Encoder encodes placed events as messages. The same output and wire give the same bytes. It is
// safe for concurrent use; the zero value uses the format of each input.
type Encoder struct {
	set     Encoding
	arrow   emit.MessageWriter
	avro    emit.Avro
	proto   emit.Protobuf
	seeding seeding
}

// NewEncoder makes an encoder.
func NewEncoder(o Encoding) (*Encoder, error) {
	if o.Registry == nil && (o.Format == Avro || o.Format == Protobuf) {
		return nil, fmt.Errorf("outputs in format %s need a schema registry", o.Format)
	}
	return &Encoder{set: o, avro: emit.Avro{Name: o.RecordName}}, nil
}

// Of returns the format of the output for a message.
func (e *Encoder) Of(w Wire) Name {
	switch {
	case e.set.Format != "" && e.set.Format != Same:
		return e.set.Format
	case w.Format == "":
		return Arrow
	}
	return w.Format
}

// Subject returns the subject of schemas for outputs in a format, except for passed records; "" for
// formats without schemas.
func (e *Encoder) Subject(n Name) string {
	switch n {
	case Avro:
		return e.set.Strategy.Subject(e.set.Topic, cmp.Or(e.set.RecordName, emit.AvroName))
	case Protobuf:
		return e.set.Strategy.Subject(e.set.Topic, emit.PlaceMessage)
	}
	return ""
}

// Encode encodes placed events of one message with the encoding w, and returns the content type for
// the header. A temporary error is a *stream.UnavailableError.
func (e *Encoder) Encode(ctx context.Context, o *emit.Output, w Wire) (value []byte, contentType string, err error) {
	n := e.Of(w)
	if e.set.Pass && (n != w.Format || n != JSON && n != Avro || n == Avro && w.avro == nil) {
		return nil, "", fmt.Errorf("only records in JSON or Avro can be written again with more fields, and this one came as %s, to be written as %s: name columns to keep instead of sink.pass", cmp.Or(w.Format, Arrow), n)
	}
	switch n {
	case Arrow:
		value, err = e.arrow.Encode(o)
	case JSON:
		value, err = e.json(o, w)
	case Avro:
		value, err = e.inAvro(ctx, o, w)
	case Protobuf:
		value, err = e.inProtobuf(ctx, o)
	default:
		err = fmt.Errorf("outputs in format %s cannot be written", n)
	}
	return value, n.ContentType(), err
}

func (e *Encoder) json(o *emit.Output, w Wire) ([]byte, error) {
	if !e.set.Pass {
		return emit.JSON{}.Encode(o)
	}
	records, err := jsonrec.Records(w.Value)
	if end := o.FirstRow + int64(o.Len()); err == nil && int64(len(records)) < end {
		err = fmt.Errorf("there are %d records where %d events end", len(records), end)
	}
	if err != nil {
		return nil, err
	}
	return emit.JSON{}.Pass(o, records[o.FirstRow:][:o.Len()])
}

func (e *Encoder) inAvro(ctx context.Context, o *emit.Output, w Wire) ([]byte, error) {
	var s *emit.AvroSchema
	var value []byte
	var err error
	if err := e.seed(ctx); err != nil {
		return nil, err
	}
	head := make([]byte, registry.FrameSize, 256)
	if e.set.Pass {
		s, value, err = e.avro.Pass(head, o, w.avro, w.Value)
	} else {
		s, value, err = e.avro.Encode(head, o)
	}
	if err != nil {
		return nil, err
	}
	return value, e.name(ctx, value, &registry.Schema{Type: registry.Avro, Text: s.Text}, s.Name)
}

func (e *Encoder) inProtobuf(ctx context.Context, o *emit.Output) ([]byte, error) {
	message, text, err := e.proto.Encode(o)
	if err != nil {
		return nil, err
	}
	value := make([]byte, registry.FrameSize, registry.FrameSize+1+len(message))
	value = append(registry.AppendIndex(value, []int{0}), message...)
	return value, e.name(ctx, value, &registry.Schema{Type: registry.Protobuf, Text: text}, emit.PlaceMessage)
}

// name writes the id of a schema, which it registers if it is new, to the space at the start of a
// value. record is the full name of the schema's record.
func (e *Encoder) name(ctx context.Context, value []byte, s *registry.Schema, record string) error {
	if e.set.Registry == nil {
		return fmt.Errorf("outputs in %s need a schema registry (registry.url), or another format (sink.format)", s.Type)
	}
	id, err := e.set.Registry.Register(ctx, e.set.Strategy.Subject(e.set.Topic, record), s)
	if err != nil {
		return err
	}
	registry.AppendID(value[:0], id)
	return nil
}
