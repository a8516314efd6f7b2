package emit

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// json adds a list of objects, without the fields that an item lacks.
func (s nested[T]) json(w *jsonRow, o *Output, i int) {
	w.name(s.name)
	if (*s.at(o))[i] == nil {
		w.to = append(w.to, "null"...)
		return
	}
	s.list(w, o, i)
}

// text returns a list as JSON text, or empty if there is none.
func (s nested[T]) text(o *Output, i int) string {
	w := jsonRow{}
	if (*s.at(o))[i] != nil {
		s.list(&w, o, i)
	}
	return string(w.to)
}

func (s nested[T]) list(w *jsonRow, o *Output, i int) {
	list := (*s.at(o))[i]
	w.to = append(w.to, '[')
	for k := range list {
		if k > 0 {
			w.to = append(w.to, ',')
		}
		w.to = append(w.to, '{')
		for f := range s.of.fields {
			s.of.fields[f].json(w, &list[k])
		}
		w.to = append(w.to, '}')
	}
	w.to = append(w.to, ']')
}

func (f *itemField[T]) json(w *jsonRow, item *T) {
	switch {
	case f.text != nil:
		if v, ok := f.text(item); ok {
			w.name(f.name)
			w.to = appendQuoted(w.to, v)
		}
	case f.double != nil:
		if v, ok := f.double(item); ok {
			w.name(f.name)
			w.to = appendFloat(w.to, v, 64)
		}
	default:
		if v, ok := f.float(item); ok {
			w.name(f.name)
			w.to = appendFloat32(w.to, v)
		}
	}
}

// nestedTexts returns, by column name, the functions that write an output's nested columns as text.
func (o *Output) nestedTexts() map[string]func(o *Output, i int) string {
	if !o.explained() && o.ClassShares == nil {
		return nil
	}
	all := map[string]func(o *Output, i int) string{}
	for _, c := range outputColumns {
		if c, ok := c.(interface{ text(o *Output, i int) string }); ok && c.(outputColumn).there(o) {
			all[c.(outputColumn).String()] = c.text
		}
	}
	return all
}

// avroNamespace is the namespace of nested records within a place.
const avroNamespace = "unfold"

// avro returns the field of a nullable list of records.
func (s nested[T]) avro(*Output) []avroField {
	fields := make([]avroWritten, len(s.of.fields))
	for i, f := range s.of.fields {
		var kind any = "float"
		switch {
		case f.text != nil:
			kind = "string"
		case f.double != nil:
			kind = "double"
		}
		var def any
		if f.optional {
			kind = []any{"null", kind}
		} else if def = any(0); f.text != nil {
			def = ""
		}
		fields[i] = avroWritten{f.name, kind, def}
	}
	item := map[string]any{"type": "record", "name": s.of.name, "namespace": avroNamespace, "fields": fields}
	return []avroField{{s.name, []any{"null", map[string]any{"type": "array", "items": item}}, nil, func(to []byte, o *Output, i int) ([]byte, error) {
		list := (*s.at(o))[i]
		if list == nil {
			return append(to, 0), nil
		}
		to = append(to, branch)
		if len(list) > 0 {
			to = appendLong(to, int64(len(list)))
		}
		for k := range list {
			for f := range s.of.fields {
				to = s.of.fields[f].avro(to, &list[k])
			}
		}
		return append(to, 0), nil
	}}}
}

func (f *itemField[T]) avro(to []byte, item *T) []byte {
	begin := len(to)
	if f.optional {
		to = append(to, branch)
	}
	ok := false
	switch {
	case f.text != nil:
		var v string
		if v, ok = f.text(item); ok {
			to = appendAvroText(to, v)
		}
	case f.double != nil:
		var v float64
		if v, ok = f.double(item); ok {
			to = appendAvroDouble(to, v)
		}
	default:
		var v float32
		if v, ok = f.float(item); ok {
			to = appendAvroFloat(to, v)
		}
	}
	if !ok {
		to = append(to[:begin], 0)
	}
	return to
}

// proto adds one message per item, and nothing if there are no items.
func (s nested[T]) proto(w *protoRow, o *Output) {
	list := (*s.at(o))[0]
	for k := range list {
		item := protoRow{}
		for f := range s.of.fields {
			s.of.fields[f].proto(&item, protowire.Number(f+1), &list[k])
		}
		w.to = protowire.AppendTag(w.to, protoNumbers[s.name], protowire.BytesType)
		w.to = protowire.AppendBytes(w.to, item.to)
	}
}

func (f *itemField[T]) proto(w *protoRow, n protowire.Number, item *T) {
	switch {
	case f.text != nil:
		if v, ok := f.text(item); ok {
			w.text(n, v)
		}
	case f.double != nil:
		if v, ok := f.double(item); ok {
			w.to = protowire.AppendTag(w.to, n, protowire.Fixed64Type)
			w.to = protowire.AppendFixed64(w.to, math.Float64bits(v))
		}
	default:
		if v, ok := f.float(item); ok {
			w.float(n, v)
		}
	}
}

// protoNested is a column of messages nested in the place's message.
type protoNested interface {
	outputColumn
	// protoMessage declares the messages, and their field.
	protoMessage() (message, field string)
}

func (s nested[T]) protoMessage() (message, field string) {
	var b strings.Builder
	fmt.Fprintf(&b, "message %s {\n", s.of.name)
	for i, f := range s.of.fields {
		kind := "float"
		switch {
		case f.text != nil:
			kind = "string"
		case f.double != nil:
			kind = "double"
		}
		if f.optional {
			kind = "optional " + kind
		}
		fmt.Fprintf(&b, "    %s %s = %d [json_name = %s];\n", kind, f.name, i+1, protoQuoted(f.name))
	}
	b.WriteString("  }")
	return b.String(), fmt.Sprintf("repeated %s %s = %d [json_name = %s];", s.of.name, s.name, protoNumbers[s.name], protoQuoted(s.name))
}
