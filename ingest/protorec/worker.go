package protorec

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// worker decodes one message at a time. Values are first stored in slots in the order of the
// message, so that the last value of a field counts, and are then passed to the builder in the
// order of the schema.
type worker struct {
	d    *Decoder
	b    *record.Builder
	root *plan
	at   *record.Node // that root was made for
	seq  uint64
	// spent is the memory used in addition to the message's bytes. problem is the reason why
	// scanning stopped.
	spent   int64
	slots   int // of all plans; their number grows with recursive messages
	problem string
	value   []byte
	text    []byte
	numbers []float64
}

// mostKept bounds the size of a message, and of the data made from it, for which a worker keeps its
// slots for reuse.
const mostKept = 1 << 20

func (w *worker) decode(value []byte, origin table.Origin) (out record.Decoded, err error) {
	if w.root == nil || w.at != w.b.Root() || w.slots > w.d.limits.Fields {
		w.at = w.b.Root()
		w.root, w.slots = w.d.rootPlan(w.at), 0
	}
	w.value, w.spent, w.problem = value, 0, ""
	w.root.seq = w.next()
	if !w.scan(w.root, value, 1) {
		return out, origin.Bad("%s", w.problem)
	}
	if w.d.envelope != nil {
		out, err = w.unwrap(origin)
	} else {
		w.push(w.root)
	}
	if err != nil || out.Truncated || out.Aside != "" {
		return out, err
	}
	if w.problem != "" {
		return out, origin.Bad("%s", w.problem)
	}
	w.b.EndRow()
	out.Deleted, out.Unchanged = out.Deleted || w.b.Deleted(), w.b.Unchanged()
	out.Table, err = w.b.Table(origin)
	return out, err
}

// reset drops the message.
func (w *worker) reset() {
	// After the builder has refused a message, names that came later have no nodes.
	bad := w.b.Bad()
	w.b.Reset()
	if bad || w.spent+int64(len(w.value)) > mostKept {
		w.root, w.text, w.numbers = nil, nil, nil
	}
	w.value = nil
}

// next returns a number that no earlier message had.
func (w *worker) next() uint64 {
	w.seq++
	return w.seq
}

// fail ends scanning.
func (w *worker) fail(format string, args ...any) bool {
	if w.problem == "" {
		w.problem = fmt.Sprintf(format, args...)
	}
	return false
}

// malformed fails with protowire's error for the bytes that begin at b.
func (w *worker) malformed(b []byte, n int) bool {
	return w.fail("at byte %d the bytes are no message of type %s: %v", cap(w.value)-cap(b), w.d.message.FullName(), protowire.ParseError(n))
}

// charge adds to the memory used, and fails above the limit.
func (w *worker) charge(bytes int) bool {
	if w.spent += int64(bytes); w.spent > w.d.limits.Memory {
		return w.fail("its values take more than %d bytes", w.d.limits.Memory)
	}
	return true
}

// scan stores a message's values in a plan's slots.
func (w *worker) scan(p *plan, b []byte, depth int) bool {
	if depth > w.d.limits.Depth {
		return w.fail("its messages nest more than %d deep", w.d.limits.Depth)
	}
	for len(b) > 0 {
		var num protowire.Number
		var typ protowire.Type
		var n int
		if b[0] < 0x80 && b[0] > 7 {
			num, typ, n = protowire.Number(b[0]>>3), protowire.Type(b[0]&7), 1
		} else if num, typ, n = protowire.ConsumeTag(b); n < 0 {
			return w.malformed(b, n)
		}
		b = b[n:]
		s := p.find(num)
		if s == nil {
			if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
				return w.malformed(b, n)
			}
		} else if n = w.field(p, s, num, typ, b, depth); n < 0 {
			return false
		}
		b = b[n:]
	}
	return true
}

