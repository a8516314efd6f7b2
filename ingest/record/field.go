package record

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// kind is how a column holds its values.
type kind int

const (
	kindNone kind = iota
	kindBool
	kindInt
	kindFloat
	kindText
	kindTime
	kindVector32
	kindVector64
)

func (k kind) String() string {
	return [...]string{"nothing", "a truth value", "an integer", "a number", "text", "a time", "a list", "a list"}[k]
}

// field is a column in the making.
type field struct {
	path   string
	pinned Type
	kind   kind
	used   bool
	rows   int
	nulls  int
	valid  []byte // a bit for each row, if one is null
	// values by kind; text and lists end where ends says.
	ints   []int64
	floats []float64
	text   []byte
	vec32  []float32
	vec64  []float64
	ends   []int32
}

func (f *field) reset() {
	f.kind, f.used, f.rows, f.nulls = kindNone, false, 0, 0
	f.valid, f.ints, f.floats, f.text = f.valid[:0], f.ints[:0], f.floats[:0], f.text[:0]
	f.vec32, f.vec64, f.ends = f.vec32[:0], f.vec64[:0], f.ends[:0]
}

// pinnedKinds are the kinds of columns whose values are all null.
var pinnedKinds = map[Type]kind{Auto: kindFloat, Int: kindInt, Float: kindFloat, Bool: kindBool, Text: kindText, Time: kindTime, Vector: kindVector64}

// begin makes a column of nulls one of a kind.
func (f *field) begin(k kind) {
	f.kind = k
	for range f.rows {
		f.blank()
	}
}

// widen makes floats of integers.
func (f *field) widen() {
	f.kind = kindFloat
	for _, v := range f.ints {
		f.floats = append(f.floats, float64(v))
	}
	f.ints = f.ints[:0]
}

// blank adds what stands in place of a null.
func (f *field) blank() {
	switch f.kind {
	case kindBool, kindInt, kindTime:
		f.ints = append(f.ints, 0)
	case kindFloat:
		f.floats = append(f.floats, 0)
	case kindText:
		f.ends = append(f.ends, int32(len(f.text)))
	case kindVector32:
		f.ends = append(f.ends, int32(len(f.vec32)))
	case kindVector64:
		f.ends = append(f.ends, int32(len(f.vec64)))
	}
}

// ok counts a value that was added.
func (f *field) ok() { f.count(true) }

// null adds a null.
func (f *field) null() {
	f.blank()
	f.nulls++
	f.count(false)
}

func (f *field) count(valid bool) {
	if f.rows%8 == 0 {
		f.valid = append(f.valid, 0)
	}
	if valid {
		bitutil.SetBit(f.valid, f.rows)
	}
	f.rows++
}

// fill adds nulls up to so many rows.
func (f *field) fill(rows int) {
	for f.rows < rows {
		f.null()
	}
}

// array copies the column.
func (f *field) array() arrow.Array {
	if f.kind == kindNone {
		f.begin(pinnedKinds[f.pinned])
	}
	switch f.kind {
	case kindBool:
		bits := make([]byte, bitutil.BytesForBits(int64(f.rows)))
		for i, v := range f.ints {
			if v != 0 {
				bitutil.SetBit(bits, i)
			}
		}
		return f.make(arrow.FixedWidthTypes.Boolean, nil, memory.NewBufferBytes(bits))
	case kindInt:
		return f.make(arrow.PrimitiveTypes.Int64, nil, copied(arrow.Int64Traits.CastToBytes(f.ints)))
	case kindTime:
		return f.make(timeType, nil, copied(arrow.Int64Traits.CastToBytes(f.ints)))
	case kindFloat:
		return f.make(arrow.PrimitiveTypes.Float64, nil, copied(arrow.Float64Traits.CastToBytes(f.floats)))
	case kindText:
		return f.make(arrow.BinaryTypes.String, nil, f.offsets(), copied(f.text))
	case kindVector32:
		return f.lists(arrow.PrimitiveTypes.Float32, len(f.vec32), copied(arrow.Float32Traits.CastToBytes(f.vec32)))
	}
	return f.lists(arrow.PrimitiveTypes.Float64, len(f.vec64), copied(arrow.Float64Traits.CastToBytes(f.vec64)))
}

// timeType is that of instants.
var timeType = &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}

// lists makes a list column: of fixed size if all rows have as many.
func (f *field) lists(item arrow.DataType, n int, values *memory.Buffer) arrow.Array {
	child := array.NewData(item, n, []*memory.Buffer{nil, values}, nil, 0, 0)
	if size := f.fixed(); size > 0 {
		return f.make(arrow.FixedSizeListOf(size, item), []arrow.ArrayData{child})
	}
	return f.make(arrow.ListOf(item), []arrow.ArrayData{child}, f.offsets())
}

// fixed is the size of all lists, 0 if there is no such.
func (f *field) fixed() int32 {
	if f.nulls > 0 || len(f.ends) == 0 {
		return 0
	}
	size := f.ends[0]
	for i, end := range f.ends {
		if end != size*int32(i+1) {
			return 0
		}
	}
	return size
}

func (f *field) offsets() *memory.Buffer {
	o := make([]int32, len(f.ends)+1)
	copy(o[1:], f.ends)
	return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(o))
}

func (f *field) make(dt arrow.DataType, children []arrow.ArrayData, buffers ...*memory.Buffer) arrow.Array {
	var valid *memory.Buffer
	if f.nulls > 0 {
		valid = copied(f.valid)
	}
	return array.MakeFromData(array.NewData(dt, f.rows, append([]*memory.Buffer{valid}, buffers...), children, f.nulls, 0))
}

func copied(b []byte) *memory.Buffer { return memory.NewBufferBytes(append([]byte(nil), b...)) }

// InferredKey marks columns whose types were found in their values.
const InferredKey = "unfold-inferred"

// Inferred reports whether the type of a column was found in its values.
func Inferred(f arrow.Field) bool { return f.Metadata.FindKey(InferredKey) >= 0 }

var inferred = arrow.NewMetadata([]string{InferredKey}, []string{"true"})

// schemaOf returns the schema of the message's columns: the one before, if it is equal.
func (b *Builder) schemaOf(columns []arrow.Array) *arrow.Schema {
	if b.schema != nil && b.schema.NumFields() == len(columns) {
		same := true
		for i, f := range b.used {
			was := b.schema.Field(i)
			same = same && was.Name == f.path && arrow.TypeEqual(was.Type, columns[i].DataType())
		}
		if same {
			return b.schema
		}
	}
	fields := make([]arrow.Field, len(columns))
	for i, f := range b.used {
		fields[i] = arrow.Field{Name: f.path, Type: columns[i].DataType(), Nullable: true}
		if f.pinned == Auto {
			fields[i].Metadata = inferred
		}
	}
	b.schema = arrow.NewSchema(fields, nil)
	return b.schema
}

func recordOf(s *arrow.Schema, columns []arrow.Array, rows int) arrow.Record {
	return array.NewRecord(s, columns, int64(rows))
}
