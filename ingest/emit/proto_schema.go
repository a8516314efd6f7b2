package emit

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/protobuf/encoding/protowire"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// protoNumbers are the field numbers. They never change: a new column gets the next number,
// whatever its position among the columns.
var protoNumbers = map[string]protowire.Number{
	IDName: 1, EmbeddingName: 2, "x": 3, "y": 4, SigmaName: 5, NoveltyLocalName: 6, NoveltyGlobalName: 7,
	ClassName: 8, ClassProbabilityName: 9, EpochName: 10, VersionName: 11, mapIDName: 12,
	ReasonsName: 13, NeighborsName: 14, ClusterName: 15, ClusterProbabilityName: 16, ClusterOutlierName: 17,
	ClassProbabilitiesName: 18, ClassEntropyName: 19,
	LogLikName: 20,
}

// firstKept is the field number of the first kept column.
const firstKept protowire.Number = 100

// protoTypes are the types of fields other than those of passed-through columns.
var protoTypes = map[string]string{ClassName: "string", ClassProbabilitiesName: "map<string, float>", ClusterName: "int64", EpochName: "uint32", VersionName: "uint64", mapIDName: "string", EmbeddingName: "repeated float"}

// takes reports whether a kept column's name is already used by a field of the place. Names of
// optional columns are free if the output lacks these columns.
func (o *Output) takes(name string) bool {
	switch name {
	case LogLikName:
		return o.LogLik != nil
	case ReasonsName, NeighborsName:
		return o.explained()
	case ClassProbabilitiesName:
		return o.ClassShares != nil
	case ClassEntropyName:
		return o.ClassEntropy != nil
	case ClusterName, ClusterProbabilityName, ClusterOutlierName:
		return o.Cluster != nil
	}
	return true
}

// newProtoKind returns the kind of messages with the output's columns, and its schema.
func newProtoKind(o *Output) (*protoKind, error) {
	if err := o.checkFields("Protobuf"); err != nil {
		return nil, err
	}
	k := &protoKind{columnSet: columnSetOf(o), mapID: o.MapID != ""}
	s := protoSchema{taken: map[string]bool{}}
	var fields []string
	for name := range protoNumbers {
		if o.takes(name) {
			s.taken[folded(name)] = true
		}
	}
	for _, c := range outputColumns {
		if !c.there(o) {
			continue
		}
		switch c := c.(type) {
		case protoNested:
			message, field := c.protoMessage()
			s.messages = append(s.messages, message)
			fields = append(fields, field)
		case idColumn:
			fields = append(fields, s.field(k.fieldOfID(o)))
		case keptColumns:
			fields = append(fields, k.fieldsOfKept(o, &s)...)
		case placeColumn:
			if o.Embedding.Cols == 2 {
				fields = append(fields, s.own("x"), s.own("y"))
				continue
			}
			fields = append(fields, s.own(EmbeddingName))
		default:
			fields = append(fields, s.own(c.String()))
		}
	}
	if k.mapID {
		fields = append(fields, s.own(mapIDName))
	}
	k.schema = s.text(fields)
	return k, nil
}

// fieldOfID returns the id's field, or that of the row number if there is no id.
func (k *protoKind) fieldOfID(o *Output) protoField {
	k.id = protoField{number: protoNumbers[IDName], name: IDName, column: IDName, of: protoInteger}
	if o.ID.Valid() {
		k.id.of = protoTypeOf(o.ID.ArrowField())
	}
	return k.id
}

func (k *protoKind) fieldsOfKept(o *Output, s *protoSchema) (fields []string) {
	names := s.identifiers(o)
	k.kept = make([]protoField, len(o.Kept))
	for i, c := range o.Kept {
		if o.repeated(c) {
			continue
		}
		k.kept[i] = protoField{number: firstKept + protowire.Number(i), name: names[i], column: c.Name(), of: protoTypeOf(c.ArrowField())}
		fields = append(fields, s.field(k.kept[i]))
	}
	return fields
}

// protoSchema is a schema that is being written.
type protoSchema struct {
	// taken holds the names in use in the form in which JSON readers and code generators compare
	// them: without case and underscores.
	taken   map[string]bool
	imports []string
	// messages are declarations of nested messages, which come before the fields.
	messages []string
}

