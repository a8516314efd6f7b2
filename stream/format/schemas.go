package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"unfold/ingest/jsonrec"
	"unfold/ingest/record"
	"unfold/stream"
	"unfold/stream/registry"
)

// mostSchemas bounds the schemas, and the messages of a Protobuf schema, that decoders are
// kept for.
const mostSchemas = 1024

// schemas are the decoders of the schemas that values, or keys, have named.
type schemas struct {
	registry *registry.Client
	spec     record.Spec
	json     *jsonrec.Decoder

	mu    sync.RWMutex
	known map[string]*schema
}

// schema is one that a message has named.
type schema struct {
	format Name
	err    error // why it cannot be used
	reader reader
}

func newSchemas(r *registry.Client, spec record.Spec) *schemas {
	return &schemas{registry: r, spec: spec, json: jsonrec.New(spec), known: map[string]*schema{}}
}

// errNoSchema says that nothing names a schema.
var errNoSchema = errors.New("no schema is named, neither by a byte 0 and an id before the record nor in a header")

// find returns the decoder of the schema that a header names or, if that is nil, the bytes
// of a value before the record, and the record.
func (s *schemas) find(header, value []byte) (reader, Wire, error) {
	name, record := header, value
	switch {
	case header != nil:
		name, _ = registry.SplitHeader(header)
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
	return known.reader, Wire{Format: known.format, Value: record}, known.err
}

// missing is the error for a schema that is not known yet.
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

// fetch gets a schema and makes its decoder.
func (s *schemas) fetch(ctx context.Context, name []byte, ref registry.Ref) error {
	got, err := s.registry.ByRef(ctx, ref)
	if err != nil {
		return err
	}
	made := s.make(got)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) >= mostSchemas {
		clear(s.known)
	}
	s.known[string(name)] = made
	return nil
}

// make makes the decoder of a schema.
func (s *schemas) make(got *registry.Schema) *schema {
	switch got.Type {
	case registry.JSON:
		return &schema{format: JSON, reader: s.json}
	}
	return &schema{err: fmt.Errorf("schemas of type %q are not supported", got.Type)}
}

