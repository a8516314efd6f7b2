package format

import (
	"fmt"
	"strings"

	"unfold/ingest/emit"
	"unfold/stream"
)

// Name is a format of messages.
type Name string

// The formats.
const (
	// Auto is chosen by the bytes of each message; Same is that of a message's input.
	Auto Name = "auto"
	Same Name = "same"

	Arrow    Name = "arrow"
	JSON     Name = "json"
	Avro     Name = "avro"
	Protobuf Name = "protobuf"
)

// formats are those that messages can have.
var formats = []Name{Arrow, JSON, Avro, Protobuf}

// ContentType is what the header of a message of that format says.
func (n Name) ContentType() string {
	switch n {
	case JSON:
		return emit.JSONType
	case Avro:
		return "application/avro"
	case Protobuf:
		return "application/x-protobuf"
	}
	return stream.ContentType
}

// Parse reads a format's name; also is Auto or Same, which empty text stands for.
func Parse(text string, also Name) (Name, error) {
	if text == "" {
		return also, nil
	}
	names := []string{string(also)}
	for _, n := range append([]Name{also}, formats...) {
		if text == string(n) {
			return n, nil
		}
		names = append(names, string(n))
	}
	return "", fmt.Errorf("unknown format %q: write one of %s", text, strings.Join(names[1:], ", "))
}
