package record

import (
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// InferredKey is the metadata key of columns whose types were inferred from their values.
const InferredKey = "unfold-inferred"

// Inferred reports whether a column's type was inferred from its values.
func Inferred(f arrow.Field) bool { return f.Metadata.FindKey(InferredKey) >= 0 }

var inferred = arrow.NewMetadata([]string{InferredKey}, []string{"true"})

// columnShape determines the type of a column.
type columnShape struct {
	field *field
	kind  kind
	size  int32 // of all its lists, 0 if they have not one
}

// shapes remembers the schemas of the last messages, because making one takes as long as decoding a
// message. Several are needed, because nulls change the schema.
type shapes struct {
	known []knownShape
	now   []columnShape // scratch
}

type knownShape struct {
	columns []columnShape
	types   []arrow.DataType
	schema  *arrow.Schema
}

// rememberedShapes bounds the number of remembered schemas.
const rememberedShapes = 8

// of returns the schema for the columns in s.now.
func (s *shapes) of() *knownShape {
	for i := range s.known {
		if slices.Equal(s.known[i].columns, s.now) {
			if i > 0 {
				s.known[0], s.known[i] = s.known[i], s.known[0]
			}
			return &s.known[0]
		}
	}
	k := knownShape{columns: slices.Clone(s.now)}
	fields := make([]arrow.Field, len(s.now))
	for i, c := range s.now {
		k.types = append(k.types, c.dataType())
		fields[i] = arrow.Field{Name: c.field.path, Type: k.types[i], Nullable: true}
		if c.field.pinned == Auto {
			fields[i].Metadata = inferred
		}
	}
	k.schema = arrow.NewSchema(fields, nil)
	s.known = append([]knownShape{k}, s.known[:min(len(s.known), rememberedShapes-1)]...)
	return &s.known[0]
}

// timeType is that of instants.
var timeType = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}

// sparseType is that of sparse vectors.
var sparseType = arrow.ListOf(arrow.StructOf(arrow.Field{Name: "index", Type: arrow.PrimitiveTypes.Int64}, arrow.Field{Name: "value", Type: arrow.PrimitiveTypes.Float64}))

func (c columnShape) dataType() arrow.DataType {
	switch c.kind {
	case kindBool:
		return arrow.FixedWidthTypes.Boolean
	case kindInt:
		return arrow.PrimitiveTypes.Int64
	case kindUint:
		return arrow.PrimitiveTypes.Uint64
	case kindTime:
		return timeType
	case kindFloat:
		return arrow.PrimitiveTypes.Float64
	case kindText:
		return arrow.BinaryTypes.String
	case kindSparse:
		return sparseType
	}
	if c.size > 0 {
		return arrow.FixedSizeListOf(c.size, c.item())
	}
	return arrow.ListOf(c.item())
}

// item returns the element type of lists.
func (c columnShape) item() arrow.DataType {
	if c.kind == kindVector32 {
		return arrow.PrimitiveTypes.Float32
	}
	return arrow.PrimitiveTypes.Float64
}
