package ingesttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/float16"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Stream is a sample: a complete Arrow IPC stream.
type Stream struct {
	Name  string
	Bytes []byte
	Rows  int
}

// Types are the types of columns, including nested ones.
var Types = []arrow.DataType{
	arrow.Null, arrow.FixedWidthTypes.Boolean,
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
	arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary,
	&arrow.FixedSizeBinaryType{ByteWidth: 5}, &arrow.Decimal128Type{Precision: 20, Scale: 3},
	arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32ms, arrow.FixedWidthTypes.Time64ns,
	arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Duration_ms,
	arrow.ListOf(arrow.PrimitiveTypes.Float64), arrow.LargeListOf(arrow.PrimitiveTypes.Int16),
	arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32), arrow.ListOf(arrow.BinaryTypes.String),
	arrow.ListOf(arrow.ListOf(arrow.PrimitiveTypes.Uint8)),
	arrow.StructOf(arrow.Field{Name: "a", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, arrow.Field{Name: "b", Type: arrow.BinaryTypes.String, Nullable: true}),
	arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64),
	arrow.ListViewOf(arrow.PrimitiveTypes.Int32), arrow.LargeListViewOf(arrow.BinaryTypes.String),
	arrow.FixedWidthTypes.MonthDayNanoInterval,
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String},
	&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.PrimitiveTypes.Float64},
}

// Encodings are types that a message may have, but that decoding replaces by others. No Column has
// them.
var Encodings = []arrow.DataType{
	arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView, arrow.ListOf(arrow.BinaryTypes.StringView),
	arrow.StructOf(arrow.Field{Name: "a", Type: arrow.BinaryTypes.StringView, Nullable: true}),
	arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String),
	arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.FixedWidthTypes.Boolean),
	arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64),
}

// Streams returns valid streams: every type alone and all together, without, with some and with
// many rows, in one batch and several, plain and compressed.
func Streams() []Stream {
	var out []Stream
	var all []arrow.Field
	for i, dt := range slices.Concat(Encodings, Types) {
		f := arrow.Field{Name: fmt.Sprintf("c%d", i), Type: dt, Nullable: true}
		all = append(all, f)
		out = append(out, stream(dt.String(), []arrow.Field{f}, uint64(i), []int{7}))
	}
	out = append(out,
		stream("all types", all, 100, []int{9}),
		stream("all types, no rows", all, 101, []int{0}),
		stream("no batch", all, 102, nil),
		stream("three batches", all[:len(all)-2], 103, []int{3, 0, 70}),
		stream("changing dictionaries", all[len(all)-2:], 104, []int{5, 30}),
		stream("all types, lz4", all, 105, []int{200}, ipc.WithLZ4()),
		stream("all types, zstd", all, 106, []int{200}, ipc.WithZstd()),
	)
	return out
}

func stream(name string, fields []arrow.Field, seed uint64, rows []int, opts ...ipc.Option) Stream {
	md := arrow.NewMetadata([]string{"made"}, []string{"here"})
	schema := arrow.NewSchema(fields, &md)
	rng := rand.New(rand.NewPCG(seed, 1))
	var records []arrow.Record
	total := 0
	for _, n := range rows {
		rb := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
		for _, c := range rb.Fields() {
			for range n {
				Append(c, rng, true)
			}
		}
		records = append(records, rb.NewRecord())
		total += n
	}
	return Stream{name, Encode(schema, records, append(opts, ipc.WithDictionaryDeltas(true))...), total}
}

