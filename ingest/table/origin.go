package table

import (
	"unfold/internal/address"
	"unfold/internal/offsets"
)

// Origin is a location in a source, for errors and for output headers.
type Origin struct {
	// File and Row are those of a file. Row is the index of the first row of the batch.
	File string
	Row  int64
	// Position is the position of a message; its Topic is empty for files.
	offsets.Position
}

// String returns the file, or the topic, partition and offset. Secrets in an address are removed.
func (o Origin) String() string {
	switch {
	case o.Topic != "":
		return o.Position.String()
	case o.File == "-":
		return "standard input"
	case o.File != "":
		return Line(address.Redact(o.File))
	}
	return "input"
}
