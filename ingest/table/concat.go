package table

import (
	"fmt"
	"unfold/ingest/bridge"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// unify converts arrays to one type.
func unify(arrs []arrow.Array) []arrow.Array {
	same, numbers := true, true
	for _, a := range arrs {
		same = same && arrow.TypeEqual(a.DataType(), arrs[0].DataType())
		numbers = numbers && NumberGetter(a) != nil
	}
	if same {
		return arrs
	}
	out := make([]arrow.Array, len(arrs))
	for i, a := range arrs {
		if numbers {
			out[i] = ToFloat64(a)
		} else {
			out[i] = ToString(a)
		}
	}
	return out
}

// concatArrays concatenates arrays of one type. It does not use array.Concatenate for dictionaries,
// which returns wrong values if they differ and contain nulls.
func concatArrays(arrs []arrow.Array) (arrow.Array, error) {
	if len(arrs) == 1 {
		return arrs[0], nil
	}
	dt := arrs[0].DataType()
	if nestedDictionary(dt) {
		return nil, fmt.Errorf("dictionaries inside other types cannot be joined")
	}
	first, ok := arrs[0].(*array.Dictionary)
	if !ok {
		return array.Concatenate(arrs, Heap)
	}
	parts := make([]arrow.Array, len(arrs))
	for i, a := range arrs {
		d := a.(*array.Dictionary)
		if d.Dictionary().Data() != first.Dictionary().Data() {
			return concatValues(arrs)
		}
		parts[i] = d.Indices()
	}
	indices, err := array.Concatenate(parts, Heap)
	if err != nil {
		return nil, err
	}
	return array.NewDictionaryArray(dt, indices, first.Dictionary()), nil
}

// concatValues concatenates the decoded values of dictionaries.
func concatValues(arrs []arrow.Array) (arrow.Array, error) {
	plain := make([]arrow.Array, len(arrs))
	for i, a := range arrs {
		plain[i] = PlainValues(a)
	}
	return array.Concatenate(plain, Heap)
}

// nestedDictionary reports whether a list, a struct or a dictionary contains a dictionary.
func nestedDictionary(dt arrow.DataType) bool {
	var parts []arrow.DataType
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		parts = append(parts, dt.ValueType)
	case arrow.ListLikeType:
		parts = append(parts, dt.Elem())
	case *arrow.StructType:
		for _, f := range dt.Fields() {
			parts = append(parts, f.Type)
		}
	case arrow.ExtensionType:
		return nestedDictionary(dt.StorageType())
	}
	for _, p := range parts {
		if p.ID() == arrow.DICTIONARY || nestedDictionary(p) {
			return true
		}
	}
	return false
}

// PlainValues decodes a dictionary.
func PlainValues(a arrow.Array) arrow.Array {
	d, ok := a.(*array.Dictionary)
	if !ok {
		return a
	}
	b := array.NewInt64Builder(Heap)
	b.Reserve(d.Len())
	for i := range d.Len() {
		if d.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(int64(d.GetValueIndex(i)))
		}
	}
	out, err := bridge.Take(d.Dictionary(), b.NewInt64Array())
	if err != nil {
		// Arrow's take does not support every type; text can represent all of them.
		return ToString(a)
	}
	return out
}

// Tight copies an array into buffers that contain only its values. So the output does not
// depend on the array that it was sliced from.
func Tight(a arrow.Array) (arrow.Array, error) {
	if d, ok := a.(*array.Dictionary); ok {
		indices, err := array.Concatenate([]arrow.Array{d.Indices()}, Heap)
		if err != nil {
			return nil, err
		}
		values, err := begun(d.Dictionary())
		if err != nil {
			return nil, err
		}
		return array.NewDictionaryArray(a.DataType(), indices, values), nil
	}
	if nestedDictionary(a.DataType()) {
		return sounder{replace: true}.array(a) // sound already, except for the parts that were cut off
	}
	return array.Concatenate([]arrow.Array{a}, Heap)
}

func ToFloat64(a arrow.Array) arrow.Array {
	b := array.NewFloat64Builder(Heap)
	b.Reserve(a.Len())
	get := NumberGetter(a)
	for i := range a.Len() {
		if isNull(a, i) {
			b.AppendNull()
		} else {
			b.Append(get(i))
		}
	}
	return b.NewArray()
}

func ToString(a arrow.Array) arrow.Array {
	b := array.NewStringBuilder(Heap)
	b.Reserve(a.Len())
	for i := range a.Len() {
		if isNull(a, i) {
			b.AppendNull()
		} else {
			b.Append(textOf(a, i))
		}
	}
	return b.NewArray()
}