// Append adds a random value to a builder of any of Types, sometimes a null if nulls is set.
func Append(b array.Builder, rng *rand.Rand, nulls bool) {
	if nulls && rng.IntN(6) == 0 {
		b.AppendNull()
		return
	}
	word := func() string { return fmt.Sprintf("w%d", rng.IntN(40)) }
	switch b := b.(type) {
	case *array.NullBuilder:
		b.AppendNull()
	case *array.BooleanBuilder:
		b.Append(rng.IntN(2) == 0)
	case *array.Int8Builder:
		b.Append(int8(rng.Int()))
	case *array.Int16Builder:
		b.Append(int16(rng.Int()))
	case *array.Int32Builder:
		b.Append(int32(rng.Int()))
	case *array.Int64Builder:
		b.Append(rng.Int64() - rng.Int64())
	case *array.Uint8Builder:
		b.Append(uint8(rng.Int()))
	case *array.Uint16Builder:
		b.Append(uint16(rng.Int()))
	case *array.Uint32Builder:
		b.Append(rng.Uint32())
	case *array.Uint64Builder:
		b.Append(rng.Uint64())
	case *array.Float16Builder:
		b.Append(float16.New(rng.Float32()))
	case *array.Float32Builder:
		b.Append(float32(rng.NormFloat64()))
	case *array.Float64Builder:
		b.Append(rng.NormFloat64())
	case *array.StringBuilder:
		b.Append(word())
	case *array.LargeStringBuilder:
		b.Append(word())
	case *array.BinaryBuilder:
		b.Append([]byte(word()))
	case *array.StringViewBuilder:
		b.Append(strings.Repeat(word(), rng.IntN(9)))
	case *array.BinaryViewBuilder:
		b.Append([]byte(strings.Repeat(word(), rng.IntN(9))))
	case *array.RunEndEncodedBuilder:
		if b.Len() > 0 && rng.IntN(3) > 0 {
			b.ContinueRun(1)
			return
		}
		b.Append(1)
		Append(b.ValueBuilder(), rng, nulls)
	case *array.MonthDayNanoIntervalBuilder:
		b.Append(arrow.MonthDayNanoInterval{Months: rng.Int32(), Days: rng.Int32(), Nanoseconds: rng.Int64()})
	case *array.ListViewBuilder:
		n := rng.IntN(4)
		b.AppendWithSize(true, n)
		for range n {
			Append(b.ValueBuilder(), rng, false)
		}
	case *array.LargeListViewBuilder:
		n := rng.IntN(4)
		b.AppendWithSize(true, n)
		for range n {
			Append(b.ValueBuilder(), rng, false)
		}
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(fmt.Sprintf("%05d", rng.IntN(100000))))
	case *array.Decimal128Builder:
		b.Append(decimal128.FromI64(rng.Int64()))
	case *array.Date32Builder:
		b.Append(arrow.Date32(rng.IntN(20000)))
	case *array.Date64Builder:
		b.Append(arrow.Date64(86400000 * int64(rng.IntN(20000))))
	case *array.Time32Builder:
		b.Append(arrow.Time32(rng.IntN(86400000)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(rng.Int64N(86400e9)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(rng.Int64N(1 << 50)))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(rng.Int64N(1 << 40)))
	case *array.ListBuilder:
		appendList(b, rng)
	case *array.LargeListBuilder:
		appendList(b, rng)
	case *array.FixedSizeListBuilder:
		b.Append(true)
		for range 3 {
			Append(b.ValueBuilder(), rng, false)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			Append(b.FieldBuilder(i), rng, nulls)
		}
	case *array.MapBuilder:
		b.Append(true)
		for range rng.IntN(3) {
			Append(b.KeyBuilder(), rng, false)
			Append(b.ItemBuilder(), rng, nulls)
		}
	case *array.BinaryDictionaryBuilder:
		must(b.AppendString(word()))
	case *array.Float64DictionaryBuilder:
		must(b.Append(float64(rng.IntN(30)) / 4))
	default:
		panic(fmt.Sprintf("ingesttest: no values for %T", b))
	}
}

func appendList(b interface {
	Append(bool)
	ValueBuilder() array.Builder
}, rng *rand.Rand) {
	b.Append(true)
	for range rng.IntN(4) {
		Append(b.ValueBuilder(), rng, false)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// Mutate returns a damaged copy of b: a few bytes or words are changed, a piece is removed or
// repeated, or the end is cut off.
func Mutate(b []byte, rng *rand.Rand) []byte {
	out := append([]byte(nil), b...)
	for range 1 + rng.IntN(4) {
		if len(out) < 16 {
			return out
		}
		at := rng.IntN(len(out) - 8)
		// Most of a stream's structure is in its first part.
		if rng.IntN(2) == 0 {
			at = rng.IntN(min(len(out)-8, 512))
		}
		switch rng.IntN(8) {
		case 0:
			out[at] ^= 1 << rng.IntN(8)
		case 1:
			out[at] = byte(rng.Int())
		case 2: // an extreme number of 1, 2, 4 or 8 bytes
			v := []byte{0x00, 0x7f, 0x80, 0xff}[rng.IntN(4)]
			for k := range 1 << rng.IntN(4) {
				out[at+k] = v
			}
		case 3: // a small number nearby
			out[at] += byte(rng.IntN(9)) - 4
		case 4: // an offset copied from elsewhere
			copy(out[at:at+4], out[rng.IntN(len(out)-4):])
		case 5:
			out = append(out[:at], out[at+rng.IntN(min(64, len(out)-at)):]...)
		case 6:
			n := rng.IntN(min(64, len(out)-at))
			out = append(out[:at+n], append(append([]byte(nil), out[at:at+n]...), out[at+n:]...)...)
		case 7:
			if rng.IntN(4) == 0 {
				out = out[:at]
			}
		}
	}
	return out
}
