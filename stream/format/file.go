package format

import (
	"context"
	"fmt"

	"unfold/ingest/avrorec"
	"unfold/ingest/protorec"
	"unfold/ingest/record"
	"unfold/internal/regular"
)

// File is a schema read from a file.
type File struct {
	format Name
	path   string
	// make makes the decoder for the selected columns.
	make func(record.Spec) (reader, error)
}

// mostSchema is the maximum size of an Avro schema file.
const mostSchema = 4 << 20

// ReadFile reads the schema of messages in Avro or Protobuf. For Protobuf, message names one of the
// schema's messages, or is empty; see protorec.Files.Message.
func ReadFile(ctx context.Context, n Name, path, message string) (*File, error) {
	f := &File{format: n, path: path}
	switch n {
	case Avro:
		text, err := regular.ReadSmall(path)
		if err == nil && len(text) > mostSchema {
			err = fmt.Errorf("%s: a schema of %d bytes, more than %d", path, len(text), mostSchema)
		}
		f.make = func(spec record.Spec) (reader, error) { return avrorec.Compile(string(text), nil, spec) }
		return f, err
	case Protobuf:
		files, err := protorec.Read(ctx, path)
		if err != nil {
			return nil, err
		}
		of, err := files.Message(message)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		f.make = func(spec record.Spec) (reader, error) { return protorec.Compile(of, spec) }
		return f, nil
	}
	return nil, fmt.Errorf("%s: a schema is for Avro or Protobuf, not for %s", path, n)
}

// compile makes the decoder for the selected columns.
func (f *File) compile(spec record.Spec) (reader, error) {
	r, err := f.make(spec)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return r, nil
}
