package protorec

import (
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"unfold/ingest/record"
)

// entries holds the requested entries of a map, in the order in which their keys first occurred.
type entries struct {
	key   protoreflect.Kind
	value *slot // belongs to no field; gives the type of the values
	list  []entry
	at    map[*record.Node]int
}

// entry is one map entry, with the node of its column or a position of a sparse vector.
type entry struct {
	node *record.Node
	key  int64
	bits uint64
	data []byte
}

// entryBytes is the approximate memory of an entry.
const entryBytes = 64

// begin removes the entries of the previous message.
func (s *slot) begin() {
	s.entries.list = s.entries.list[:0]
	clear(s.entries.at)
}

// entry adds a map entry. If a key occurs more than once the last entry counts.
func (w *worker) entry(s *slot, b []byte) bool {
	es := s.entries
	var keyBits uint64
	var keyData []byte
	var e entry
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return w.malformed(b, n)
		}
		b = b[n:]
		bits, data, n := consume(num, typ, b)
		if n < 0 {
			return w.malformed(b, n)
		}
		b = b[n:]
		switch {
		case num == 1 && typ == wireOf(es.key):
			keyBits, keyData = bits, data
		case num == 2 && typ == es.value.wire:
			e.bits, e.data = bits, data
		}
	}
	if s.node == nil {
		e.key, _ = integerOf(es.key, keyBits)
		es.list = append(es.list, e)
		return w.charge(entryBytes)
	}
	return w.named(s, e, w.keyText(es.key, keyBits, keyData))
}

// consume returns the value at the beginning of b, and its length in bytes.
func consume(num protowire.Number, typ protowire.Type, b []byte) (bits uint64, data []byte, n int) {
	switch typ {
	case protowire.VarintType:
		bits, n = protowire.ConsumeVarint(b)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(b)
		bits = uint64(v)
	case protowire.Fixed64Type:
		bits, n = protowire.ConsumeFixed64(b)
	case protowire.BytesType:
		data, n = protowire.ConsumeBytes(b)
	case protowire.StartGroupType:
		data, n = protowire.ConsumeGroup(num, b)
	default:
		n = protowire.ConsumeFieldValue(num, typ, b) // gives the error as a negative length
	}
	return bits, data, n
}

// keyText returns a map key as an element of a path.
func (w *worker) keyText(k protoreflect.Kind, bits uint64, data []byte) []byte {
	if k == protoreflect.StringKind {
		return data
	}
	v, big := integerOf(k, bits)
	switch {
	case k == protoreflect.BoolKind:
		w.text = strconv.AppendBool(w.text[:0], v != 0)
	case big:
		w.text = strconv.AppendUint(w.text[:0], uint64(v), 10)
	default:
		w.text = strconv.AppendInt(w.text[:0], v, 10)
	}
	return w.text
}

// named adds an entry under its key.
func (w *worker) named(s *slot, e entry, key []byte) bool {
	es := s.entries
	if e.node = s.node.Child(key); e.node == nil {
		return true
	}
	if i, again := es.at[e.node]; again {
		es.list[i] = e
		return true
	}
	if es.at == nil {
		es.at = map[*record.Node]int{}
	}
	es.at[e.node] = len(es.list)
	if es.list = append(es.list, e); len(es.list) > w.d.limits.Fields {
		return w.fail("the message has more than %d fields", w.d.limits.Fields)
	}
	return w.charge(entryBytes)
}

// sparse passes a vector to the builder, given by its nonzero elements. Indices begin with 1,
// because Debezium takes them from pgvector's text form.
func (w *worker) sparse(s *slot) {
	fields := s.desc.Message().Fields()
	size := s.below.int(fields.ByName("dimensions").Number())
	if size < 0 || size > record.MaxDimensions {
		w.b.Refuse(s.node, "a sparse vector of %d elements is too long", size)
		return
	}
	if !w.charge(8 * int(size)) {
		return
	}
	w.numbers = append(w.numbers[:0], make([]float64, size)...)
	vector := s.below.find(fields.ByName("vector").Number())
	if vector.seq == s.below.seq {
		for _, e := range vector.entries.list {
			if e.key < 1 || e.key > size {
				w.b.Refuse(s.node, "a sparse vector of %d elements has none at %d", size, e.key)
				return
			}
			w.numbers[e.key-1] = numberOf(vector.entries.value.kind, e.bits)
		}
	}
	w.b.Vector64(s.node, w.numbers)
}
