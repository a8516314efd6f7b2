package ingest

import (
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"unfold/ingest/arrowipc"
)

// Decoder decodes messages as DecodeMessage does, and remembers the last schemas:
// most messages of a topic begin with the same one, and to read it takes longer than
// all the rest of a message of one event. Tables of messages with a remembered schema
// share the message's memory. A Decoder is safe for concurrent use; the zero value
// works.
type Decoder struct {
	Limits Limits

	schemas atomic.Pointer[[]*knownSchema]
	mu      sync.Mutex // of replacing schemas
}

const (
	// rememberedSchemas and schemaBytes bound what a Decoder remembers: so many, the
	// latest, of so many bytes each at most.
	rememberedSchemas = 8
	schemaBytes       = 64 << 10
)

// knownSchema is a schema that has been checked and read.
type knownSchema struct {
	checked *arrowipc.Known
	schema  *arrow.Schema
	// direct: batches that are not compressed can be taken as they lie.
	direct bool
}

// Decode is DecodeMessage with the decoder's limits.
func (d *Decoder) Decode(value []byte, origin Origin) (*Table, error) {
	limits := d.Limits.filled()
	known := d.find(value)
	if known != nil && known.direct && int64(len(value)) <= limits.Bytes {
		if t := known.decode(value, origin, limits); t != nil {
			return t, nil
		}
	}
	// What cannot be taken as it lies goes the long way, which also says what is wrong.
	t, err := DecodeMessage(value, origin, d.Limits)
	if err == nil && known == nil {
		d.remember(value, t.rec.Schema())
	}
	return t, err
}

// find returns the schema that a message begins with, nil if it is not known.
func (d *Decoder) find(value []byte) *knownSchema {
	if all := d.schemas.Load(); all != nil {
		for _, k := range *all {
			if k.checked.Begins(value) {
				return k
			}
		}
	}
	return nil
}

// remember adds the schema of a message that was decoded.
func (d *Decoder) remember(value []byte, schema *arrow.Schema) {
	limits := d.Limits.filled()
	checked, err := arrowipc.Know(value, limits.ipc())
	if err != nil || checked.Bytes() > schemaBytes {
		return
	}
	k := &knownSchema{checked, schema, !checked.Dictionaries()}
	for _, f := range schema.Fields() {
		k.direct = k.direct && directType(f.Type)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []*knownSchema
	if before := d.schemas.Load(); before != nil {
		all = slices.Clone(*before)
	}
	if slices.ContainsFunc(all, func(k *knownSchema) bool { return k.checked.Begins(value) }) {
		return
	}
	all = append([]*knownSchema{k}, all[:min(len(all), rememberedSchemas-1)]...)
	d.schemas.Store(&all)
}

// decode takes the batches of a message as they lie. It returns nil for messages that
// are not sound, or compressed.
func (k *knownSchema) decode(value []byte, origin Origin, limits Limits) (t *Table) {
	defer func() {
		if recover() != nil {
			t = nil
		}
	}()
	s := k.checked.Scan(value)
	var parts []*Table
	rows := int64(0)
	for {
		f, err := s.Next()
		if err == io.EOF && s.Ends() {
			break
		}
		if err != nil || f.Kind != arrowipc.Record || f.Compressed {
			return nil
		}
		if rows += f.Rows; rows > limits.Rows {
			return nil
		}
		rec := k.record(f)
		if rec == nil || validateRecord(rec) != nil {
			return nil
		}
		parts = append(parts, &Table{origin, rec})
	}
	if len(parts) == 0 {
		return nil
	}
	t, err := ConcatTables(parts...)
	if err != nil {
		return nil
	}
	return t
}

// record makes a batch's columns of its nodes and buffers.
func (k *knownSchema) record(f arrowipc.Frame) arrow.Record {
	parts := batchParts{nodes: f.Nodes, buffers: f.Buffers}
	fields := k.schema.Fields()
	columns := make([]arrow.Array, len(fields))
	for i := range fields {
		columns[i] = array.MakeFromData(parts.take(fields[i].Type))
	}
	return array.NewRecord(k.schema, columns, f.Rows)
}

// batchParts are what is left of a batch's nodes and buffers.
type batchParts struct {
	nodes   []arrowipc.Node
	buffers [][]byte
}

// directType says whether batchParts.take knows a type.
func directType(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case arrow.ExtensionType, *arrow.DictionaryType:
		return false
	case *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType:
		return directType(dt.(arrow.ListLikeType).Elem())
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType, *arrow.BooleanType:
		return true
	case arrow.FixedWidthDataType:
		return dt.BitWidth()%8 == 0
	}
	return false
}

// take makes the data of the next column, as Arrow's reader does, but without a copy.
func (p *batchParts) take(dt arrow.DataType) arrow.ArrayData {
	node := p.nodes[0]
	p.nodes = p.nodes[1:]
	validity := p.buffer()
	if node.Nulls == 0 {
		validity = nil
	}
	n, nulls := int(node.Len), int(node.Nulls)
	switch dt := dt.(type) {
	case *arrow.FixedSizeListType:
		return array.NewData(dt, n, []*memory.Buffer{validity}, []arrow.ArrayData{p.take(dt.Elem())}, nulls, 0)
	case *arrow.ListType, *arrow.LargeListType:
		return array.NewData(dt, n, []*memory.Buffer{validity, p.buffer()}, []arrow.ArrayData{p.take(dt.(arrow.ListLikeType).Elem())}, nulls, 0)
	case *arrow.StringType, *arrow.BinaryType, *arrow.LargeStringType, *arrow.LargeBinaryType:
		return array.NewData(dt, n, []*memory.Buffer{validity, p.buffer(), p.buffer()}, nil, nulls, 0)
	}
	values := p.buffer()
	if n == 0 {
		values = nil
	}
	return array.NewData(dt, n, []*memory.Buffer{validity, values}, nil, nulls, 0)
}

func (p *batchParts) buffer() *memory.Buffer {
	b := p.buffers[0]
	p.buffers = p.buffers[1:]
	if len(b) == 0 {
		b = nil
	}
	return memory.NewBufferBytes(b)
}
