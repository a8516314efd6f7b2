package arrays

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// Arrow has several encodings of the same values. Text and binary views (which polars writes) and
// run-end encoded arrays are converted to plain arrays as soon as a batch has been decoded and
// checked, so that later code needs to support only these. A few encoded bytes can stand for many
// values, so the size of the plain array is charged to the decoder's memory before it is made.

// plainType returns the plain type that a type is converted to. Most types are plain already.
func plainType(dt arrow.DataType) arrow.DataType {
	switch dt := dt.(type) {
	case *arrow.StringViewType:
		return arrow.BinaryTypes.String
	case *arrow.BinaryViewType:
		return arrow.BinaryTypes.Binary
	case *arrow.RunEndEncodedType:
		return plainType(dt.Encoded())
	case *arrow.DictionaryType:
		if v := plainType(dt.ValueType); v != dt.ValueType {
			return &arrow.DictionaryType{IndexType: dt.IndexType, ValueType: v, Ordered: dt.Ordered}
		}
	case *arrow.ListType:
		if f, changed := plainField(dt.ElemField()); changed {
			return arrow.ListOfField(f)
		}
	case *arrow.LargeListType:
		if f, changed := plainField(dt.ElemField()); changed {
			return arrow.LargeListOfField(f)
		}
	case *arrow.ListViewType:
		if f, changed := plainField(dt.ElemField()); changed {
			return arrow.ListViewOfField(f)
		}
	case *arrow.LargeListViewType:
		if f, changed := plainField(dt.ElemField()); changed {
			return arrow.LargeListViewOfField(f)
		}
	case *arrow.FixedSizeListType:
		if f, changed := plainField(dt.ElemField()); changed {
			return arrow.FixedSizeListOfField(dt.Len(), f)
		}
	case *arrow.StructType:
		if fields, changed := plainFields(dt.Fields()); changed {
			return arrow.StructOf(fields...)
		}
	case *arrow.MapType:
		key, k := plainField(dt.KeyField())
		item, i := plainField(dt.ItemField())
		if k || i {
			out := arrow.MapOf(key.Type, item.Type)
			out.SetItemNullable(item.Nullable)
			out.KeysSorted = dt.KeysSorted
			return out
		}
	}
	return dt
}

func plainField(f arrow.Field) (arrow.Field, bool) {
	dt := plainType(f.Type)
	changed := dt != f.Type
	if runs, ok := f.Type.(*arrow.RunEndEncodedType); ok {
		f.Nullable = f.Nullable || runs.ValueNullable
	}
	f.Type = dt
	return f, changed
}

func plainFields(fields []arrow.Field) ([]arrow.Field, bool) {
	out, changed := make([]arrow.Field, len(fields)), false
	for i, f := range fields {
		var c bool
		out[i], c = plainField(f)
		changed = changed || c
	}
	return out, changed
}

// PlainSchema returns the schema with plain types, or s itself if all its types are plain.
func PlainSchema(s *arrow.Schema) *arrow.Schema {
	changed := false
	for i := range s.NumFields() {
		_, c := plainField(s.Field(i))
		changed = changed || c
	}
	if !changed {
		return s
	}
	fields, _ := plainFields(s.Fields())
	md := s.Metadata()
	return arrow.NewSchema(fields, &md)
}

// Plainer makes checked arrays plain.
type Plainer struct {
	// Mem is charged with the size of each plain array before it is made. It panics if the limit is
	// exceeded.
	Mem *Allocator
	// dictionaries maps recently converted dictionaries to their plain arrays, so that batches that
	// share a dictionary still share it after conversion.
	dictionaries map[arrow.ArrayData]arrow.Array
}

// rememberedDictionaries bounds the number of dictionaries that a Plainer keeps.
const rememberedDictionaries = 64

// Record converts a record to the plain schema. A record that has this schema is returned as it is.
func (p *Plainer) Record(rec arrow.Record, schema *arrow.Schema) (arrow.Record, error) {
	if rec.Schema() == schema {
		return rec, nil
	}
	columns := make([]arrow.Array, rec.NumCols())
	for i := range columns {
		var err error
		if columns[i], err = p.array(rec.Column(i)); err != nil {
			return nil, fmt.Errorf("column %q: %w", rec.ColumnName(i), err)
		}
	}
	return array.NewRecord(schema, columns, rec.NumRows()), nil
}

