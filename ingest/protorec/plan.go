package protorec

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"unfold/ingest/record"
)

// plan is the table of a message's requested fields, for one place in the record.
type plan struct {
	// seq is the number of the message to which the stored values belong, see worker.next.
	seq    uint64
	fields []*slot // in the schema's order
	dense  [64]*slot
	rest   map[protowire.Number]*slot
}

// slot is a field of a plan with its last value.
type slot struct {
	op   op
	kind protoreflect.Kind
	wire protowire.Type
	desc protoreflect.FieldDescriptor
	node *record.Node
	// pinned is the column's type. enumOf has the names of an enum.
	pinned record.Type
	enumOf protoreflect.EnumValueDescriptors
	oneof  *oneof
	// below is the plan of the message in this field, made when the first one occurs. also is a
	// further slot that gets the same values.
	below *plan
	also  *slot
	// absent is set if a missing field has a default, which is in defBits and defData.
	absent  bool
	defBits uint64
	defData []byte

	// seq equals the plan's seq if the field has a value in the current message. The value is in
	// bits or data. For a list, data is the first packed run of float32, used in place, and other
	// numbers follow.
	seq     uint64
	bits    uint64
	data    []byte
	floats  []float32
	numbers []float64
	entries *entries
}

// oneof is a set of fields, at most one of which has a value.
type oneof struct{ now *slot }

func (p *plan) find(n protowire.Number) *slot {
	if uint(n) < uint(len(p.dense)) {
		return p.dense[n]
	}
	return p.rest[n]
}

// add makes a slot of a field.
func (p *plan) add(s *slot) {
	p.table(s)
	p.fields = append(p.fields, s)
}

// table adds a slot to the lookup by field number.
func (p *plan) table(s *slot) {
	n := s.desc.Number()
	if int(n) < len(p.dense) {
		p.dense[n] = s
	} else {
		if p.rest == nil {
			p.rest = map[protowire.Number]*slot{}
		}
		p.rest[n] = s
	}
}

// planOf returns the plan of a message whose requested fields are the children of a node.
func planOf(m protoreflect.MessageDescriptor, at *record.Node) *plan {
	p := &plan{}
	oneofs := map[protoreflect.Name]*oneof{}
	for i := range m.Fields().Len() {
		d := m.Fields().Get(i)
		o, ok := opOf(d)
		s := newSlot(o, d)
		if ok {
			s.node = child(at, d)
		}
		if of := d.ContainingOneof(); of != nil && of.Fields().Len() > 1 {
			if oneofs[of.Name()] == nil {
				oneofs[of.Name()] = &oneof{}
			}
			s.oneof = oneofs[of.Name()]
		}
		if !s.wanted() {
			if s.oneof == nil {
				continue
			}
			s.op, s.node = opMark, nil
		}
		s.bind()
		p.add(s)
	}
	return p
}

// child returns the node of a field by its name in the .proto file or its name in JSON.
func child(at *record.Node, d protoreflect.FieldDescriptor) *record.Node {
	if n := at.Child([]byte(d.Name())); n != nil {
		return n
	}
	return at.Child([]byte(d.JSONName()))
}

// wanted reports whether the field or a part of it is requested.
func (s *slot) wanted() bool {
	switch s.op {
	case opMessage, opMap:
		return s.node.Below()
	case opTexts:
		return s.node.Named()
	case opStruct, opValue:
		return s.node.Wanted() || s.node.Below()
	}
	return s.node.Wanted()
}

// bind sets the slot's column type from its node, and its default value.
func (s *slot) bind() {
	s.pinned = s.node.Pinned()
	if s.op == opScalar && (!s.desc.HasPresence() || s.desc.HasDefault()) {
		s.absent = true
		s.defBits, s.defData = wireValue(s.kind, s.desc.Default())
	}
}

// newSlot returns a slot for a field that is not bound to a node.
func newSlot(o op, d protoreflect.FieldDescriptor) *slot {
	s := &slot{op: o, desc: d, kind: d.Kind()}
	s.wire = wireOf(s.kind)
	if s.kind == protoreflect.EnumKind {
		s.enumOf = d.Enum().Values()
	}
	switch o {
	case opTexts:
		s.entries = &entries{}
	case opMap:
		value := mapValue(d.Message())
		s.entries = &entries{value: newSlot(opScalar, value), key: mapKey(d.Message()).Kind()}
	}
	return s
}

// number reports whether an enum is requested as a number.
func (s *slot) number() bool { return s.pinned == record.Int || s.pinned == record.Float }

// wireValue returns a value in the form in which it is decoded from the wire.
func wireValue(k protoreflect.Kind, v protoreflect.Value) (bits uint64, data []byte) {
	switch k {
	case protoreflect.BoolKind:
		return protowire.EncodeBool(v.Bool()), nil
	case protoreflect.EnumKind:
		return uint64(int64(v.Enum())), nil
	case protoreflect.FloatKind:
		return uint64(math.Float32bits(float32(v.Float()))), nil
	case protoreflect.DoubleKind:
		return math.Float64bits(v.Float()), nil
	case protoreflect.StringKind:
		return 0, []byte(v.String())
	case protoreflect.BytesKind:
		return 0, v.Bytes()
	case protoreflect.Sint32Kind, protoreflect.Sint64Kind:
		return protowire.EncodeZigZag(v.Int()), nil
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return v.Uint(), nil
	}
	return uint64(v.Int()), nil
}

// integerOf converts decoded bits to an integer. The result big means that v holds a uint64.
func integerOf(k protoreflect.Kind, bits uint64) (v int64, big bool) {
	switch k {
	case protoreflect.BoolKind:
		return int64(protowire.EncodeBool(protowire.DecodeBool(bits))), false
	case protoreflect.Int32Kind, protoreflect.Sfixed32Kind, protoreflect.EnumKind:
		return int64(int32(bits)), false
	case protoreflect.Sint32Kind:
		return int64(int32(protowire.DecodeZigZag(bits & math.MaxUint32))), false
	case protoreflect.Sint64Kind:
		return protowire.DecodeZigZag(bits), false
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return int64(uint32(bits)), false
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return int64(bits), bits > math.MaxInt64
	}
	return int64(bits), false
}

// numberOf converts decoded bits to a floating-point number.
func numberOf(k protoreflect.Kind, bits uint64) float64 {
	switch k {
	case protoreflect.FloatKind:
		return float64(math.Float32frombits(uint32(bits)))
	case protoreflect.DoubleKind:
		return math.Float64frombits(bits)
	}
	v, big := integerOf(k, bits)
	if big {
		return float64(uint64(v))
	}
	return float64(v)
}
