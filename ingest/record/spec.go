package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"unfold/ingest/table"
)

// Type is what a column can be pinned to.
type Type string

// The types that a column can be pinned to. Auto is none.
const (
	Auto   Type = ""
	Int    Type = "int"    // int64
	Uint   Type = "uint"   // uint64
	Float  Type = "float"  // float64
	Bool   Type = "bool"   // boolean
	Text   Type = "text"   // UTF-8
	Time   Type = "time"   // microseconds since 1970, UTC
	Vector Type = "vector" // list of float64 or float32
)

// Sparse is what the column of a file is found to be: list<struct<index int64, value float64>>.
const Sparse Type = "sparse vector"

// Types lists what a column can be pinned to.
func Types() []Type { return []Type{Int, Uint, Float, Bool, Text, Time, Vector} }

// TypeOf returns the type that a column of Arrow's type of this name is pinned to; ok is false for
// types other than those of plain values.
func TypeOf(name string) (t Type, ok bool) {
	t, ok = map[string]Type{"int64": Int, "uint64": Uint, "float64": Float, "bool": Bool, "string": Text}[name]
	return t, ok
}

// ParseTypes reads pins, each COLUMN:TYPE. The type follows the last colon.
func ParseTypes(pins []string) (map[string]Type, error) {
	out := make(map[string]Type, len(pins))
	for _, pin := range pins {
		at := strings.LastIndexByte(pin, ':')
		if at <= 0 {
			return nil, fmt.Errorf("%q pins no type: write COLUMN:TYPE", pin)
		}
		name, t := pin[:at], Type(pin[at+1:])
		if !slices.Contains(Types(), t) {
			hint := ""
			if near := table.Nearest(string(t), typeNames()); near != "" {
				hint = fmt.Sprintf("did you mean %q? ", near)
			}
			return nil, fmt.Errorf("column %q: unknown type %q; %stypes are %s", name, t, hint, strings.Join(typeNames(), ", "))
		}
		if was, there := out[name]; there && was != t {
			return nil, fmt.Errorf("column %q is pinned twice, to %s and to %s", name, was, t)
		}
		out[name] = t
	}
	return out, nil
}

func typeNames() []string {
	var names []string
	for _, t := range Types() {
		names = append(names, string(t))
	}
	return names
}

// Limits bound what one message may ask for. Fields that are 0 take the default.
type Limits struct {
	// Bytes bounds a message (64 MiB).
	Bytes int64
	// Rows bounds its records (4 Mi), Fields the columns of all (4,096), Depth the
	// nesting of values (64).
	Rows   int64
	Fields int
	Depth  int
	// Memory bounds what its values may take once decoded (256 MiB).
	Memory int64
}

// Filled returns the limits with their defaults.
func (l Limits) Filled() Limits {
	l.Bytes = cmp.Or(l.Bytes, 64<<20)
	l.Rows = cmp.Or(l.Rows, 4<<20)
	l.Fields = cmp.Or(l.Fields, 4096)
	l.Depth = cmp.Or(l.Depth, 64)
	l.Memory = cmp.Or(l.Memory, 256<<20)
	return l
}

// CheckSize says whether a message has more bytes than it may.
func (l Limits) CheckSize(value []byte, origin table.Origin) error {
	if int64(len(value)) > l.Bytes {
		return origin.Bad("the message has %d bytes, at most %d are allowed", len(value), l.Bytes)
	}
	return nil
}

// Spec says what is wanted of records.
type Spec struct {
	// Paths are the columns wanted, dotted; nil is all there is, and Named then are those of
	// all that are columns even if no record has them.
	Paths, Named []string
	// Vector is the column that is the vector, "" if it is the only list of numbers.
	Vector string
	// ID is the column of ids, "" if there is none. Its numbers stay exact: one that int64 and
	// uint64 cannot hold is refused.
	ID string
	// Types are pinned, by the columns' paths.
	Types map[string]Type
	// Lists: columns of vectors are variable lists of float64 whatever the vectors are, so
	// that a column's type is that of its pin.
	Lists bool
	// Changes: records may be those of Debezium's changes. Its marks of deleted records count, and
	// values that it has left out are known.
	Changes bool
	// Limits bound a message.
	Limits Limits
}

// always are the columns that every table has.
func (s *Spec) always() []string {
	if s.Paths != nil {
		return s.Paths
	}
	return s.Named
}

// pinned is the type of a column.
func (s *Spec) pinned(path string) Type {
	if t := s.Types[path]; t != Auto {
		return t
	}
	if path == s.Vector && path != "" {
		return Vector
	}
	return Auto
}
