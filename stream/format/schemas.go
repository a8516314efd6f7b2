package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"unfold/ingest/avrorec"
	"unfold/ingest/jsonrec"
	"unfold/ingest/protorec"
	"unfold/ingest/record"
	"unfold/stream"
	"unfold/stream/registry"
)

// mostSchemas is the maximum number of cached decoders of schemas, and of messages of a Protobuf
// schema.
const mostSchemas = 1024

// schemas has the decoders of values or of keys, for JSON and for schemas.
type schemas struct {
	registry *registry.Client
	spec     record.Spec
	json     *jsonrec.Decoder
	ofKeys   bool

	mu    sync.RWMutex
	known map[string]*schema
}

// schema is one that a message has named.
type schema struct {
	format Name
	err    error // why it cannot be used
	reader reader
	// of Protobuf: the messages by their index paths.
	files    *protorec.Files
	messages map[string]*schema
}

func newSchemas(r *registry.Client, spec record.Spec, ofKeys bool) *schemas {
	return &schemas{registry: r, spec: spec, json: jsonrec.New(spec), ofKeys: ofKeys, known: map[string]*schema{}}
}

// errNoSchema reports that a message has no schema id.
var errNoSchema = errors.New("no schema is named, neither by a byte 0 and an id before the record nor in a header")

// find returns the decoder of the schema in a header or, if that is nil, at the start of a value,
// and the record.
func (s *schemas) find(header, value []byte) (reader, Wire, error) {
	name, record, index := header, value, []byte(nil)
	switch {
	case header != nil:
		name, index = registry.SplitHeader(header)
	case registry.Framed(value):
		name, record = value[:registry.FrameSize], value[registry.FrameSize:]
	default:
		return nil, Wire{}, errNoSchema
	}
	if s.registry == nil {
		return nil, Wire{}, errors.New("a schema registry has it, and none is set")
	}
	s.mu.RLock()
	known := s.known[string(name)]
	s.mu.RUnlock()
	if known == nil {
		return nil, Wire{}, s.missing(bytes.Clone(name))
	}
	if known.err == nil && known.files != nil {
		if header == nil {
			index = record
		}
		rest, message, err := s.message(known, index)
		if err != nil {
			return nil, Wire{}, err
		}
		if known = message; header == nil {
			record = rest
		}
	}
	avro, _ := known.reader.(*avrorec.Decoder)
	return known.reader, Wire{Format: known.format, Value: record, avro: avro}, known.err
}

// missing returns the error for a schema that is not cached yet.
func (s *schemas) missing(name []byte) error {
	ref, _, err := registry.ParseHeader(name)
	if err != nil {
		return err
	}
	return &stream.UnavailableError{
		Err:   fmt.Errorf("schema %v is not known yet", ref),
		Fetch: func(ctx context.Context) error { return s.fetch(ctx, name, ref) },
	}
}

// fetch fetches a schema and makes its decoder.
func (s *schemas) fetch(ctx context.Context, name []byte, ref registry.Ref) error {
	var made *schema
	got, err := s.registry.ByRef(ctx, ref)
	var away *stream.UnavailableError
	switch {
	case err == nil:
		made = s.make(ctx, got)
	case s.ofKeys && !errors.As(err, &away):
		made = &schema{err: err} // a key of eight bytes may begin with 0 as well
	default:
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= mostSchemas {
		clear(s.known)
	}
	s.known[string(name)] = made
	return nil
}

// make makes the decoder of a schema.
func (s *schemas) make(ctx context.Context, got *registry.Schema) *schema {
	switch got.Type {
	case registry.JSON:
		return &schema{format: JSON, reader: s.json}
	case registry.Avro:
		out := &schema{format: Avro}
		var references []avrorec.Reference
		for _, r := range got.References {
			references = append(references, avrorec.Reference{Name: r.Name, Text: r.Text})
		}
		if out.reader, out.err = avrorec.Compile(got.Text, references, s.spec); out.err != nil && s.ofKeys {
			// A scalar key is wrapped in a record with a single field.
			alone := `{"type":"record","name":"unfold_key","fields":[{"name":"key","type":` + got.Text + `}]}`
			out.reader, out.err = avrorec.Compile(alone, references, s.spec)
		}
		if d, ok := out.reader.(*avrorec.Decoder); ok && out.err == nil && !s.ofKeys {
			var text reader
			if text, out.err = newTextChange(d, got.Text, references, s.spec, s.json); text != nil {
				out.reader = text
			}
		}
		return out
	case registry.Protobuf:
		out := &schema{format: Protobuf, messages: map[string]*schema{}}
		var references []protorec.Reference
		for _, r := range got.References {
			references = append(references, protorec.Reference{Name: r.Name, Text: r.Text})
		}
		out.files, out.err = protorec.Parse(ctx, got.Text, references)
		return out
	}
	return &schema{err: fmt.Errorf("schemas of type %q are not supported", got.Type)}
}

// message returns the decoder of the message with an index path, and the bytes after the path.
func (s *schemas) message(of *schema, path []byte) (rest []byte, m *schema, err error) {
	index, rest, err := registry.ParseIndex(path)
	if err != nil {
		return nil, nil, err
	}
	name := path[:len(path)-len(rest)]
	s.mu.RLock()
	m = of.messages[string(name)]
	s.mu.RUnlock()
	if m != nil {
		return rest, m, nil
	}
	m = &schema{format: Protobuf}
	if d, err := of.files.At(index); err != nil {
		m.err = err
	} else {
		m.reader, m.err = protorec.Compile(d, s.spec)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(of.messages) >= mostSchemas {
		clear(of.messages)
	}
	of.messages[string(name)] = m
	return rest, m, nil
}
