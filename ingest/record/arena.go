package record

import (
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// arena makes the columns of a table with few allocations, which matters for tables of one row,
// where columns have more parts than values. The values of all columns share one allocation, and so
// does each of Arrow's types of structures. The garbage collector frees them after the last column.
type arena struct {
	bytes []byte
	cells []cell
	// buffers are the buffers not used yet. refs are pointers for Arrow's lists of buffers, some of
	// which stay nil.
	buffers []memory.Buffer
	refs    []*memory.Buffer
	ints    []array.Int64
	uints   []array.Uint64
	floats  []array.Float64
	texts   []array.String
	times   []array.Timestamp
}

// cell holds Arrow's structures for one column.
type cell struct {
	data  array.Data
	child [1]arrow.ArrayData
}

// record makes the columns.
func (b *Builder) record() arrow.Record {
	b.shapes.now = b.shapes.now[:0]
	for _, f := range b.used {
		b.shapes.now = append(b.shapes.now, f.settle(b.spec.Lists))
	}
	shape := b.shapes.of()
	a := newArena(b.shapes.now)
	out := &plainRecord{schema: shape.schema, columns: make([]arrow.Array, len(b.used)), rows: int64(b.rows)}
	for i, f := range b.used {
		out.columns[i] = a.column(f, shape.types[i], shape.columns[i])
	}
	return out
}

// newArena has room for columns.
func newArena(columns []columnShape) *arena {
	a := &arena{}
	var size, cells, buffers, refs, ints, uints, floats, texts, times int
	for _, c := range columns {
		f := c.field
		cells, buffers, refs = cells+1, buffers+1, refs+2
		if f.nulls > 0 {
			size += padded(len(f.valid))
			buffers++
		}
		switch c.kind {
		case kindBool:
			size += padded(len(f.valid))
		case kindInt:
			ints++
		case kindUint:
			uints++
		case kindFloat:
			floats++
		case kindTime:
			times++
		case kindText:
			texts, buffers, refs = texts+1, buffers+1, refs+1
		case kindSparse:
			// Sparse vectors need lists, structs within them, and two fields of the structs.
			cells, buffers, refs = cells+3, buffers+2, refs+5
		default:
			// The lists, and their elements.
			cells, buffers, refs = cells+1, buffers+1, refs+2
		}
		if c.kind != kindBool {
			size += 8 * len(f.ints)
		}
		size += 8*len(f.floats) + padded(4*(len(f.ends)+1)) + padded(len(f.text)) + padded(4*len(f.vec32)) + 8*len(f.vec64)
	}
	words := make([]uint64, size/8)
	a.bytes = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), size)
	a.buffers, a.refs = make([]memory.Buffer, buffers), make([]*memory.Buffer, refs)
	a.cells, a.ints, a.floats = make([]cell, cells), make([]array.Int64, ints), make([]array.Float64, floats)
	a.uints, a.texts, a.times = make([]array.Uint64, uints), make([]array.String, texts), make([]array.Timestamp, times)
	return a
}

// padded rounds a size up to whole words, so that all parts are aligned.
func padded(n int) int { return (n + 7) &^ 7 }

// take returns n zero bytes of the arena.
func (a *arena) take(n int) []byte {
	out := a.bytes[:n:n]
	a.bytes = a.bytes[padded(n):]
	return out
}

func (a *arena) copied(b []byte) []byte {
	out := a.take(len(b))
	copy(out, b)
	return out
}

// next removes the first element of a slice and returns a pointer to it.
func next[T any](s *[]T) *T {
	out := &(*s)[0]
	*s = (*s)[1:]
	return out
}

// column makes the column of a field.
func (a *arena) column(f *field, dt arrow.DataType, shape columnShape) arrow.Array {
	switch shape.kind {
	case kindBool:
		bits := a.take(len(f.valid))
		for i, v := range f.ints {
			if v != 0 {
				bitutil.SetBit(bits, i)
			}
		}
		return array.NewBooleanData(a.data(f, dt, nil, bits))
	case kindInt:
		return reset(next(&a.ints), a.data(f, dt, nil, a.copied(arrow.Int64Traits.CastToBytes(f.ints))))
	case kindUint:
		return reset(next(&a.uints), a.data(f, dt, nil, a.copied(arrow.Int64Traits.CastToBytes(f.ints))))
	case kindTime:
		return reset(next(&a.times), a.data(f, dt, nil, a.copied(arrow.Int64Traits.CastToBytes(f.ints))))
	case kindFloat:
		return reset(next(&a.floats), a.data(f, dt, nil, a.copied(arrow.Float64Traits.CastToBytes(f.floats))))
	case kindText:
		text := next(&a.texts)
		text.Reset(a.data(f, dt, nil, a.offsets(f), a.copied(f.text)))
		text.Retain()
		return text
	}
	if shape.kind == kindSparse {
		return array.NewListData(a.data(f, dt, a.entries(f), a.offsets(f)))
	}
	child := a.elements(f, shape.item())
	if shape.size > 0 {
		return array.NewFixedSizeListData(a.data(f, dt, child))
	}
	return array.NewListData(a.data(f, dt, child, a.offsets(f)))
}

