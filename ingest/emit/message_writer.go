package emit

import (
	"bytes"
	"unfold/ingest/arrowipc"
	"unfold/ingest/table"
	"unfold/internal/recent"

	"github.com/apache/arrow/go/v15/arrow"
)

// MessageWriter writes placed events as messages, with the same bytes as EncodeMessage. It
// remembers the beginnings of the latest kinds of messages, because writing the schema takes many
// times as long as the values of a few events. It is safe for concurrent use, and its zero value is
// usable.
type MessageWriter struct {
	known recent.List[messageKind]
}

// messageKind is the kind of messages with certain columns.
type messageKind struct {
	columnSet
	mapID   string
	pattern *arrowipc.Pattern
}

// rememberedKinds bounds the number of kinds that a MessageWriter remembers.
const rememberedKinds = 8

// Encode returns the same bytes as EncodeMessage.
func (w *MessageWriter) Encode(o *Output) ([]byte, error) {
	if !simpleOutput(o) {
		return EncodeMessage(o)
	}
	if k := w.known.Find(func(k *messageKind) bool { return k.of(o) }); k != nil {
		if value, ok := k.write(o); ok {
			return value, nil
		}
		return EncodeMessage(o)
	}
	value, err := EncodeMessage(o)
	if err == nil {
		w.remember(o, value)
	}
	return value, err
}

// remember adds the kind of a written message, unless its pattern does not reproduce exactly this
// message.
func (w *MessageWriter) remember(o *Output, value []byte) {
	pattern, err := arrowipc.NewPattern(value)
	if err != nil {
		return
	}
	k := &messageKind{columnSet: columnSetOf(o), mapID: o.MapID, pattern: pattern}
	if again, ok := k.write(o); !ok || !bytes.Equal(again, value) {
		return
	}
	w.known.Add(k, rememberedKinds, func(k *messageKind) bool { return k.of(o) })
}

// of reports whether an output's message is of this kind.
func (k *messageKind) of(o *Output) bool { return k.mapID == o.MapID && k.columnSet.of(o) }

// columnSet is the set of columns of a kind of outputs.
type columnSet struct {
	id   arrow.Field
	kept []arrow.Field
	dims int
	has  uint32 // see presence
}

func columnSetOf(o *Output) columnSet {
	s := columnSet{id: o.ID.ArrowField(), dims: o.Embedding.Cols, has: presence(o)}
	for _, c := range o.Kept {
		s.kept = append(s.kept, c.ArrowField())
	}
	return s
}

// of reports whether an output has exactly these columns.
func (s *columnSet) of(o *Output) bool {
	if s.dims != o.Embedding.Cols || len(s.kept) != len(o.Kept) || s.has != presence(o) || !sameField(s.id, o.ID.ArrowField()) {
		return false
	}
	for i := range s.kept {
		if !sameField(s.kept[i], o.Kept[i].ArrowField()) {
			return false
		}
	}
	return true
}

func sameField(a, b arrow.Field) bool {
	return a.Name == b.Name && a.Nullable == b.Nullable && (a.Type == b.Type || a.Type != nil && b.Type != nil && arrow.TypeEqual(a.Type, b.Type)) &&
		a.Metadata.Len() == b.Metadata.Len() && (a.Metadata.Len() == 0 || a.Metadata.Equal(b.Metadata))
}

// simpleOutput reports whether an output has rows, equally many in all parts, and its id and kept
// columns have buffers that can be written without conversion.
func simpleOutput(o *Output) bool {
	n := o.Len()
	if n == 0 || o.check() != nil || o.ID.Valid() && !simpleColumn(o.ID, n) {
		return false
	}
	for _, c := range o.Kept {
		if !simpleColumn(c, n) {
			return false
		}
	}
	return true
}

func simpleColumn(c table.Column, n int) bool {
	if !c.Valid() || c.Len() != n || c.Array().Data().Offset() != 0 {
		return false
	}
	switch dt := c.Array().DataType().(type) {
	case arrow.ExtensionType, *arrow.DictionaryType:
		return false
	case *arrow.StringType, *arrow.BinaryType, *arrow.BooleanType:
		return true
	case arrow.FixedWidthDataType:
		return dt.ID() != arrow.FIXED_SIZE_LIST && dt.BitWidth()%8 == 0
	}
	return false
}
