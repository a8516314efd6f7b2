package table

import (
	"unfold/internal/address"
	"unfold/internal/offsets"
)

// Origin is a place in a source, for errors and for output headers.
type Origin struct {
	// File and Row (0-based, of the first row of the batch) for files.
	File string
	Row  int64
	// Position is the message's own; its Topic is empty for files.
	offsets.Position
}

// String names the place: the file, or topic, partition and offset. An address is without its secrets.
func (o Origin) String() string {
	switch {
	case o.Topic != "":
		return o.Position.String()
	case o.File == "-":
		return "standard input"
	case o.File != "":
		return address.Redact(o.File)
	}
	return "input"
}
