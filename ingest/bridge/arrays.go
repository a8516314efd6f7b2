package bridge

import (
	old "github.com/apache/arrow/go/v15/arrow"
	oldarray "github.com/apache/arrow/go/v15/arrow/array"
	oldmemory "github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// New returns an array of v18 over the buffers of a.
func New(a old.Array) (arrow.Array, error) {
	dt, err := NewType(a.DataType())
	if err != nil {
		return nil, err
	}
	return array.MakeFromData(newData(a.Data(), dt)), nil
}

// newData makes the header of data whose type is dt in v18.
func newData(d old.ArrayData, dt arrow.DataType) *array.Data {
	buffers := make([]*memory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			buffers[i] = memory.NewBufferBytes(b.Bytes())
		}
	}
	if dictionary, is := dt.(*arrow.DictionaryType); is {
		return array.NewDataWithDictionary(dt, d.Len(), buffers, d.NullN(), d.Offset(), newData(d.Dictionary(), dictionary.ValueType))
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = newData(c, dt.(arrow.NestedType).Fields()[i].Type)
	}
	return array.NewData(dt, d.Len(), buffers, children, d.NullN(), d.Offset())
}

// NewRecord returns a record of v18 over the buffers of rec.
func NewRecord(rec old.Record) (arrow.RecordBatch, error) {
	schema, err := NewSchema(rec.Schema())
	if err != nil {
		return nil, err
	}
	arrs := make([]arrow.Array, rec.NumCols())
	for i := range arrs {
		if arrs[i], err = New(rec.Column(i)); err != nil {
			return nil, err
		}
	}
	return array.NewRecordBatch(schema, arrs, rec.NumRows()), nil
}

// Retyped returns an array of v15 over the buffers of a. Type dt, of OldType or such, must have the layout of a's.
func Retyped(a arrow.Array, dt old.DataType) old.Array {
	return oldarray.MakeFromData(oldData(a.Data(), dt))
}

// oldData makes the header of data whose type is dt in v15.
func oldData(d arrow.ArrayData, dt old.DataType) *oldarray.Data {
	buffers := make([]*oldmemory.Buffer, len(d.Buffers()))
	for i, b := range d.Buffers() {
		if b != nil {
			buffers[i] = oldmemory.NewBufferBytes(b.Bytes())
		}
	}
	storage := dt
	if e, is := dt.(old.ExtensionType); is {
		storage = e.StorageType()
	}
	if dictionary, is := storage.(*old.DictionaryType); is {
		return oldarray.NewDataWithDictionary(dt, d.Len(), buffers, d.NullN(), d.Offset(), oldData(d.Dictionary(), dictionary.ValueType))
	}
	children := make([]old.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		children[i] = oldData(c, storage.(old.NestedType).Fields()[i].Type)
	}
	return oldarray.NewData(dt, d.Len(), buffers, children, d.NullN(), d.Offset())
}
