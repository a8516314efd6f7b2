package arrowfmt

import (
	"unfold/ingest/arrays"
	"unfold/ingest/arrowipc"
	"unfold/ingest/table"
	"unfold/internal/recent"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Decoder decodes messages like DecodeMessage, and remembers the latest schemas. Most messages of a
// topic begin with the same schema, and decoding it takes longer than the rest of a message with
// one event. A Decoder is safe for concurrent use; its zero value is usable.
type Decoder struct {
	Limits Limits

	schemas recent.List[knownSchema]
}

const (
	// A Decoder remembers the latest rememberedSchemas schemas of at most schemaBytes bytes each.
	rememberedSchemas = 8
	schemaBytes       = 64 << 10
)

// knownSchema is a checked and decoded schema, with the types of the stream.
type knownSchema struct {
	checked *arrowipc.Known
	schema  *arrow.Schema
	plain   *arrow.Schema // its plain form, see arrays.PlainSchema
	// direct is set if batches without compression can be used without Arrow's reader.
	direct bool
}

func newKnownSchema(checked *arrowipc.Known, d *batchDecoder) *knownSchema {
	k := &knownSchema{checked, d.r.Schema(), d.schema(), true}
	for i := range k.schema.NumFields() {
		k.direct = k.direct && directType(k.schema.Field(i).Type)
	}
	return k
}

// Decode is DecodeMessage with the decoder's limits.
func (d *Decoder) Decode(value []byte, origin table.Origin) (*table.Table, error) {
	known := d.find(value)
	t, read, err := decodeMessage(value, origin, d.Limits.filled(), known)
	if err == nil && known == nil {
		d.remember(read, value)
	}
	return t, err
}

// Weigh returns the size in bytes of a message's batches after decompression, without decoding it.
// It returns 0 if the message cannot be decoded.
func (d *Decoder) Weigh(value []byte) int64 {
	if known := d.find(value); known != nil {
		n, err := known.checked.Weigh(value)
		if err != nil {
			return 0
		}
		return n
	}
	s, err := arrowipc.Check(value, d.Limits.filled().ipc())
	if err != nil {
		return 0
	}
	return s.Decoded
}

// find returns the known schema that a message begins with, or nil.
func (d *Decoder) find(value []byte) *knownSchema {
	return d.schemas.Find(func(k *knownSchema) bool { return k.checked.Begins(value) })
}

// remember adds the schema of a decoded message.
func (d *Decoder) remember(read *knownSchema, value []byte) {
	if read.checked.Bytes() > schemaBytes {
		return
	}
	read.checked = read.checked.Clone()
	d.schemas.Add(read, rememberedSchemas, func(k *knownSchema) bool { return k.checked.Begins(value) })
}

// decode makes a table of a stream's batches directly from the message's bytes, converted to plain
// types. It returns nil if there are no batches, or if they are invalid, compressed or above the
// limits.
func (k *knownSchema) decode(s *arrowipc.Stream, origin table.Origin, limits Limits) (t *table.Table) {
	if !k.direct || len(s.Frames) == 0 {
		return nil
	}
	defer func() {
		if recover() != nil {
			t = nil
		}
	}()
	plain := arrays.Plainer{Mem: &arrays.Allocator{Limit: limits.Memory}}
	parts := make([]*table.Table, 0, 1)
	for _, f := range s.Frames {
		if f.Kind != arrowipc.Record || f.Compressed {
			return nil
		}
		rec := k.record(f)
		if arrays.ValidateRecord(rec) != nil {
			return nil
		}
		if k.plain != k.schema {
			plain.Mem.Charge(int64(len(f.Body))) // as Arrow's reader, which copies it
		}
		rec, err := plain.Record(rec, k.plain)
		if err != nil {
			return nil
		}
		parts = append(parts, table.OfRecord(origin, rec))
	}
	t, err := table.ConcatTables(parts...)
	if err != nil {
		return nil
	}
	return t
}

// record makes the columns of a batch from its nodes and buffers.
func (k *knownSchema) record(f arrowipc.Message) arrow.Record {
	parts := batchParts{f.Nodes, f.Buffers, f.Views, make([]memory.Buffer, len(f.Buffers)), make([]*memory.Buffer, len(f.Buffers))}
	columns := make([]arrow.Array, k.schema.NumFields())
	for i := range columns {
		columns[i] = array.MakeFromData(parts.nextColumn(k.schema.Field(i).Type))
	}
	return array.NewRecord(k.schema, columns, f.Rows)
}

// batchParts holds the nodes and buffers of a batch that are not used yet, and preallocated room
// for Arrow's structures.
type batchParts struct {
	nodes   []arrowipc.Node
	buffers [][]byte
	views   []int
	made    []memory.Buffer
	lists   []*memory.Buffer
}

// directType reports whether batchParts.take supports a type.
func directType(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case arrow.ExtensionType, *arrow.DictionaryType:
		return false
	case *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType:
		return directType(dt.(arrow.ListLikeType).Elem())
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType, *arrow.BooleanType,
		*arrow.StringViewType, *arrow.BinaryViewType:
		return true
	case arrow.FixedWidthDataType:
		return dt.BitWidth()%8 == 0
	}
	return false
}

// nextColumn makes the data of the next column as Arrow's reader does, but without copying.
func (p *batchParts) nextColumn(dt arrow.DataType) arrow.ArrayData {
	node := p.nodes[0]
	p.nodes = p.nodes[1:]
	validity := p.buffer(node.Nulls > 0)
	n, nulls := int(node.Len), int(node.Nulls)
	switch dt := dt.(type) {
	case *arrow.FixedSizeListType:
		return array.NewData(dt, n, p.list(validity), []arrow.ArrayData{p.nextColumn(dt.Elem())}, nulls, 0)
	case *arrow.ListType, *arrow.LargeListType:
		buffers := p.list(validity, p.buffer(true))
		return array.NewData(dt, n, buffers, []arrow.ArrayData{p.nextColumn(dt.(arrow.ListLikeType).Elem())}, nulls, 0)
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		return array.NewData(dt, n, p.list(validity, p.buffer(true), p.buffer(true)), nil, nulls, 0)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		buffers := make([]*memory.Buffer, 2+p.views[0])
		p.views = p.views[1:]
		buffers[0] = validity
		for i := range buffers[1:] {
			buffers[1+i] = p.buffer(true)
		}
		return array.NewData(dt, n, buffers, nil, nulls, 0)
	}
	return array.NewData(dt, n, p.list(validity, p.buffer(n > 0)), nil, nulls, 0)
}

// buffer returns the next buffer, or nil if it is not wanted.
func (p *batchParts) buffer(wanted bool) *memory.Buffer {
	b, made := p.buffers[0], &p.made[0]
	p.buffers, p.made = p.buffers[1:], p.made[1:]
	if !wanted {
		return nil
	}
	if len(b) > 0 {
		made.Reset(b)
	}
	return made
}

// list returns a slice with the buffers of a column.
func (p *batchParts) list(buffers ...*memory.Buffer) []*memory.Buffer {
	n := copy(p.lists, buffers)
	list := p.lists[:n:n]
	p.lists = p.lists[n:]
	return list
}
