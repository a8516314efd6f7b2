package registry

import (
	"encoding/binary"
	"fmt"

	"unfold/stream"
)

// These are the headers for the schema ids of a message's key and value, if they are not at the
// start of the bytes.
const (
	KeyHeader   = stream.HeaderKeySchema
	ValueHeader = stream.HeaderValueSchema
)

// Layouts of a schema's name.
const (
	magicID   = 0 // then 4 bytes, big endian
	magicGUID = 1 // then 16 bytes
	idSize    = 5
	guidSize  = 17
)

// Ref identifies a schema: by GUID if that is not empty, else by ID.
type Ref struct {
	ID   int
	GUID string
}

func (r Ref) String() string {
	if r.GUID != "" {
		return r.GUID
	}
	return fmt.Sprint(r.ID)
}

// FrameSize is the length of the frame before a value: a byte 0 and the schema's id.
const FrameSize = idSize

// SplitHeader divides a header into the schema's id and the rest, without checking either.
func SplitHeader(value []byte) (name, rest []byte) {
	n := idSize
	if len(value) > 0 && value[0] == magicGUID {
		n = guidSize
	}
	n = min(n, len(value))
	return value[:n], value[n:]
}

// Framed reports whether a value can begin with a schema's id.
func Framed(value []byte) bool { return len(value) >= idSize && value[0] == magicID }

// AppendID appends the frame of a value: a byte 0 and the schema's id.
func AppendID(to []byte, id int) []byte {
	return binary.BigEndian.AppendUint32(append(to, magicID), uint32(id))
}

// ParseID decodes the frame of a value and returns the rest.
func ParseID(value []byte) (id int, rest []byte, err error) {
	if len(value) < idSize {
		return 0, nil, fmt.Errorf("%d bytes hold no schema id, which takes %d", len(value), idSize)
	}
	if value[0] != magicID {
		return 0, nil, fmt.Errorf("no schema id: the first byte is %d, not %d", value[0], magicID)
	}
	v := binary.BigEndian.Uint32(value[1:])
	if v > 1<<31-1 {
		return 0, nil, fmt.Errorf("no schema has id %d", v)
	}
	return int(v), value[idSize:], nil
}

// ParseHeader decodes a header and returns the bytes after the schema's id, which Protobuf uses.
func ParseHeader(value []byte) (Ref, []byte, error) {
	if len(value) >= guidSize && value[0] == magicGUID {
		g := value[1:guidSize]
		return Ref{GUID: fmt.Sprintf("%x-%x-%x-%x-%x", g[:4], g[4:6], g[6:8], g[8:10], g[10:])}, value[guidSize:], nil
	}
	if len(value) > 0 && value[0] == magicGUID {
		return Ref{}, nil, fmt.Errorf("a header of %d bytes holds no GUID, which takes %d", len(value), guidSize)
	}
	id, rest, err := ParseID(value)
	return Ref{ID: id}, rest, err
}
