package bridge_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	old "github.com/apache/arrow/go/v15/arrow"
	oldarray "github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/decimal256"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"pgregory.net/rapid"

	"github.com/apache/arrow-go/v18/arrow"

	"unfold/ingest/bridge"
)

// plain are types without child types; a type with parameters is listed with some of their values.
var plain = []old.DataType{
	old.Null, old.FixedWidthTypes.Boolean,
	old.PrimitiveTypes.Int8, old.PrimitiveTypes.Int16, old.PrimitiveTypes.Int32, old.PrimitiveTypes.Int64,
	old.PrimitiveTypes.Uint8, old.PrimitiveTypes.Uint16, old.PrimitiveTypes.Uint32, old.PrimitiveTypes.Uint64,
	old.FixedWidthTypes.Float16, old.PrimitiveTypes.Float32, old.PrimitiveTypes.Float64,
	old.BinaryTypes.String, old.BinaryTypes.Binary, old.BinaryTypes.LargeString, old.BinaryTypes.LargeBinary,
	&old.FixedSizeBinaryType{ByteWidth: 5},
	old.FixedWidthTypes.Date32, old.FixedWidthTypes.Date64, old.FixedWidthTypes.Time32s, old.FixedWidthTypes.Time32ms,
	old.FixedWidthTypes.Time64us, old.FixedWidthTypes.Time64ns, old.FixedWidthTypes.Duration_s, old.FixedWidthTypes.Duration_ns,
	old.FixedWidthTypes.Timestamp_s, &old.TimestampType{Unit: old.Microsecond}, &old.TimestampType{Unit: old.Nanosecond, TimeZone: "Europe/Berlin"},
	old.FixedWidthTypes.MonthInterval, old.FixedWidthTypes.DayTimeInterval, old.FixedWidthTypes.MonthDayNanoInterval,
	&old.Decimal128Type{Precision: 20, Scale: 3}, &old.Decimal256Type{Precision: 60, Scale: 7},
}

// drawType draws a type with parts inside parts.
func drawType(t *rapid.T, depth int) old.DataType {
	kinds := 8
	if depth == 0 {
		kinds = 2
	}
	field := func(name string) old.Field {
		return old.Field{Name: name, Type: drawType(t, depth-1), Nullable: true}
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 2:
		return old.ListOfField(field("item"))
	case 3:
		return old.LargeListOfField(field("item"))
	case 4:
		return old.FixedSizeListOfField(int32(rapid.IntRange(1, 3).Draw(t, "length")), field("item"))
	case 5:
		return old.StructOf(field("a"), field("b"))
	case 6:
		return old.MapOf(old.BinaryTypes.String, drawType(t, depth-1))
	case 7:
		return &old.DictionaryType{IndexType: old.PrimitiveTypes.Int16, ValueType: rapid.SampledFrom([]old.DataType{
			old.BinaryTypes.String, old.PrimitiveTypes.Int64, old.PrimitiveTypes.Float64}).Draw(t, "value")}
	}
	return rapid.SampledFrom(plain).Draw(t, "type")
}

// fill appends a value, or null.
func fill(b oldarray.Builder, rng *rand.Rand) {
	if rng.IntN(4) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *oldarray.ListBuilder:
		b.Append(true)
		fillAll(b.ValueBuilder(), rng, rng.IntN(3))
	case *oldarray.LargeListBuilder:
		b.Append(true)
		fillAll(b.ValueBuilder(), rng, rng.IntN(3))
	case *oldarray.FixedSizeListBuilder:
		b.Append(true)
		fillAll(b.ValueBuilder(), rng, int(b.Type().(*old.FixedSizeListType).Len()))
	case *oldarray.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			fill(b.FieldBuilder(i), rng)
		}
	case *oldarray.MapBuilder:
		b.Append(true)
		b.KeyBuilder().(*oldarray.StringBuilder).Append("k")
		fill(b.ItemBuilder(), rng)
	case *oldarray.NullBuilder:
		b.AppendNull()
	case *oldarray.Float16Builder:
		b.Append(float16.New(float32(rng.IntN(100)) / 4))
	case *oldarray.Decimal128Builder:
		b.Append(decimal128.FromI64(rng.Int64() - 1<<62))
	case *oldarray.Decimal256Builder:
		b.Append(decimal256.FromI64(rng.Int64() - 1<<62))
	case *oldarray.FixedSizeBinaryBuilder:
		b.Append([]byte("12345"))
	case *oldarray.MonthDayNanoIntervalBuilder:
		b.Append(old.MonthDayNanoInterval{Months: 1, Days: 2, Nanoseconds: rng.Int64()})
	case *oldarray.DayTimeIntervalBuilder:
		b.Append(old.DayTimeInterval{Days: 3, Milliseconds: rng.Int32()})
	case *oldarray.MonthIntervalBuilder:
		b.Append(old.MonthInterval(rng.Int32()))
	case *oldarray.BinaryBuilder:
		b.Append([]byte{byte('a' + rng.IntN(20)), byte('a' + rng.IntN(20))})
	case *oldarray.BooleanBuilder:
		b.Append(rng.IntN(2) == 0)
	case *oldarray.StringBuilder:
		b.Append(string(rune('a' + rng.IntN(20))))
	case *oldarray.LargeStringBuilder:
		b.Append(string(rune('a' + rng.IntN(20))))
	case *oldarray.BinaryDictionaryBuilder:
		if err := b.AppendString(string(rune('a' + rng.IntN(5)))); err != nil {
			panic(err)
		}
	default:
		if err := b.AppendValueFromString([]string{"1", "7", "100"}[rng.IntN(3)]); err != nil {
			b.AppendEmptyValue()
		}
	}
}

