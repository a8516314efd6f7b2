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

// Arrow has several encodings of the same values. Text and binary views (what polars
// writes) and run-end encoding are read. They become plain text, binary, or whatever the
// runs repeat, as soon as a batch has been decoded and checked: nothing behind this file
// knows of them. A few bytes of them can stand for many, so what they become is charged to
// the decoder's memory before it is made.

// plainType is what a type becomes; the same for most.
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

// PlainSchema is what a schema becomes, itself if nothing in it changes.
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
	// Mem is charged with the bytes that are about to be made; it panics if they are
	// too many.
	Mem *Allocator
	// dictionaries holds what those of the last batches became, so that batches that
	// share one still do.
	dictionaries map[arrow.ArrayData]arrow.Array
}

// rememberedDictionaries bounds how many dictionaries a plainer holds.
const rememberedDictionaries = 64

// Record makes a record of the plain schema of its own. One whose schema is plain stays.
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

// array returns an array of plainType of its type. Its offset must be 0, as it is in all
// that was just decoded.
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

// viewBytes is how long a view is: int32 length, then the bytes themselves if they are at
// most viewInline, else their first four, the int32 number of a buffer and an int32
// offset in it.
const (
	viewBytes  = 16
	viewInline = 12
)

// viewColumn is a column of views: n of them, one after the other, and the buffers that
// they lead to. valid is the bitmap of those that are not null, from bit first on; empty if
// none is.
type viewColumn struct {
	n, first int
	valid    []byte
	views    []byte
	buffers  []*memory.Buffer
}

// viewsOf takes a column of views apart; false if its views are not all there.
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

// length is how many bytes view i says it has.
func (c *viewColumn) length(i int) int64 {
	return int64(int32(binary.LittleEndian.Uint32(c.views[viewBytes*i:])))
}

// bytes returns the bytes of view i; false if they lie outside its buffer.
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

// validateViews wants all that views lead to within their buffers.
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

// views makes text or binary values of views.
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
