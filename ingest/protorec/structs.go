package protorec

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"unfold/ingest/record"
)

// Field numbers of google.protobuf.Value. If several occur the last one counts.
const (
	valueNull   = 1
	valueNumber = 2
	valueText   = 3
	valueBool   = 4
	valueStruct = 5
	valueList   = 6
)

// walk calls f for each field of a message until f returns false.
func (w *worker) walk(b []byte, f func(num protowire.Number, typ protowire.Type, bits uint64, data []byte) bool) bool {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return w.inStruct(n)
		}
		b = b[n:]
		bits, data, n := consume(num, typ, b)
		if n < 0 {
			return w.inStruct(n)
		}
		if !f(num, typ, bits, data) {
			return false
		}
		b = b[n:]
	}
	return true
}

func (w *worker) inStruct(n int) bool {
	return w.fail("a google.protobuf.Struct, Value or ListValue of message %s: %v", w.d.message.FullName(), protowire.ParseError(n))
}

// pushStruct passes the fields of a google.protobuf.Struct to the children of a node.
func (w *worker) pushStruct(n *record.Node, b []byte, depth int) {
	if !n.Below() || !w.deeper(depth) {
		return
	}
	// The last value of a key counts.
	type item struct {
		node  *record.Node
		value []byte
	}
	var items []item
	at := map[*record.Node]int{}
	whole := w.walk(b, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) bool {
		if num != 1 || typ != protowire.BytesType {
			return true
		}
		var key, value []byte
		whole := w.walk(data, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) bool {
			switch {
			case typ != protowire.BytesType:
			case num == 1:
				key = data
			case num == 2:
				value = append(value[:len(value):len(value)], data...)
				return w.charge(len(value))
			}
			return true
		})
		child := n.Child(key)
		if child == nil || !whole {
			return whole
		}
		if i, again := at[child]; again {
			items[i].value = value
			return true
		}
		at[child] = len(items)
		if items = append(items, item{child, value}); len(items) > w.d.limits.Fields {
			return w.fail("the message has more than %d fields", w.d.limits.Fields)
		}
		return w.charge(entryBytes)
	})
	if whole {
		for _, i := range items {
			w.pushValue(i.node, i.value, depth+1)
		}
	}
}

// deeper fails if values nest too deep.
func (w *worker) deeper(depth int) bool {
	return depth <= w.d.limits.Depth || w.fail("its values nest more than %d deep", w.d.limits.Depth)
}

// member is a google.protobuf.Value, taken apart.
type member struct {
	number protowire.Number
	bits   uint64
	data   []byte
}

func (w *worker) takeApart(b []byte) (v member, ok bool) {
	ok = w.walk(b, func(num protowire.Number, typ protowire.Type, bits uint64, data []byte) bool {
		switch {
		case (num == valueNull || num == valueBool) && typ == protowire.VarintType, num == valueNumber && typ == protowire.Fixed64Type,
			num == valueText && typ == protowire.BytesType:
			v = member{num, bits, data}
		case (num == valueStruct || num == valueList) && typ == protowire.BytesType:
			if v.number == num {
				v.data = append(v.data[:len(v.data):len(v.data)], data...)
				return w.charge(len(v.data))
			}
			v = member{num, bits, data}
		}
		return true
	})
	return v, ok
}

// pushValue hands over a google.protobuf.Value.
func (w *worker) pushValue(n *record.Node, b []byte, depth int) {
	v, ok := w.takeApart(b)
	if !ok || !w.deeper(depth) {
		return
	}
	switch v.number {
	case valueNumber:
		w.b.Float(n, math.Float64frombits(v.bits))
	case valueText:
		w.b.Text(n, v.data)
	case valueBool:
		w.b.Bool(n, v.bits != 0)
	case valueStruct:
		w.pushStruct(n, v.data, depth+1)
	case valueList:
		w.pushListValue(n, v.data)
	default:
		w.b.Null(n)
	}
}

// pushListValue passes a list of numbers to the builder. Other lists become null, because no column
// holds them.
func (w *worker) pushListValue(n *record.Node, b []byte) {
	if !n.Wanted() {
		return
	}
	w.numbers = w.numbers[:0]
	numbers := true
	whole := w.walk(b, func(num protowire.Number, typ protowire.Type, _ uint64, data []byte) bool {
		if num != 1 || typ != protowire.BytesType {
			return true
		}
		v, ok := w.takeApart(data)
		numbers = numbers && v.number == valueNumber
		w.numbers = append(w.numbers, math.Float64frombits(v.bits))
		return ok && w.charge(8)
	})
	switch {
	case !whole:
	case numbers && len(w.numbers) > 0:
		w.b.Vector64(n, w.numbers)
	default:
		w.b.Null(n)
	}
}
