package protorec

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// For random schemas and messages, decoding agrees with dynamicpb, also if the message is split
// into parts, reordered, or has unknown fields.
func TestAsDynamicpb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSchema(t)
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		var b []byte
		for range 1 + rng.IntN(3) {
			part, err := proto.Marshal(drawMessage(rng, m, 3))
			if err != nil {
				t.Fatal(err)
			}
			b = append(b, shuffled(rng, part)...)
			b = protowire.AppendTag(b, 5000, protowire.BytesType)
			b = protowire.AppendString(b, "unknown")
		}
		read := dynamicpb.NewMessage(m)
		if err := proto.Unmarshal(b, read); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		view(read, "", want)
		d, err := Compile(m, record.Spec{})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, d, b, want)
		some := map[string]string{}
		for _, k := range slices.Sorted(maps.Keys(want)) {
			if rng.IntN(2) == 0 {
				some[k] = want[k]
			}
		}
		if len(some) == 0 {
			return
		}
		d, err = Compile(m, record.Spec{Paths: slices.Sorted(maps.Keys(some))})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, d, b, some)
	})
}

func compare(t *rapid.T, d *Decoder, b []byte, want map[string]string) {
	for range 2 {
		got, err := d.Decode(b, table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		have := map[string]string{}
		for _, c := range got.Table.Columns() {
			have[c.Name()] = fmt.Sprint(valueAt(c.Array(), 0))
		}
		for k, v := range want {
			if h, there := have[k]; h != v || !there {
				t.Errorf("%s is %s, want %s", k, h, v)
			}
		}
		for k, v := range have {
			if _, there := want[k]; !there {
				t.Errorf("%s is %s, and should not be there", k, v)
			}
		}
	}
}

// shuffled reorders the fields of a message. Fields with the same number, or in the same oneof,
// keep their order, because the last one counts.
func shuffled(rng *rand.Rand, b []byte) []byte {
	var fields [][]byte
	for len(b) > 0 {
		_, _, n := protowire.ConsumeField(b)
		fields = append(fields, b[:n])
		b = b[n:]
	}
	number := func(f []byte) protowire.Number { n, _, _ := protowire.ConsumeTag(f); return n }
	order := map[protowire.Number]int{}
	for _, f := range fields {
		order[number(f)] = rng.IntN(100)
	}
	slices.SortStableFunc(fields, func(x, y []byte) int { return order[number(x)] - order[number(y)] })
	return slices.Concat(fields...)
}

// view computes the expected columns of a message.
func view(m protoreflect.Message, prefix string, out map[string]string) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		name := prefix + string(f.Name())
		v := m.Get(f)
		switch {
		case f.IsMap():
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				if f.MapValue().Message() == nil {
					out[name+"."+k.String()] = plain(f.MapValue(), v)
				}
				return true
			})
		case f.IsList():
			if !numeric(f.Kind()) {
				continue
			}
			var list []float64
			for k := range v.List().Len() {
				list = append(list, numberOf(f.Kind(), first(wireValue(f.Kind(), v.List().Get(k)))))
			}
			if out[name] = fmt.Sprint(list); list == nil {
				out[name] = "<nil>"
			}
		case f.Message() != nil:
			if m.Has(f) {
				view(v.Message(), name+".", out)
			}
		case f.HasPresence() && !m.Has(f) && !f.HasDefault():
			out[name] = "<nil>"
		default:
			out[name] = plain(f, v)
		}
	}
}

func first(bits uint64, _ []byte) uint64 { return bits }

func plain(f protoreflect.FieldDescriptor, v protoreflect.Value) string {
	switch f.Kind() {
	case protoreflect.EnumKind:
		if e := f.Enum().Values().ByNumber(v.Enum()); e != nil {
			return string(e.Name())
		}
		return fmt.Sprint(v.Enum())
	case protoreflect.BytesKind:
		return string(v.Bytes())
	case protoreflect.FloatKind:
		return fmt.Sprint(float64(float32(v.Float())))
	}
	return fmt.Sprint(v.Interface())
}