// field consumes the value at the beginning of b. It returns its length, or -1 after an error.
func (w *worker) field(p *plan, s *slot, num protowire.Number, typ protowire.Type, b []byte, depth int) int {
	bits, data, n := consume(num, typ, b)
	if n < 0 {
		w.malformed(b, n)
		return -1
	}
	packed := (s.op == opList || s.op == opTexts) && s.wire != protowire.BytesType && typ == protowire.BytesType
	if typ != s.wire && !packed {
		return n // as a field that the schema does not know
	}
	if !w.keep(p, s, bits, data, packed, depth) {
		return -1
	}
	return n
}

// keep stores a value as the last one of its field.
func (w *worker) keep(p *plan, s *slot, bits uint64, data []byte, packed bool, depth int) bool {
	if o := s.oneof; o != nil && o.now != s {
		if o.now != nil {
			o.now.seq = 0
		}
		o.now = s
	}
	first := s.seq != p.seq
	s.seq = p.seq
	switch s.op {
	case opScalar:
		s.bits, s.data = bits, data
	case opList:
		if first {
			s.data, s.floats, s.numbers = nil, s.floats[:0], s.numbers[:0]
		}
		return w.list(s, bits, data, packed)
	case opTexts:
		if first {
			s.begin()
		}
		return w.item(s, bits, data, packed)
	case opMap:
		if first {
			s.begin()
		}
		return w.entry(s, data)
	case opStruct, opValue, opListValue:
		if first {
			s.data = data
			return true
		}
		// Concatenated encodings of a message are the encoding of the merged message.
		s.data = append(s.data[:len(s.data):len(s.data)], data...)
		return w.charge(len(s.data))
	case opMark:
	default:
		if s.below == nil && !w.grow(s) {
			return false
		}
		if first {
			s.below.seq = w.next()
		}
		if s.also != nil && !w.keep(p, s.also, bits, data, packed, depth) {
			return false
		}
		return w.scan(s.below, data, depth+1)
	}
	return true
}

// grow makes the plan of a nested message at its first occurrence.
func (w *worker) grow(s *slot) bool {
	s.below = s.planBelow()
	// The columns of one message are bounded by the limit on fields. The other slots were added by
	// earlier messages.
	if w.slots += 1 + len(s.below.fields); w.slots > 4*w.d.limits.Fields {
		return w.fail("the message has more than %d fields", w.d.limits.Fields)
	}
	return true
}

// planBelow returns the plan of a nested message: of its requested fields, or of all fields if the
// message stands for one value.
func (s *slot) planBelow() *plan {
	m := s.desc.Message()
	if s.op == opMessage {
		return planOf(m, s.node)
	}
	p := &plan{}
	for i := range m.Fields().Len() {
		d := m.Fields().Get(i)
		o, _ := opOf(d)
		if o != opScalar && o != opMap {
			continue
		}
		f := newSlot(o, d)
		f.defBits, f.defData = 0, nil
		p.add(f)
	}
	return p
}

// list adds a number, or those of a packed run, to a list.
func (w *worker) list(s *slot, bits uint64, data []byte, packed bool) bool {
	size := 0
	switch s.wire {
	case protowire.Fixed32Type:
		size = 4
	case protowire.Fixed64Type:
		size = 8
	}
	if packed && size > 0 && len(data)%size != 0 {
		return w.fail("field %s: %d bytes are no whole number of values of %d", s.desc.FullName(), len(data), size)
	}
	if s.kind == floatKind {
		return w.listFloats(s, bits, data, packed)
	}
	if !packed {
		s.numbers = append(s.numbers, numberOf(s.kind, bits))
		return w.charge(8)
	}
	for len(data) > 0 {
		var n int
		switch size {
		case 4:
			var v uint32
			v, n = protowire.ConsumeFixed32(data)
			bits = uint64(v)
		case 8:
			bits, n = protowire.ConsumeFixed64(data)
		default:
			if bits, n = protowire.ConsumeVarint(data); n < 0 {
				return w.malformed(data, n)
			}
		}
		s.numbers = append(s.numbers, numberOf(s.kind, bits))
		if !w.charge(8) {
			return false
		}
		data = data[n:]
	}
	return true
}