// array converts an array to its plainType. The array's offset must be 0, as it is in every newly
// decoded array.
func (p *Plainer) array(a arrow.Array) (arrow.Array, error) {
	dt := plainType(a.DataType())
	if dt == a.DataType() {
		return a, nil
	}
	data := a.Data()
	switch a := a.(type) {
	case *array.StringView, *array.BinaryView:
		return p.views(data, dt)
	case *array.RunEndEncoded:
		return p.runs(a)
	case *array.Dictionary:
		values, err := p.dictionary(a.Dictionary())
		if err != nil {
			return nil, err
		}
		return array.NewDictionaryArray(dt, a.Indices(), values), nil
	}
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, c := range data.Children() {
		part, err := p.array(array.MakeFromData(c))
		if err != nil {
			return nil, err
		}
		children[i] = part.Data()
	}
	return array.MakeFromData(array.NewData(dt, data.Len(), data.Buffers(), children, data.NullN(), data.Offset())), nil
}

func (p *Plainer) dictionary(values arrow.Array) (arrow.Array, error) {
	if out, ok := p.dictionaries[values.Data()]; ok {
		return out, nil
	}
	out, err := p.array(values)
	if err != nil {
		return nil, err
	}
	if p.dictionaries == nil || len(p.dictionaries) >= rememberedDictionaries {
		p.dictionaries = map[arrow.ArrayData]arrow.Array{}
	}
	p.dictionaries[values.Data()] = out
	return out, nil
}

// A view takes viewBytes bytes: an int32 length, followed by the value itself if it has at most
// viewInline bytes, else by its first four bytes, the int32 index of a buffer and an int32 offset
// in that buffer.
const (
	viewBytes  = 16
	viewInline = 12
)

// viewColumn is a column of n consecutive views, with the buffers that they refer to. valid is the
// validity bitmap, starting at bit first; it is empty if there are no nulls.
type viewColumn struct {
	n, first int
	valid    []byte
	views    []byte
	buffers  []*memory.Buffer
}

// viewsOf splits a column of views into its parts. It returns false if the buffer of views is too
// short.
func viewsOf(data arrow.ArrayData) (viewColumn, bool) {
	from, to := viewBytes*data.Offset(), viewBytes*(data.Offset()+data.Len())
	if BufferLen(data, 1) < to {
		return viewColumn{}, false
	}
	c := viewColumn{n: data.Len(), first: data.Offset(), buffers: data.Buffers()[2:]}
	if to > from {
		c.views = data.Buffers()[1].Bytes()[from:to]
	}
	if bits := data.Buffers()[0]; bits != nil {
		c.valid = bits.Bytes()
	}
	return c, true
}

func (c *viewColumn) isValid(i int) bool {
	return len(c.valid) == 0 || bitutil.BitIsSet(c.valid, c.first+i)
}

// length returns the length in bytes that view i gives.
func (c *viewColumn) length(i int) int64 {
	return int64(int32(binary.LittleEndian.Uint32(c.views[viewBytes*i:])))
}

// bytes returns the bytes of view i, or false if they are outside their buffer.
func (c *viewColumn) bytes(i int) ([]byte, bool) {
	n, v := c.length(i), c.views[viewBytes*i:viewBytes*(i+1)]
	if n <= viewInline {
		if n < 0 {
			return nil, false
		}
		return v[4 : 4+n], true
	}
	which, at := int64(int32(binary.LittleEndian.Uint32(v[8:]))), int64(int32(binary.LittleEndian.Uint32(v[12:])))
	if which < 0 || which >= int64(len(c.buffers)) || c.buffers[which] == nil {
		return nil, false
	}
	b := c.buffers[which].Bytes()
	if at < 0 || at+n > int64(len(b)) {
		return nil, false
	}
	return b[at : at+n], true
}

// validateViews returns an error unless all views refer to bytes within their buffers.
func validateViews(data arrow.ArrayData) error {
	c, ok := viewsOf(data)
	if !ok {
		return fmt.Errorf("its %d views have only %d bytes", data.Len(), BufferLen(data, 1))
	}
	for i := range c.n {
		if !c.isValid(i) {
			continue
		}
		if _, ok := c.bytes(i); !ok {
			return fmt.Errorf("the view of row %d leads out of its buffers", i)
		}
	}
	return nil
}

// views converts text or binary views to plain values.
func (p *Plainer) views(data arrow.ArrayData, dt arrow.DataType) (arrow.Array, error) {
	c, _ := viewsOf(data)
	p.Mem.Charge(4 * int64(c.n+1))
	offsets, size := make([]int32, c.n+1), int64(0)
	for i := range c.n {
		if c.isValid(i) {
			size += c.length(i)
		}
		if size > math.MaxInt32 {
			return nil, MemoryLimit(math.MaxInt32)
		}
		offsets[i+1] = int32(size)
	}
	p.Mem.Charge(size)
	text := make([]byte, 0, size)
	for i := range c.n {
		if offsets[i+1] > offsets[i] {
			b, _ := c.bytes(i)
			text = append(text, b...)
		}
	}
	return array.MakeFromData(array.NewData(dt, c.n, []*memory.Buffer{
		data.Buffers()[0], memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(text),
	}, nil, data.NullN(), 0)), nil
}
