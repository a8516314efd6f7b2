package format

import (
	"unfold/ingest/emit"
	"unfold/stream"
)

// Name is a format of messages.
type Name string

// The formats.
const (
	// Auto is chosen by the bytes of each message; Same is the format of a message's input.
	Auto Name = "auto"
	Same Name = "same"

	Arrow    Name = "arrow"
	JSON     Name = "json"
	Avro     Name = "avro"
	Protobuf Name = "protobuf"
)

// formats are those that messages can have.
var formats = []Name{Arrow, JSON, Avro, Protobuf}

// ContentType returns the content type for the header of a message in that format.
func (n Name) ContentType() string {
	switch n {
	case JSON:
		return emit.JSONType
	case Avro:
		return emit.AvroType
	case Protobuf:
		return emit.ProtobufType
	}
	return stream.ContentType
}
