package emit

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/table"
)

// avroType is the encoding of a column's values, each after the branch index of a union whose first
// branch is null.
type avroType struct {
	schema any
	write  func(to []byte, a arrow.Array, i int) ([]byte, error)
}

func appendLong(to []byte, v int64) []byte { return binary.AppendVarint(to, v) }

func appendAvroFloat(to []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(to, math.Float32bits(v))
}

func appendAvroDouble(to []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
}

func appendAvroText(to []byte, v string) []byte {
	v = strings.ToValidUTF8(v, "\ufffd")
	return append(appendLong(to, int64(len(v))), v...)
}

func appendAvroBool(to []byte, v bool) []byte {
	if v {
		return append(to, 1)
	}
	return append(to, 0)
}

// branch is the encoded index of the union's branch after null.
const branch = 2 // 1, as an integer is written

// avroTypeOf returns the nullable type of a column whose type is not inferred.
func avroTypeOf(f arrow.Field) avroType {
	t := plainAvroType(f.Type)
	return avroType{[]any{"null", t.schema}, func(to []byte, a arrow.Array, i int) ([]byte, error) { return t.write(append(to, branch), a, i) }}
}

// logical returns a logical type of Avro.
func logical(of, name string) any { return map[string]any{"type": of, "logicalType": name} }

// plainAvroType returns the type of values that are not null.
func plainAvroType(t arrow.DataType) avroType {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		values := plainAvroType(t.ValueType)
		return avroType{values.schema, func(to []byte, a arrow.Array, i int) ([]byte, error) {
			d := a.(*array.Dictionary)
			return values.write(to, d.Dictionary(), d.GetValueIndex(i))
		}}
	case *arrow.TimestampType:
		return timeAvroType(t)
	case *arrow.MapType:
	case arrow.ListLikeType:
		if items := numberAvroType(t.Elem()); items != nil {
			return listAvroType(*items)
		}
	}
	if n := numberAvroType(t); n != nil {
		return *n
	}
	switch t.ID() {
	case arrow.BOOL:
		return avroType{"boolean", func(to []byte, a arrow.Array, i int) ([]byte, error) {
			return appendAvroBool(to, a.(*array.Boolean).Value(i)), nil
		}}
	case arrow.BINARY:
		return avroType{"bytes", func(to []byte, a arrow.Array, i int) ([]byte, error) {
			v := a.(*array.Binary).Value(i)
			return append(appendLong(to, int64(len(v))), v...), nil
		}}
	case arrow.DATE32:
		return avroType{logical("int", "date"), func(to []byte, a arrow.Array, i int) ([]byte, error) {
			return appendLong(to, int64(a.(*array.Date32).Value(i))), nil
		}}
	}
	return avroType{"string", func(to []byte, a arrow.Array, i int) ([]byte, error) {
		return appendAvroText(to, table.NewColumn("", a).Text(i)), nil
	}}
}

// numberAvroType returns the type of numbers, or nil for other values. uint64 has no equivalent in
// Avro, and is written as text.
func numberAvroType(t arrow.DataType) *avroType {
	switch t.ID() {
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.UINT8, arrow.UINT16:
		return &avroType{"int", appendInteger}
	case arrow.INT64, arrow.UINT32:
		return &avroType{"long", appendInteger}
	case arrow.FLOAT16, arrow.FLOAT32:
		return &avroType{"float", func(to []byte, a arrow.Array, i int) ([]byte, error) {
			return appendAvroFloat(to, float32At(a, i)), nil
		}}
	case arrow.FLOAT64:
		return &avroType{"double", func(to []byte, a arrow.Array, i int) ([]byte, error) {
			return appendAvroDouble(to, a.(*array.Float64).Value(i)), nil
		}}
	}
	return nil
}

func appendInteger(to []byte, a arrow.Array, i int) ([]byte, error) {
	return appendLong(to, integerAt(a, i)), nil
}

// timeAvroType returns the type of instants or, without a time zone, of local times.
func timeAvroType(t *arrow.TimestampType) avroType {
	names := map[arrow.TimeUnit]string{arrow.Second: "timestamp-millis", arrow.Millisecond: "timestamp-millis",
		arrow.Microsecond: "timestamp-micros", arrow.Nanosecond: "timestamp-nanos"}
	name, scale := names[t.Unit], int64(1)
	if t.TimeZone == "" {
		name = "local-" + name
	}
	if t.Unit == arrow.Second {
		scale = 1000
	}
	return avroType{logical("long", name), func(to []byte, a arrow.Array, i int) ([]byte, error) {
		v := int64(a.(*array.Timestamp).Value(i))
		if v*scale/scale != v {
			return nil, fmt.Errorf("the time %d does not fit", v)
		}
		return appendLong(to, v*scale), nil
	}}
}

// listAvroType returns the type of lists of numbers. A missing element is NaN in lists of floats
// and null in lists of integers.
func listAvroType(items avroType) avroType {
	null := map[any][]byte{"float": appendAvroFloat(nil, float32(math.NaN())), "double": appendAvroDouble(nil, math.NaN())}[items.schema]
	union := null == nil
	schema := items.schema
	if union {
		schema, null = []any{"null", items.schema}, []byte{0}
	}
	return avroType{map[string]any{"type": "array", "items": schema}, func(to []byte, a arrow.Array, i int) (_ []byte, err error) {
		list := a.(array.ListLike)
		from, end := list.ValueOffsets(i)
		values := list.ListValues()
		if end > from {
			to = appendLong(to, end-from)
		}
		for k := from; k < end; k++ {
			if values.IsNull(int(k)) {
				to = append(to, null...)
				continue
			}
			if union {
				to = append(to, branch)
			}
			if to, err = items.write(to, values, int(k)); err != nil {
				return nil, err
			}
		}
		return append(to, 0), nil
	}}
}

// appendInferred writes a value of the union ["null","boolean","double","string"]. Integers that
// float64 cannot represent exactly, and all other types, are written as text.
func appendInferred(to []byte, a arrow.Array, i int) ([]byte, error) {
	const boolean, double, text = 2, 4, 6
	switch a := a.(type) {
	case *array.Boolean:
		return appendAvroBool(append(to, boolean), a.Value(i)), nil
	case *array.Float64:
		return appendAvroDouble(append(to, double), a.Value(i)), nil
	case *array.Int64:
		if v := a.Value(i); v >= -table.ExactFloat && v <= table.ExactFloat {
			return appendAvroDouble(append(to, double), float64(v)), nil
		}
	}
	return appendAvroText(append(to, text), table.NewColumn("", a).Text(i)), nil
}
