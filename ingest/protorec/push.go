package protorec

import (
	"math"
	"strconv"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/protobuf/reflect/protoreflect"

	"unfold/ingest/record"
)

const floatKind = protoreflect.FloatKind

// listFloats adds float32 values to a list. A single packed run, which is the usual encoding, is
// used in place without a copy.
func (w *worker) listFloats(s *slot, bits uint64, data []byte, packed bool) bool {
	if packed && s.data == nil && len(s.floats) == 0 {
		s.data = data
		return true
	}
	before := len(s.floats)
	s.floats = appendFloats(s.floats, s.data)
	s.data = nil
	if packed {
		s.floats = appendFloats(s.floats, data)
	} else {
		s.floats = append(s.floats, math.Float32frombits(uint32(bits)))
	}
	return w.charge(4 * (len(s.floats) - before))
}

// appendFloats appends the little-endian float32 values in data.
func appendFloats(to []float32, data []byte) []float32 {
	n := len(to)
	to = append(to, make([]float32, len(data)/4)...)
	copy(arrow.Float32Traits.CastToBytes(to[n:]), data)
	return to
}

// push passes the values of a message to the builder.
func (w *worker) push(p *plan) {
	for _, s := range p.fields {
		switch {
		case s.seq == p.seq:
			w.pushOne(s)
		case s.absent:
			w.scalar(s.node, s.kind, s, s.defBits, s.defData)
		case s.op != opMessage && s.op != opMap && s.op != opMark:
			w.b.Null(s.node)
		}
	}
}

// pushOne passes the value of a field that occurred to the builder.
func (w *worker) pushOne(s *slot) {
	switch s.op {
	case opScalar:
		w.scalar(s.node, s.kind, s, s.bits, s.data)
	case opList:
		w.pushList(s)
	case opTexts:
		w.pushTexts(s)
	case opMessage:
		w.push(s.below)
	case opMap:
		for _, e := range s.entries.list {
			w.scalar(e.node, mapValue(s.desc.Message()).Kind(), s.entries.value, e.bits, e.data)
		}
	case opTime:
		w.time(s)
	case opDuration:
		seconds, nanos := s.below.int(1), s.below.int(2)
		w.b.Float(s.node, float64(seconds)+float64(nanos)/1e9)
	case opWrapper:
		one := s.below.find(1)
		bits, data := s.below.bits(1)
		w.scalar(s.node, one.kind, s, bits, data)
	case opDecimal:
		_, unscaled := s.below.bits(1)
		w.b.Decimal(s.node, unscaled, s.below.int(3))
	case opSparse:
		w.sparse(s)
	case opStruct:
		w.pushStruct(s.node, s.data, 1)
	case opValue:
		w.pushValue(s.node, s.data, 1)
	case opListValue:
		w.pushListValue(s.node, s.data)
	}
}

// bits returns the value of a field of a well-known message, zero if it is missing.
func (p *plan) bits(n protoreflect.FieldNumber) (uint64, []byte) {
	if s := p.find(n); s != nil && s.seq == p.seq {
		return s.bits, s.data
	}
	return 0, nil
}

func (p *plan) int(n protoreflect.FieldNumber) int64 {
	bits, _ := p.bits(n)
	v, _ := integerOf(p.find(n).kind, bits)
	return v
}

// scalar passes a value of a scalar kind to the builder. The slot s gives the column's type.
func (w *worker) scalar(n *record.Node, k protoreflect.Kind, s *slot, bits uint64, data []byte) {
	switch k {
	case protoreflect.BoolKind:
		w.b.Bool(n, bits != 0)
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		w.b.Float(n, numberOf(k, bits))
	case protoreflect.StringKind:
		w.b.Text(n, data)
	case protoreflect.BytesKind:
		w.b.Bytes(n, data)
	case protoreflect.EnumKind:
		w.enum(n, s, int32(bits))
	default:
		v, big := integerOf(k, bits)
		switch {
		case !big:
			w.b.Int(n, v)
		default:
			w.b.Uint(n, uint64(v))
		}
	}
}

// enum passes the name of an enum number to the builder.
func (w *worker) enum(n *record.Node, s *slot, v int32) {
	if s.number() {
		w.b.Int(n, int64(v))
		return
	}
	e := s.enumOf.ByNumber(protoreflect.EnumNumber(v))
	if e == nil {
		w.text = strconv.AppendInt(w.text[:0], int64(v), 10)
	} else {
		w.text = append(w.text[:0], e.Name()...)
	}
	w.b.Text(n, w.text)
}

func (w *worker) pushList(s *slot) {
	switch {
	case len(s.data) > 0 && s.pinned == record.Vector:
		w.b.Bytes(s.node, s.data) // packed float32 are just that
	case len(s.data) > 0:
		s.floats = appendFloats(s.floats, s.data)
		w.b.Vector32(s.node, s.floats)
	case len(s.floats) > 0:
		w.b.Vector32(s.node, s.floats)
	case len(s.numbers) > 0:
		w.b.Vector64(s.node, s.numbers)
	default:
		w.b.Null(s.node)
	}
}

// farthest bounds the magnitude of times, in seconds since 1970. Timestamps have a narrower bound,
// the year 9999.
const farthest = 1 << 42

func (w *worker) time(s *slot) {
	seconds, nanos := s.below.int(1), s.below.int(2)
	if seconds > farthest || seconds < -farthest {
		w.b.Refuse(s.node, "the time %d s is too far away", seconds)
		return
	}
	micros := nanos / 1000
	if nanos%1000 < 0 {
		micros--
	}
	w.b.Time(s.node, seconds*1e6+micros, record.Micros)
}
