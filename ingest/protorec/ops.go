package protorec

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"unfold/ingest/record"
)

// op is the way in which a field's values are decoded.
type op int

const (
	// opMark only records that the field occurred, which clears the other members of its oneof.
	opMark op = iota
	opScalar
	opList
	opTexts // a list of other values except messages, only if requested by name
	opMessage
	opMap
	// The following are well-known messages that stand for a single value.
	opTime
	opDuration
	opWrapper
	opDecimal
	opSparse
	opStruct
	opValue
	opListValue
)

// opOf returns the op for a field's descriptor, or false for lists and maps of messages, which no
// column can hold.
func opOf(d protoreflect.FieldDescriptor) (o op, ok bool) {
	m := d.Message()
	switch {
	case d.IsMap(), d.IsList() && entryLike(m):
		return opMap, mapValue(m).Message() == nil
	case d.IsList() && m != nil:
		return opList, false
	case d.IsList() && !numeric(d.Kind()):
		return opTexts, true
	case d.IsList():
		return opList, true
	case m == nil:
		return opScalar, true
	}
	if o, ok := meant(m); ok {
		return o, true
	}
	return opMessage, true
}

// meant returns the op of a well-known message that stands for one value. The message's fields are
// checked as well, because a schema may use the name for another message.
func meant(m protoreflect.MessageDescriptor) (op, bool) {
	switch m.FullName() {
	case "google.protobuf.Timestamp":
		return opTime, has(m, 1, protoreflect.Int64Kind) && has(m, 2, protoreflect.Int32Kind)
	case "google.protobuf.Duration":
		return opDuration, has(m, 1, protoreflect.Int64Kind) && has(m, 2, protoreflect.Int32Kind)
	case "google.protobuf.DoubleValue", "google.protobuf.FloatValue", "google.protobuf.Int64Value", "google.protobuf.UInt64Value",
		"google.protobuf.Int32Value", "google.protobuf.UInt32Value", "google.protobuf.BoolValue", "google.protobuf.StringValue", "google.protobuf.BytesValue":
		f := m.Fields().ByNumber(1)
		return opWrapper, f != nil && !f.IsList() && f.Message() == nil && f.Kind() != protoreflect.EnumKind
	case "confluent.type.Decimal":
		return opDecimal, has(m, 1, protoreflect.BytesKind) && has(m, 3, protoreflect.Int32Kind)
	case "google.protobuf.Struct":
		return opStruct, true
	case "google.protobuf.Value":
		return opValue, true
	case "google.protobuf.ListValue":
		return opListValue, true
	}
	return opSparse, sparse(m)
}

func has(m protoreflect.MessageDescriptor, n protowire.Number, k protoreflect.Kind) bool {
	f := m.Fields().ByNumber(n)
	return f != nil && f.Kind() == k && f.Cardinality() != protoreflect.Repeated
}

// sparse recognises Debezium's SparseVector.
func sparse(m protoreflect.MessageDescriptor) bool {
	dimensions, vector := m.Fields().ByName("dimensions"), m.Fields().ByName("vector")
	if m.Fields().Len() != 2 || dimensions == nil || vector == nil || dimensions.IsList() || !integer(dimensions.Kind()) {
		return false
	}
	if vector.IsList() && !entryLike(vector.Message()) || !vector.IsList() && !vector.IsMap() {
		return false
	}
	return integer(mapKey(vector.Message()).Kind()) && numeric(mapValue(vector.Message()).Kind())
}

// entryLike reports whether a message is a map entry. It includes explicit lists of key-value
// messages, as Kafka Connect writes them, which have the same encoding.
func entryLike(m protoreflect.MessageDescriptor) bool {
	if m == nil || m.Fields().Len() != 2 {
		return false
	}
	k, v := mapKey(m), mapValue(m)
	if k == nil || v == nil || k.Name() != "key" || v.Name() != "value" || k.Cardinality() == protoreflect.Repeated || v.Cardinality() == protoreflect.Repeated {
		return false
	}
	return integer(k.Kind()) || k.Kind() == protoreflect.StringKind || k.Kind() == protoreflect.BoolKind
}

func mapKey(m protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	return m.Fields().ByNumber(1)
}

func mapValue(m protoreflect.MessageDescriptor) protoreflect.FieldDescriptor {
	return m.Fields().ByNumber(2)
}

func integer(k protoreflect.Kind) bool {
	return pinOf(k) == record.Int || pinOf(k) == record.Uint
}

func numeric(k protoreflect.Kind) bool {
	return integer(k) || pinOf(k) == record.Float
}

// pinOf returns the column type for a scalar kind.
func pinOf(k protoreflect.Kind) record.Type {
	switch k {
	case protoreflect.BoolKind:
		return record.Bool
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return record.Float
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.EnumKind:
		return record.Text
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return record.Auto
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return record.Uint
	}
	return record.Int
}

// pinFor returns the column type of a field, if the schema determines it.
func pinFor(d protoreflect.FieldDescriptor) record.Type {
	switch o, _ := opOf(d); o {
	case opScalar:
		return pinOf(d.Kind())
	case opList, opSparse:
		return record.Vector
	case opTime:
		return record.Time
	case opTexts:
		return record.Text
	case opDuration, opDecimal:
		return record.Float
	case opWrapper:
		return pinOf(d.Message().Fields().ByNumber(1).Kind())
	}
	return record.Auto
}

// wireOf returns the wire type of a single value.
func wireOf(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}
