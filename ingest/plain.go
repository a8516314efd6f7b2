package ingest

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
// writes) and run-end encoding are read, and become plain text, binary, or whatever the
// runs repeat, as soon as a batch has been decoded and checked: nothing behind this file
// knows of them. A few bytes of them can stand for many, so what they become is charged
// to the decoder's memory before it is made.

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

// plainSchema is what a schema becomes, itself if nothing in it changes.
func plainSchema(s *arrow.Schema) *arrow.Schema {
	fields, changed := plainFields(s.Fields())
	if !changed {
		return s
	}
	md := s.Metadata()
	return arrow.NewSchema(fields, &md)
}

// plainer makes checked arrays plain.
type plainer struct {
	// charge is called with the bytes that are about to be made; it panics if they are
	// too many.
	charge func(n int64)
	// dictionaries holds what those of the last batches became, so that batches that
	// share one still do.
	dictionaries map[arrow.ArrayData]arrow.Array
}

// rememberedDictionaries bounds how many dictionaries a plainer holds.
const rememberedDictionaries = 64

func (p *plainer) record(rec arrow.Record, schema *arrow.Schema) (arrow.Record, error) {
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
func (p *plainer) array(a arrow.Array) (arrow.Array, error) {
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

func (p *plainer) dictionary(values arrow.Array) (arrow.Array, error) {
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

// view returns the bytes of a view among an array's buffers; false if they lie outside.
func view(v []byte, buffers []*memory.Buffer) ([]byte, bool) {
	le := binary.LittleEndian
	n := int64(int32(le.Uint32(v)))
	if n <= viewInline {
		if n < 0 {
			return nil, false
		}
		return v[4 : 4+n], true
	}
	which, at := int64(int32(le.Uint32(v[8:]))), int64(int32(le.Uint32(v[12:])))
	if which < 0 || which >= int64(len(buffers)) || buffers[which] == nil {
		return nil, false
	}
	b := buffers[which].Bytes()
	if at < 0 || at+n > int64(len(b)) {
		return nil, false
	}
	return b[at : at+n], true
}

// eachView calls f with the number and the bytes of every value of a column of views that
// is not null, until one returns false or lies outside the buffers, whose number it
// returns, or -1.
func eachView(data arrow.ArrayData, f func(i int, b []byte)) int {
	if data.Len() == 0 {
		return -1
	}
	buffers := data.Buffers()
	views := buffers[1].Bytes()
	for i := range data.Len() {
		if at := data.Offset() + i; isValid(data, i) {
			b, ok := view(views[viewBytes*at:viewBytes*(at+1)], buffers[2:])
			if !ok {
				return i
			}
			f(i, b)
		}
	}
	return -1
}

// isValid says whether value i of an array with a validity bitmap is there.
func isValid(data arrow.ArrayData, i int) bool {
	bits := data.Buffers()[0]
	return bits == nil || bits.Len() == 0 || bitutil.BitIsSet(bits.Bytes(), data.Offset()+i)
}

// validateViews wants all that views lead to within their buffers.
func validateViews(data arrow.ArrayData) error {
	if need := viewBytes * (data.Offset() + data.Len()); bufferLen(data, 1) < need {
		return fmt.Errorf("its %d views have only %d bytes", data.Len(), bufferLen(data, 1))
	}
	if i := eachView(data, func(int, []byte) {}); i >= 0 {
		return fmt.Errorf("the view of row %d leads out of its buffers", i)
	}
	return nil
}

// views makes text or binary values of views.
func (p *plainer) views(data arrow.ArrayData, dt arrow.DataType) (arrow.Array, error) {
	size := int64(0)
	eachView(data, func(_ int, b []byte) { size += int64(len(b)) })
	if size > math.MaxInt32 {
		return nil, memoryLimit(math.MaxInt32)
	}
	p.charge(size + 4*int64(data.Len()+1))
	offsets, bytes := make([]int32, data.Len()+1), make([]byte, 0, size)
	next := 0 // rows whose end is known
	end := func(upTo int) {
		for ; next < upTo; next++ {
			offsets[next+1] = int32(len(bytes))
		}
	}
	eachView(data, func(i int, b []byte) {
		end(i)
		bytes = append(bytes, b...)
		end(i + 1)
	})
	end(data.Len())
	return array.MakeFromData(array.NewData(dt, data.Len(), []*memory.Buffer{
		data.Buffers()[0], memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)), memory.NewBufferBytes(bytes),
	}, nil, data.NullN(), 0)), nil
}
