package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"unfold/ingest/table"
)

// Type is a type that can be set for a column.
type Type string

// Types that can be set for a column. Auto leaves the type to the values.
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

// Sparse is the type found for file columns of type list<struct<index int64, value float64>>.
const Sparse Type = "sparse vector"

// Types returns the types that can be set for a column.
func Types() []Type { return []Type{Int, Uint, Float, Bool, Text, Time, Vector} }

// TypeOf returns the type for a column with this Arrow type name, and false unless it is a type of
// plain values.
func TypeOf(name string) (t Type, ok bool) {
	t, ok = map[string]Type{"int64": Int, "uint64": Uint, "float64": Float, "bool": Bool, "string": Text}[name]
	return t, ok
}

// ParseTypes parses column types of the form COLUMN:TYPE, split at the last colon.
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

// Limits bound the resources that one message may use. Fields that are 0 stand for the default.
type Limits struct {
	// Bytes bounds a message (64 MiB).
	Bytes int64
	// Rows bounds the number of records (4 Mi), Fields the number of columns of all of them
	// (4,096), Depth the nesting of values (64).
	Rows   int64
	Fields int
	Depth  int
	// Memory bounds the bytes of the decoded values (256 MiB).
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

// CheckSize returns an error if a message has too many bytes.
func (l Limits) CheckSize(value []byte, origin table.Origin) error {
	if int64(len(value)) > l.Bytes {
		return origin.Bad("the message has %d bytes, at most %d are allowed", len(value), l.Bytes)
	}
	return nil
}

// Spec is a request for columns of records.
type Spec struct {
	// Paths are the dotted paths of the requested columns. If it is nil all fields are requested,
	// and those in Named are columns even if no record has them.
	Paths, Named []string
	// Vector is the column with the vector, "" if it is the only list of numbers.
	Vector string
	// ID is the column of ids, "" for none. Numeric ids stay exact: one that fits neither int64 nor
	// uint64 is refused.
	ID string
	// Types are pinned, by the columns' paths.
	Types map[string]Type
	// Lists makes all vector columns variable lists of float64, so that a column's type does not
	// depend on the vectors.
	Lists bool
	// Changes is set if records may be Debezium changes. Then marks of deleted records and
	// placeholders of omitted values are recognized.
	Changes bool
	// Limits bound a message.
	Limits Limits
}

// always returns the columns that every table has.
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
