package protorec

import (
	"bytes"
	"encoding/json"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// item adds an element, or those of a packed run, to a list that becomes a text.
func (w *worker) item(s *slot, bits uint64, data []byte, packed bool) bool {
	if !packed {
		s.entries.list = append(s.entries.list, entry{bits: bits, data: data})
		return w.charge(entryBytes)
	}
	for len(data) > 0 {
		bits, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return w.malformed(data, n)
		}
		s.entries.list = append(s.entries.list, entry{bits: bits})
		if !w.charge(entryBytes) {
			return false
		}
		data = data[n:]
	}
	return true
}

// pushTexts passes a list of texts, bytes, booleans or enums to the builder as JSON text.
func (w *worker) pushTexts(s *slot) {
	all := make([]any, len(s.entries.list))
	names := int64(0) // the bytes of names of enums, which may be much longer than their numbers
	for i, e := range s.entries.list {
		all[i] = s.element(e)
		if name, is := all[i].(string); is && s.kind == protoreflect.EnumKind {
			names += int64(len(name))
		}
		if names > w.d.limits.Memory {
			w.b.Refuse(s.node, "as text the list takes more than %d bytes", w.d.limits.Memory)
			return
		}
	}
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	to.SetEscapeHTML(false)
	if err := to.Encode(all); err != nil {
		w.b.Refuse(s.node, "the list is no text: %v", err)
		return
	}
	w.b.Text(s.node, bytes.TrimSuffix(text.Bytes(), []byte{'\n'}))
}

// element returns an element as a value for JSON.
func (s *slot) element(e entry) any {
	switch s.kind {
	case protoreflect.BoolKind:
		return protowire.DecodeBool(e.bits)
	case protoreflect.EnumKind:
		number := int32(e.bits)
		if v := s.enumOf.ByNumber(protoreflect.EnumNumber(number)); v != nil {
			return string(v.Name())
		}
		return number
	case protoreflect.StringKind:
		return string(e.data)
	}
	return e.data
}