func fillAll(b oldarray.Builder, rng *rand.Rand, n int) {
	for range n {
		fill(b, rng)
	}
}

// An array of any type keeps its type, values, nulls and memory on the way there and back, even if
// it is a slice of another array.
func TestThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dt := drawType(t, 2)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		b := oldarray.NewBuilder(memory.NewGoAllocator(), dt)
		n := rapid.IntRange(0, 9).Draw(t, "rows")
		fillAll(b, rng, n)
		a := b.NewArray()
		from := rapid.IntRange(0, n).Draw(t, "from")
		a = oldarray.NewSlice(a, int64(from), int64(rapid.IntRange(from, n).Draw(t, "to")))

		there, err := bridge.New(a)
		if err != nil {
			t.Fatalf("%s: %v", dt, err)
		}
		if there.Len() != a.Len() || there.NullN() != a.NullN() {
			t.Fatalf("%s: %d rows, %d null, of type %s; want %d, %d", dt, there.Len(), there.NullN(), there.DataType(), a.Len(), a.NullN())
		}
		for i := range a.Len() {
			if there.IsNull(i) != a.IsNull(i) {
				t.Fatalf("%s: row %d is null: %v, was %v", dt, i, there.IsNull(i), a.IsNull(i))
			}
		}
		shared(t, a.Data(), there.Data())
		same, err := bridge.OldType(there.DataType())
		if err != nil {
			t.Fatalf("%s: %v", dt, err)
		}
		back := bridge.Retyped(there, same)
		lookUpZones(dt)
		lookUpZones(same)
		if !old.TypeEqual(back.DataType(), dt) || !oldarray.Equal(back, a) {
			t.Fatalf("%s: %s came back as %s: %s", dt, a, back.DataType(), back)
		}
	})
}

// lookUpZones has the time zones in a type looked up: the library keeps them in the type, and compares them.
func lookUpZones(dt old.DataType) {
	switch dt := dt.(type) {
	case *old.TimestampType:
		_, _ = dt.GetZone() // a zone that does not exist is kept as none
	case *old.DictionaryType:
		lookUpZones(dt.ValueType)
	case old.NestedType:
		for _, f := range dt.Fields() {
			lookUpZones(f.Type)
		}
	}
}

// shared wants the buffers of two arrays to be the same memory.
func shared(t *rapid.T, a old.ArrayData, b arrow.ArrayData) {
	for i, buffer := range a.Buffers() {
		other := b.Buffers()[i]
		if (buffer == nil) != (other == nil) || buffer != nil && unsafe.SliceData(buffer.Bytes()) != unsafe.SliceData(other.Bytes()) {
			t.Fatalf("%s: buffer %d is not shared", a.DataType(), i)
		}
	}
	for i, child := range a.Children() {
		shared(t, child, b.Children()[i])
	}
}

// Types that tables have no use for are refused in words.
func TestUnknownTypes(t *testing.T) {
	union := old.SparseUnionOf([]old.Field{{Name: "a", Type: old.PrimitiveTypes.Int8}}, []old.UnionTypeCode{0})
	if dt, err := bridge.NewType(old.ListOf(union)); err == nil {
		t.Errorf("a union became %s", dt)
	}
	if dt, err := bridge.OldType(arrow.ListOf(arrow.BinaryTypes.StringView)); err == nil {
		t.Errorf("a view became %s", dt)
	}
}

func TestTake(t *testing.T) {
	mem := memory.NewGoAllocator()
	b := oldarray.NewStringBuilder(mem)
	b.AppendValues([]string{"a", "b", "c"}, []bool{true, false, true})
	at := oldarray.NewInt64Builder(mem)
	at.AppendValues([]int64{2, 0, 1, 2, 9}, []bool{true, true, true, true, false})
	got, err := bridge.Take(b.NewArray(), at.NewInt64Array())
	if err != nil || got.String() != `["c" "a" (null) "c" (null)]` {
		t.Errorf("%s, error %v", got, err)
	}
}

func TestCast(t *testing.T) {
	b := oldarray.NewTimestampBuilder(memory.NewGoAllocator(), &old.TimestampType{Unit: old.Second})
	b.AppendValues([]old.Timestamp{1, 0}, []bool{true, false})
	ms := &old.TimestampType{Unit: old.Millisecond}
	got, err := bridge.Cast(b.NewArray(), ms)
	if err != nil || got.(*oldarray.Timestamp).Value(0) != 1000 || !got.IsNull(1) {
		t.Errorf("%s, error %v", got, err)
	}
	b.Append(old.Timestamp(1) << 60)
	if got, err := bridge.Cast(b.NewArray(), ms); err == nil {
		t.Errorf("what does not fit became %s", got)
	}
}
