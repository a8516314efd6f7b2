package emit

import (
	"math"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"google.golang.org/protobuf/encoding/protowire"

	"unfold/ingest/table"
)

// protoField is the field of a passed-through column.
type protoField struct {
	number protowire.Number
	name   string // in Protobuf
	column string
	of     protoType
}

// append adds the only value of an array. For null the field is left out.
func (f *protoField) append(to []byte, a arrow.Array) []byte {
	a, i := plainValue(a, 0)
	if a.IsNull(i) || a.DataType().ID() == arrow.NULL {
		return to
	}
	n := f.number
	switch f.of {
	case protoInteger, protoUnsigned:
		to = protowire.AppendTag(to, n, protowire.VarintType)
		return protowire.AppendVarint(to, uint64(integerAt(a, i)))
	case protoFloat:
		to = protowire.AppendTag(to, n, protowire.Fixed32Type)
		return protowire.AppendFixed32(to, math.Float32bits(float32At(a, i)))
	case protoDouble:
		to = protowire.AppendTag(to, n, protowire.Fixed64Type)
		return protowire.AppendFixed64(to, math.Float64bits(a.(*array.Float64).Value(i)))
	case protoBool:
		to = protowire.AppendTag(to, n, protowire.VarintType)
		return protowire.AppendVarint(to, protowire.EncodeBool(a.(*array.Boolean).Value(i)))
	}
	to = protowire.AppendTag(to, n, protowire.BytesType)
	switch f.of {
	case protoBytes:
		return protowire.AppendBytes(to, bytesAt(a, i))
	case protoTime:
		return protowire.AppendBytes(to, timestamp(a.(*array.Timestamp), i))
	case protoFloats, protoDoubles:
		return protowire.AppendBytes(to, packed(a.(array.ListLike), i, f.of))
	case protoAny:
		return protowire.AppendBytes(to, anyValue(a, i))
	}
	return protowire.AppendString(to, textAt(a, i))
}

// plainValue resolves dictionaries and extensions.
func plainValue(a arrow.Array, i int) (arrow.Array, int) {
	for {
		switch in := a.(type) {
		case *array.Dictionary:
			if in.IsNull(i) {
				return a, i
			}
			a, i = in.Dictionary(), in.GetValueIndex(i)
		case array.ExtensionArray:
			a = in.Storage()
		default:
			return a, i
		}
	}
}

func bytesAt(a arrow.Array, i int) []byte {
	switch a := a.(type) {
	case *array.Binary:
		return a.Value(i)
	case *array.LargeBinary:
		return a.Value(i)
	case *array.FixedSizeBinary:
		return a.Value(i)
	}
	return nil
}

// textAt returns a value as text in valid UTF-8.
func textAt(a arrow.Array, i int) string {
	if s, ok := a.(*array.String); ok {
		return readable(s.Value(i))
	}
	return readable(table.NewColumn("", a).Text(i))
}

// timestamp returns a time as google.protobuf.Timestamp. A time without a zone is taken as UTC.
func timestamp(a *array.Timestamp, i int) []byte {
	units := int64(time.Second / a.DataType().(*arrow.TimestampType).Unit.Multiplier())
	seconds, rest := int64(a.Value(i))/units, int64(a.Value(i))%units
	if rest < 0 {
		seconds, rest = seconds-1, rest+units
	}
	to := protowire.AppendTag(nil, 1, protowire.VarintType)
	to = protowire.AppendVarint(to, uint64(seconds))
	to = protowire.AppendTag(to, 2, protowire.VarintType)
	return protowire.AppendVarint(to, uint64(rest*(1e9/units)))
}

// packed returns the numbers of a list in packed encoding, with NaN for nulls.
func packed(a array.ListLike, i int, of protoType) (to []byte) {
	listed(a, i, func(v float64) {
		if of == protoFloats {
			to = protowire.AppendFixed32(to, math.Float32bits(float32(v)))
		} else {
			to = protowire.AppendFixed64(to, math.Float64bits(v))
		}
	})
	return to
}

// listed calls f with each number of a list.
func listed(a array.ListLike, i int, f func(float64)) {
	from, end := a.ValueOffsets(i)
	values := a.ListValues()
	get := table.NumberGetter(values)
	for k := int(from); k < int(end); k++ {
		if values.IsNull(k) {
			f(math.NaN())
		} else {
			f(get(k))
		}
	}
}

// Fields of google.protobuf.Value.
const (
	anyNumber = 2
	anyText   = 3
	anyBool   = 4
	anyList   = 6
)

// anyValue returns a value as google.protobuf.Value. Integers that float64 cannot represent exactly
// become text, as in Protobuf's JSON form.
func anyValue(a arrow.Array, i int) []byte {
	switch dt := a.DataType(); {
	case dt.ID() == arrow.BOOL:
		to := protowire.AppendTag(nil, anyBool, protowire.VarintType)
		return protowire.AppendVarint(to, protowire.EncodeBool(a.(*array.Boolean).Value(i)))
	case table.KindOf(dt) == table.Number:
		v := table.NumberGetter(a)(i)
		if !arrow.IsInteger(dt.ID()) || math.Abs(v) < table.ExactFloat {
			return anyOfNumber(v)
		}
	case table.KindOf(dt) == table.Vector:
		var items []byte
		listed(a.(array.ListLike), i, func(v float64) {
			items = protowire.AppendTag(items, 1, protowire.BytesType)
			items = protowire.AppendBytes(items, anyOfNumber(v))
		})
		return protowire.AppendBytes(protowire.AppendTag(nil, anyList, protowire.BytesType), items)
	}
	return protowire.AppendString(protowire.AppendTag(nil, anyText, protowire.BytesType), textAt(a, i))
}

func anyOfNumber(v float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, anyNumber, protowire.Fixed64Type), math.Float64bits(v))
}