// reset makes an array, allocated in the arena, from data. Its reference count becomes one, as
// after Arrow's constructors.
func reset[A interface {
	arrow.Array
	Reset(*array.Data)
}](to A, data *array.Data) A {
	to.Reset(data)
	to.Retain()
	return to
}

// elements are those of all lists.
func (a *arena) elements(f *field, item arrow.DataType) arrow.ArrayData {
	c := next(&a.cells)
	n, values := len(f.vec64), arrow.Float64Traits.CastToBytes(f.vec64)
	if f.kind == kindVector32 {
		n, values = len(f.vec32), arrow.Float32Traits.CastToBytes(f.vec32)
	}
	c.data.Reset(item, n, a.parts(nil, a.copied(values)), nil, 0, 0)
	return &c.data
}

// entries are those of all sparse vectors.
func (a *arena) entries(f *field) arrow.ArrayData {
	index, value, both := next(&a.cells), next(&a.cells), next(&a.cells)
	n := len(f.vec64)
	index.data.Reset(arrow.PrimitiveTypes.Int64, n, a.parts(nil, a.copied(arrow.Int64Traits.CastToBytes(f.ints))), nil, 0, 0)
	value.data.Reset(arrow.PrimitiveTypes.Float64, n, a.parts(nil, a.copied(arrow.Float64Traits.CastToBytes(f.vec64))), nil, 0, 0)
	both.data.Reset(sparseType.Elem(), n, a.parts(nil), []arrow.ArrayData{&index.data, &value.data}, 0, 0)
	return &both.data
}

// offsets returns the offsets of a column of texts or lists.
func (a *arena) offsets(f *field) []byte {
	out := a.take(4 * (len(f.ends) + 1))
	copy(out[4:], arrow.Int32Traits.CastToBytes(f.ends))
	return out
}

// parts returns buffers: the validity bitmap, nil if there are no nulls, and the others.
func (a *arena) parts(valid []byte, others ...[]byte) []*memory.Buffer {
	n := 1 + len(others)
	refs := a.refs[:n:n]
	a.refs = a.refs[n:]
	if valid != nil {
		refs[0] = next(&a.buffers)
		refs[0].Reset(valid)
	}
	for i, b := range others {
		refs[i+1] = next(&a.buffers)
		refs[i+1].Reset(b)
	}
	return refs
}

// data puts a column together.
func (a *arena) data(f *field, dt arrow.DataType, child arrow.ArrayData, buffers ...[]byte) *array.Data {
	c := next(&a.cells)
	var valid []byte
	if f.nulls > 0 {
		valid = a.copied(f.valid)
	}
	var children []arrow.ArrayData
	if child != nil {
		c.child[0] = child
		children = c.child[:]
	}
	c.data.Reset(dt, f.rows, a.parts(valid, buffers...), children, f.nulls, 0)
	return &c.data
}

// plainRecord is an Arrow record without the check that columns match the schema, which is true by
// construction.
type plainRecord struct {
	schema  *arrow.Schema
	columns []arrow.Array
	rows    int64
}

func (r *plainRecord) Retain()                      {}
func (r *plainRecord) Release()                     {}
func (r *plainRecord) Schema() *arrow.Schema        { return r.schema }
func (r *plainRecord) NumRows() int64               { return r.rows }
func (r *plainRecord) NumCols() int64               { return int64(len(r.columns)) }
func (r *plainRecord) Columns() []arrow.Array       { return r.columns }
func (r *plainRecord) Column(i int) arrow.Array     { return r.columns[i] }
func (r *plainRecord) ColumnName(i int) string      { return r.schema.Field(i).Name }
func (r *plainRecord) arrow() arrow.Record          { return array.NewRecord(r.schema, r.columns, r.rows) }
func (r *plainRecord) MarshalJSON() ([]byte, error) { return r.arrow().MarshalJSON() }

func (r *plainRecord) NewSlice(i, j int64) arrow.Record { return r.arrow().NewSlice(i, j) }

func (r *plainRecord) SetColumn(i int, c arrow.Array) (arrow.Record, error) {
	return r.arrow().SetColumn(i, c)
}
