package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// Kind determines how a column can be used.
type Kind int

const (
	// Other is passed through but never encoded: structs, binary, null columns, ...
	Other Kind = iota
	// Number is an integer of 8 to 64 bits, a float of 16 to 64, or a decimal.
	Number
	// Bool is true or false.
	Bool
	// Text is a string, perhaps dictionary-encoded.
	Text
	// Vector is a list of any kind of integer or float.
	Vector
	// Time is a timestamp, a date, a time of the day or a duration.
	Time
	// SparseVector is a vector with only some elements stored (SparseRows).
	SparseVector
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"other", "number", "boolean", "text", "vector", "time", "sparse vector"}[k]
}

// Field describes a column.
type Field struct {
	Name string
	// Type is Arrow's name of the type.
	Type string
	Kind Kind
	// Dim is a fixed-size list's length, else 0.
	Dim      int
	Nullable bool
	// Index is true for a column that numbers or names the rows. Its name is that of a pandas
	// index, or empty.
	Index bool
	// Odd is set for a text column of a text file that contains numbers or booleans except for some
	// values.
	Odd *Odd
	// Seems describes the content of a text column of a text file, if more is known.
	Seems string
	// Parts are the fields of a struct by their own names. Find and Flat use dotted paths.
	Parts Schema
}

// wideTypes are parts of names of Arrow types whose numbers exceed single precision.
var wideTypes = []string{"float64", "double", "int32", "int64", "decimal", "utf8", "string"}

// FitsSingle reports whether single precision can represent every value of the field's type of
// numbers or vectors.
func (f Field) FitsSingle() bool {
	return !slices.ContainsFunc(wideTypes, func(word string) bool { return strings.Contains(f.Type, word) })
}

// Encoded returns the kind as which the column's values are encoded.
func (f Field) Encoded() Kind {
	if f.Odd != nil {
		return f.Odd.Kind
	}
	return f.Kind
}

// Schema describes the columns of a table.
type Schema []Field

// Names returns the columns' names in order.
func (s Schema) Names() []string {
	out := make([]string, len(s))
	for i, f := range s {
		out[i] = f.Name
	}
	return out
}

// Find returns the field with the given name or, if there is none, with this dotted path.
func (s Schema) Find(name string) (Field, bool) {
	for _, f := range s {
		if f.Name == name {
			return f, true
		}
	}
	return s.part(name)
}

// Lookup returns a function that is Find for many names. All calls together take about the time of
// one search.
func (s Schema) Lookup() func(name string) (Field, bool) {
	at := make(map[string]int, len(s))
	for i := len(s) - 1; i >= 0; i-- {
		at[s[i].Name] = i
	}
	return func(name string) (Field, bool) {
		if i, there := at[name]; there {
			return s[i], true
		}
		return s.part(name)
	}
}

// May reports whether a name can belong to the schema: as a field, or as a path into a column with
// unknown parts, such as a map.
func (s Schema) May(name string) bool {
	if _, there := s.Find(name); there {
		return true
	}
	return slices.ContainsFunc(s, func(f Field) bool {
		_, inside := below(name, f.Name)
		return inside && f.Parts == nil && f.Kind == Other
	})
}

// Index returns the index of the field with the given name, or -1.
func (s Schema) Index(name string) int {
	return slices.IndexFunc(s, func(f Field) bool { return f.Name == name })
}

// Ambiguous returns an error if several fields have the name.
func (s Schema) Ambiguous(name string, o Origin) error {
	var which []string
	for i, f := range s {
		if f.Name == name {
			which = append(which, fmt.Sprintf("%d (%s)", i+1, f.Type))
		}
	}
	if len(which) == 0 {
		for _, f := range s {
			if _, ok := below(name, f.Name); ok && f.Parts != nil {
				return s.Ambiguous(f.Name, o)
			}
		}
	}
	if len(which) < 2 {
		return nil
	}
	return o.BadColumn(name, "columns %s have this name, and it is not known which is meant", strings.Join(which, " and ")).
		Suggest("rename all but one of them")
}

// Of returns the names of the fields of the given kinds, including those in structs.
func (s Schema) Of(kinds ...Kind) []string {
	var out []string
	for _, f := range s.Flat() {
		for _, k := range kinds {
			if f.Kind == k {
				out = append(out, f.Name)
			}
		}
	}
	return out
}

// String lists the columns as "name type", separated by commas.
func (s Schema) String() string {
	parts := make([]string, len(s))
	for i, f := range s {
		parts[i] = f.Name + " " + f.Type
	}
	return strings.Join(parts, ", ")
}

func Describe(s *arrow.Schema) Schema {
	out := make(Schema, s.NumFields())
	for i, f := range s.Fields() {
		out[i] = Field{Name: f.Name, Type: TypeName(f.Type), Kind: KindOf(f.Type), Nullable: f.Nullable, Index: IsIndexName(f.Name, i), Parts: partsOf(f.Type)}
		if l, ok := f.Type.(*arrow.FixedSizeListType); ok {
			out[i].Dim = int(l.Len())
		}
	}
	return out
}

func KindOf(dt arrow.DataType) Kind {
	switch dt.ID() {
	case arrow.BOOL:
		return Bool
	case arrow.STRING, arrow.LARGE_STRING:
		return Text
	case arrow.DICTIONARY:
		if k := KindOf(dt.(*arrow.DictionaryType).ValueType); k != Vector && k != SparseVector {
			return k
		}
		return Other
	case arrow.EXTENSION:
		return KindOf(dt.(arrow.ExtensionType).StorageType())
	case arrow.LIST, arrow.LARGE_LIST, arrow.FIXED_SIZE_LIST, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW:
		if isNumber(dt.(arrow.ListLikeType).Elem()) {
			return Vector
		}
	case arrow.DECIMAL128, arrow.DECIMAL256:
		return Number
	case arrow.TIMESTAMP, arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.DURATION:
		return Time
	}
	switch {
	case isNumber(dt):
		return Number
	case isSparse(dt):
		return SparseVector
	}
	return Other
}

func isNumber(dt arrow.DataType) bool {
	switch dt.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64:
		return true
	}
	return false
}

// TypeName returns the name of a type for messages: Arrow's own, with short forms for lists.
func TypeName(dt arrow.DataType) string {
	switch dt := dt.(type) {
	case *arrow.FixedSizeListType:
		return fmt.Sprintf("fixed_size_list<%s>[%d]", TypeName(dt.Elem()), dt.Len())
	case *arrow.ListType:
		return fmt.Sprintf("list<%s>", TypeName(dt.Elem()))
	case *arrow.LargeListType:
		return fmt.Sprintf("large_list<%s>", TypeName(dt.Elem()))
	case *arrow.StringType:
		return "string"
	case *arrow.LargeStringType:
		return "large_string"
	}
	return dt.String()
}

// IsIndexName reports whether a name is that of a pandas index: an empty one in the first column,
// "Unnamed: " in the first column after a round trip, or one with underscores in Parquet and Arrow
// files.
func IsIndexName(name string, at int) bool {
	return name == "" && at == 0 || strings.HasPrefix(name, "Unnamed: ") && at == 0 ||
		strings.HasPrefix(name, "__index_level_") && strings.HasSuffix(name, "__")
}

// MarshalText writes a kind by name, so that files do not depend on numbers.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a kind's name.
func (k *Kind) UnmarshalText(text []byte) error {
	for c := Other; c <= SparseVector; c++ {
		if c.String() == string(text) {
			*k = c
			return nil
		}
	}
	return fmt.Errorf("%q is no kind of column", text)
}
