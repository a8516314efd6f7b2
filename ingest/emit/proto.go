package emit

import (
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/protobuf/encoding/protowire"

	"unfold/internal/recent"
)

// ProtobufType is the content type of messages in Protobuf.
const ProtobufType = "application/x-protobuf"

// PlaceMessage is the full name of the Protobuf message type.
const PlaceMessage = "unfold.Place"

// Protobuf writes placed events as Protobuf, one event per message. The fields are id, the kept
// columns, x and y (or the list embedding, if the map has not two dimensions), the other columns of
// an Output, and map_id. Field numbers are always those of protoNumbers; kept columns are numbered
// from 100 in their order. A Protobuf is safe for concurrent use, and its zero value is usable.
// Equal outputs give equal bytes.
type Protobuf struct {
	known recent.List[protoKind]
}

// protoKind is the kind of messages with certain columns.
type protoKind struct {
	columnSet
	mapID  bool
	schema string
	id     protoField
	kept   []protoField
}

// Encode returns the message of an output of one event and the text of its schema, which has only
// this message type.
func (p *Protobuf) Encode(o *Output) (value []byte, schema string, err error) {
	if o.Len() != 1 {
		return nil, "", fmt.Errorf("%d events cannot be one Protobuf message, which holds one; write them as Arrow or JSON (sink.format)", o.Len())
	}
	is := func(k *protoKind) bool { return k.of(o) }
	k := p.known.Find(is)
	if k == nil {
		if k, err = newProtoKind(o); err != nil {
			return nil, "", err
		}
		k = p.known.Add(k, rememberedKinds, is)
	}
	if err := o.check(); err != nil {
		return nil, "", err
	}
	w := protoRow{to: make([]byte, 0, 160+24*len(o.Kept)+4*o.Embedding.Cols), kind: k}
	for _, c := range outputColumns {
		if c.there(o) {
			c.proto(&w, o)
		}
	}
	if k.mapID {
		w.text(protoNumbers[mapIDName], o.MapID)
	}
	return w.to, k.schema, nil
}

// of reports whether an output's message is of this kind.
func (k *protoKind) of(o *Output) bool { return k.mapID == (o.MapID != "") && k.columnSet.of(o) }

// protoRow is a message that is being written.
type protoRow struct {
	to   []byte
	kind *protoKind
}

func (w *protoRow) float(n protowire.Number, v float32) {
	w.to = protowire.AppendTag(w.to, n, protowire.Fixed32Type)
	w.to = protowire.AppendFixed32(w.to, math.Float32bits(v))
}

func (w *protoRow) text(n protowire.Number, s string) {
	w.to = protowire.AppendTag(w.to, n, protowire.BytesType)
	w.to = protowire.AppendString(w.to, readable(s))
}

func (w *protoRow) integer(n protowire.Number, v uint64) {
	w.to = protowire.AppendTag(w.to, n, protowire.VarintType)
	w.to = protowire.AppendVarint(w.to, v)
}

func (idColumn) proto(w *protoRow, o *Output) {
	if o.ID.Valid() {
		w.to = w.kind.id.append(w.to, o.ID.Array())
		return
	}
	w.integer(protoNumbers[IDName], uint64(o.FirstRow))
}

func (keptColumns) proto(w *protoRow, o *Output) {
	for i := range o.Kept {
		if c := &o.Kept[i]; !o.repeated(*c) {
			w.to = w.kind.kept[i].append(w.to, c.Array())
		}
	}
}

func (placeColumn) proto(w *protoRow, o *Output) {
	if row := o.Embedding.Row(0); len(row) == 2 {
		w.float(protoNumbers["x"], row[0])
		w.float(protoNumbers["y"], row[1])
	} else if len(row) > 0 {
		w.to = protowire.AppendTag(w.to, protoNumbers[EmbeddingName], protowire.BytesType)
		w.to = protowire.AppendBytes(w.to, arrow.Float32Traits.CastToBytes(row))
	}
}

func (s series[T]) proto(w *protoRow, o *Output) {
	switch v := any(s.at(o)).(type) {
	case *[]float32:
		w.float(protoNumbers[s.name], (*v)[0])
	case *[]int64:
		w.integer(protoNumbers[s.name], uint64((*v)[0]))
	case *[]string:
		w.text(protoNumbers[s.name], (*v)[0])
	}
}

func (c constant[T]) proto(w *protoRow, o *Output) { w.integer(protoNumbers[c.name], uint64(*c.at(o))) }