var kinds = []descriptorpb.FieldDescriptorProto_Type{
	descriptorpb.FieldDescriptorProto_TYPE_DOUBLE, descriptorpb.FieldDescriptorProto_TYPE_FLOAT, descriptorpb.FieldDescriptorProto_TYPE_INT64,
	descriptorpb.FieldDescriptorProto_TYPE_UINT64, descriptorpb.FieldDescriptorProto_TYPE_INT32, descriptorpb.FieldDescriptorProto_TYPE_FIXED64,
	descriptorpb.FieldDescriptorProto_TYPE_FIXED32, descriptorpb.FieldDescriptorProto_TYPE_BOOL, descriptorpb.FieldDescriptorProto_TYPE_STRING,
	descriptorpb.FieldDescriptorProto_TYPE_BYTES, descriptorpb.FieldDescriptorProto_TYPE_UINT32, descriptorpb.FieldDescriptorProto_TYPE_ENUM,
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED32, descriptorpb.FieldDescriptorProto_TYPE_SFIXED64, descriptorpb.FieldDescriptorProto_TYPE_SINT32,
	descriptorpb.FieldDescriptorProto_TYPE_SINT64, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, descriptorpb.FieldDescriptorProto_TYPE_GROUP,
}

// drawSchema draws a message type A with random fields, some of which are of type A or B.
func drawSchema(t *rapid.T) protoreflect.MessageDescriptor {
	syntax := rapid.SampledFrom([]string{"proto2", "proto3"}).Draw(t, "syntax")
	file := &descriptorpb.FileDescriptorProto{Name: proto.String("a.proto"), Package: proto.String("p"), Syntax: proto.String(syntax),
		EnumType: []*descriptorpb.EnumDescriptorProto{{Name: proto.String("E"), Value: []*descriptorpb.EnumValueDescriptorProto{
			{Name: proto.String("ZERO"), Number: proto.Int32(0)}, {Name: proto.String("TWO"), Number: proto.Int32(2)}, {Name: proto.String("LESS"), Number: proto.Int32(-1)}}}}}
	for _, name := range []string{"A", "B"} {
		file.MessageType = append(file.MessageType, drawType(t, name, syntax))
	}
	f, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f.Messages().Get(0)
}

func drawType(t *rapid.T, name, syntax string) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: proto.String(name), OneofDecl: []*descriptorpb.OneofDescriptorProto{{Name: proto.String("one")}}}
	n := rapid.IntRange(2, 10).Draw(t, "fields")
	for i := range n {
		f := &descriptorpb.FieldDescriptorProto{Name: proto.String(fmt.Sprintf("f_%d", i)), Number: proto.Int32(int32(1 + i*i*3)),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: rapid.SampledFrom(kinds).Draw(t, "kind").Enum()}
		m.Field = append(m.Field, f)
		scalar := true
		switch *f.Type {
		case descriptorpb.FieldDescriptorProto_TYPE_ENUM:
			f.TypeName = proto.String(".p.E")
		case descriptorpb.FieldDescriptorProto_TYPE_GROUP:
			// The type of a group is declared as a sibling of the field, under the field's name.
			scalar = false
			if syntax == "proto3" {
				f.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
			}
			f.Name, f.TypeName = proto.String(fmt.Sprintf("g%d", i)), proto.String(fmt.Sprintf(".p.%s.G%d", name, i))
			m.NestedType = append(m.NestedType, &descriptorpb.DescriptorProto{Name: proto.String(fmt.Sprintf("G%d", i)), Field: []*descriptorpb.FieldDescriptorProto{
				{Name: proto.String("x"), Number: proto.Int32(1), Label: descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_UINT32.Enum()},
				{Name: proto.String("up"), Number: proto.Int32(2), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), TypeName: proto.String(".p." + name)},
			}})
		case descriptorpb.FieldDescriptorProto_TYPE_MESSAGE:
			scalar = false
			f.TypeName = proto.String(rapid.SampledFrom([]string{".p.A", ".p.B"}).Draw(t, "of"))
		}
		switch rapid.SampledFrom([]string{"plain", "list", "unpacked", "oneof", "map", "default", "optional"}).Draw(t, "shape") {
		case "list", "unpacked":
			f.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
			if numericType(*f.Type) {
				f.Options = &descriptorpb.FieldOptions{Packed: proto.Bool(rapid.Bool().Draw(t, "packed"))}
			}
		case "oneof":
			f.OneofIndex = proto.Int32(0)
		case "map":
			drawMap(t, m, f, name, i)
		case "default":
			if syntax == "proto2" && scalar && numericType(*f.Type) && *f.Type != descriptorpb.FieldDescriptorProto_TYPE_BOOL && *f.Type != descriptorpb.FieldDescriptorProto_TYPE_ENUM {
				f.DefaultValue = proto.String("7")
			}
		}
	}
	// A oneof's members must be consecutive, and there must be at least one.
	slices.SortStableFunc(m.Field, func(x, y *descriptorpb.FieldDescriptorProto) int {
		switch {
		case x.OneofIndex == nil && y.OneofIndex != nil:
			return -1
		case x.OneofIndex != nil && y.OneofIndex == nil:
			return 1
		}
		return 0
	})
	m.Field = append(m.Field, &descriptorpb.FieldDescriptorProto{Name: proto.String("last"), Number: proto.Int32(900), OneofIndex: proto.Int32(0),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: descriptorpb.FieldDescriptorProto_TYPE_SINT32.Enum()})
	return m
}