func folded(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// identifiers returns the kept columns' names in Protobuf. Valid names are assigned first and stay
// unchanged, so that no field gets the JSON name of another field.
func (s *protoSchema) identifiers(o *Output) []string {
	out := make([]string, len(o.Kept))
	for _, plain := range []bool{true, false} {
		for i, c := range o.Kept {
			if name := identifier(c.Name()); (name == c.Name()) == plain {
				out[i] = s.free(name)
			}
		}
	}
	return out
}

// identifier replaces the characters of a name that Protobuf does not allow.
func identifier(column string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, column)
	if name == "" || !unicode.IsLetter(rune(name[0])) {
		name = "c" + name
	}
	return name
}

// free returns a name not used by any field, derived from the given one.
func (s *protoSchema) free(name string) string {
	out := name
	for i := 2; s.taken[folded(out)]; i++ {
		out = fmt.Sprintf("%s_n%d", name, i)
	}
	s.taken[folded(out)] = true
	return out
}

// own declares a field of the place itself.
func (s *protoSchema) own(name string) string {
	t := protoTypes[name]
	if t == "" {
		t = "float"
	}
	return fmt.Sprintf("%s %s = %d [json_name = %s];", t, name, protoNumbers[name], protoQuoted(name))
}

// field declares the nullable field of a passed-through column.
func (s *protoSchema) field(f protoField) string {
	t := f.of.String()
	switch f.of {
	case protoTime:
		s.use("google/protobuf/timestamp.proto")
	case protoAny:
		s.use("google/protobuf/struct.proto")
	case protoFloats, protoDoubles:
	default:
		t = "optional " + t
	}
	return fmt.Sprintf("%s %s = %d [json_name = %s];", t, f.name, f.number, protoQuoted(f.column))
}

func (s *protoSchema) use(file string) {
	if !slices.Contains(s.imports, file) {
		s.imports = append(s.imports, file)
	}
}

func (s *protoSchema) text(fields []string) string {
	var b strings.Builder
	b.WriteString("syntax = \"proto3\";\n\npackage unfold;\n\n")
	slices.Sort(s.imports)
	for _, file := range s.imports {
		fmt.Fprintf(&b, "import %q;\n", file)
	}
	b.WriteString("// Place is an event and its place on a map.\nmessage Place {\n")
	for _, f := range append(s.messages, fields...) {
		fmt.Fprintf(&b, "  %s\n", f)
	}
	b.WriteString("}\n")
	return b.String()
}

// protoQuoted returns a text as a string literal of Protobuf.
func protoQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(readable(s)) {
		if c < ' ' || c == '"' || c == '\\' || c == 0x7f {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// protoType is the Protobuf type of a passed-through column.
type protoType int

const (
	protoText protoType = iota
	protoInteger
	protoUnsigned
	protoFloat
	protoDouble
	protoBool
	protoBytes
	protoTime
	protoFloats
	protoDoubles
	protoAny
)

func (t protoType) String() string {
	return [...]string{"string", "int64", "uint64", "float", "double", "bool", "bytes", "google.protobuf.Timestamp", "repeated float", "repeated double", "google.protobuf.Value"}[t]
}

// protoTypeOf returns the type of a column's field. If the column's type was inferred it may differ
// in the next message, so the field can hold any value.
func protoTypeOf(f arrow.Field) protoType {
	if record.Inferred(f) {
		return protoAny
	}
	return protoTypeFor(f.Type)
}

func protoTypeFor(dt arrow.DataType) protoType {
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		return protoTypeFor(dt.ValueType)
	case arrow.ExtensionType:
		return protoTypeFor(dt.StorageType())
	case *arrow.TimestampType:
		return protoTime
	case *arrow.MapType:
		return protoText
	case arrow.ListLikeType:
		switch {
		case table.KindOf(dt) != table.Vector:
			return protoText
		case protoTypeFor(dt.Elem()) == protoFloat:
			return protoFloats
		}
		return protoDoubles
	}
	switch id := dt.ID(); {
	case arrow.IsUnsignedInteger(id):
		return protoUnsigned
	case arrow.IsInteger(id):
		return protoInteger
	case id == arrow.FLOAT16, id == arrow.FLOAT32:
		return protoFloat
	case id == arrow.FLOAT64:
		return protoDouble
	case id == arrow.BOOL:
		return protoBool
	case id == arrow.BINARY, id == arrow.LARGE_BINARY, id == arrow.FIXED_SIZE_BINARY:
		return protoBytes
	}
	return protoText
}