func numericType(k descriptorpb.FieldDescriptorProto_Type) bool {
	switch k {
	case descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_BYTES,
		descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, descriptorpb.FieldDescriptorProto_TYPE_GROUP:
		return false
	}
	return true
}

// drawMap turns a field into a map with values of the field's type.
func drawMap(t *rapid.T, m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto, name string, i int) {
	if *f.Type == descriptorpb.FieldDescriptorProto_TYPE_GROUP {
		return
	}
	entry := fmt.Sprintf("%s%dEntry", strings.ToUpper(f.GetName()[:1]), i)
	key := rapid.SampledFrom([]descriptorpb.FieldDescriptorProto_Type{descriptorpb.FieldDescriptorProto_TYPE_STRING,
		descriptorpb.FieldDescriptorProto_TYPE_INT32, descriptorpb.FieldDescriptorProto_TYPE_SINT64, descriptorpb.FieldDescriptorProto_TYPE_BOOL,
		descriptorpb.FieldDescriptorProto_TYPE_FIXED64}).Draw(t, "key")
	m.NestedType = append(m.NestedType, &descriptorpb.DescriptorProto{Name: &entry, Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
		Field: []*descriptorpb.FieldDescriptorProto{
			{Name: proto.String("key"), Number: proto.Int32(1), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: key.Enum()},
			{Name: proto.String("value"), Number: proto.Int32(2), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: f.Type, TypeName: f.TypeName},
		}})
	f.Label, f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(), descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), proto.String(".p."+name+"."+entry)
}

// drawMessage fills some fields of a message.
func drawMessage(rng *rand.Rand, d protoreflect.MessageDescriptor, depth int) *dynamicpb.Message {
	m := dynamicpb.NewMessage(d)
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		if rng.IntN(3) == 0 || f.Message() != nil && depth == 0 {
			continue
		}
		switch {
		case f.IsMap():
			for range rng.IntN(4) {
				value := m.Mutable(f).Map().NewValue()
				if f.MapValue().Message() == nil {
					value = drawScalar(rng, f.MapValue())
				}
				m.Mutable(f).Map().Set(drawScalar(rng, f.MapKey()).MapKey(), value)
			}
		case f.IsList():
			for range rng.IntN(4) {
				if f.Message() != nil {
					m.Mutable(f).List().Append(protoreflect.ValueOfMessage(drawMessage(rng, f.Message(), depth-1)))
				} else {
					m.Mutable(f).List().Append(drawScalar(rng, f))
				}
			}
		case f.Message() != nil:
			m.Set(f, protoreflect.ValueOfMessage(drawMessage(rng, f.Message(), depth-1)))
		default:
			m.Set(f, drawScalar(rng, f))
		}
	}
	return m
}

func drawScalar(rng *rand.Rand, f protoreflect.FieldDescriptor) protoreflect.Value {
	bits := rng.Uint64() >> rng.IntN(64)
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(bits&1 == 0)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum([]protoreflect.EnumNumber{0, 2, -1, 77}[bits%4])
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(bits))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(bits))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(bits))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(bits)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(rng.NormFloat64()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(rng.NormFloat64())
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(fmt.Sprintf("s%d", bits%9))
	}
	return protoreflect.ValueOfBytes(fmt.Appendf(nil, "b%d", bits))
}
