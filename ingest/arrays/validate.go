package arrays

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Arrow's decoder does not check values. Offsets of lists and strings, and indices of dictionaries,
// are used only when a value is read, and a bad one panics there. Therefore every decoded record is
// checked once, in this file, and is safe to read afterwards.

func ValidateRecord(rec arrow.Record) error {
	for i, c := range rec.Columns() {
		if int64(c.Len()) != rec.NumRows() {
			return fmt.Errorf("column %q has %d rows, its batch %d", rec.ColumnName(i), c.Len(), rec.NumRows())
		}
		if err := ValidateArray(c); err != nil {
			return fmt.Errorf("column %q: %w", rec.ColumnName(i), err)
		}
	}
	return nil
}

func ValidateArray(a arrow.Array) error {
	data := a.Data()
	if bits := data.Buffers(); len(bits) > 0 && bits[0] != nil && bits[0].Len() > 0 && int64(bits[0].Len())*8 < int64(data.Offset()+data.Len()) {
		return fmt.Errorf("its validity bitmap is too short")
	}
	switch a := a.(type) {
	case *array.String:
		return validateOffsets32(Offsets32(data), a.Data().Len(), BufferLen(data, 2))
	case *array.Binary:
		return validateOffsets32(Offsets32(data), a.Data().Len(), BufferLen(data, 2))
	case *array.StringView, *array.BinaryView:
		return validateViews(data)
	case *array.RunEndEncoded:
		return validateRuns(a)
	case *array.LargeString, *array.LargeBinary:
		return validateOffsets64(Offsets64(data), data.Len(), BufferLen(data, 2))
	case *array.List:
		return validateList(validateOffsets32(Offsets32(data), data.Len(), a.ListValues().Len()), a.ListValues())
	case *array.Map:
		return validateList(validateOffsets32(Offsets32(data), data.Len(), a.ListValues().Len()), a.ListValues())
	case *array.LargeList:
		return validateList(validateOffsets64(Offsets64(data), data.Len(), a.ListValues().Len()), a.ListValues())
	case *array.ListView, *array.LargeListView:
		return validateView(a.(array.VarLenListLike))
	case *array.FixedSizeList:
		n := int(a.DataType().(*arrow.FixedSizeListType).Len())
		if a.ListValues().Len() < (data.Offset()+data.Len())*n {
			return fmt.Errorf("its %d lists of %d have only %d values", data.Len(), n, a.ListValues().Len())
		}
		return ValidateArray(a.ListValues())
	case *array.Struct:
		return validateStruct(a)
	case *array.Dictionary:
		return validateDictionary(a)
	case array.ExtensionArray:
		return ValidateArray(a.Storage())
	}
	return validateFixed(a)
}

func validateFixed(a arrow.Array) error {
	dt, ok := a.DataType().(arrow.FixedWidthDataType)
	if !ok {
		return nil
	}
	data := a.Data()
	if bits := int64(data.Offset()+data.Len()) * int64(dt.BitWidth()); int64(BufferLen(data, 1))*8 < bits {
		return fmt.Errorf("its %d values have only %d bytes", data.Len(), BufferLen(data, 1))
	}
	return nil
}

func validateList(err error, values arrow.Array) error {
	if err != nil {
		return err
	}
	return ValidateArray(values)
}

func validateStruct(a *array.Struct) error {
	for i := range a.NumField() {
		if a.Field(i).Len() < a.Len() {
			return fmt.Errorf("its part %d has %d values, not %d", i, a.Field(i).Len(), a.Len())
		}
		if err := ValidateArray(a.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func validateDictionary(a *array.Dictionary) error {
	if err := validateFixed(a.Indices()); err != nil {
		return err
	}
	n := a.Dictionary().Len()
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		if k := a.GetValueIndex(i); k < 0 || k >= n {
			return fmt.Errorf("row %d points to value %d of a dictionary of %d", i, k, n)
		}
	}
	return ValidateArray(a.Dictionary())
}

func validateView(a array.VarLenListLike) error {
	n := a.ListValues().Len()
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		if from, to := a.ValueOffsets(i); from < 0 || to < from || to > int64(n) {
			return fmt.Errorf("row %d spans %d to %d of %d values", i, from, to, n)
		}
	}
	return ValidateArray(a.ListValues())
}

func BufferLen(d arrow.ArrayData, i int) int {
	if b := d.Buffers(); i < len(b) && b[i] != nil {
		return b[i].Len()
	}
	return 0
}

// Offsets32 returns the offsets from the array's first value on, nil if there are none.
func Offsets32(d arrow.ArrayData) []int32 {
	if BufferLen(d, 1) == 0 {
		return nil
	}
	all := arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())
	return all[min(d.Offset(), len(all)):]
}

func Offsets64(d arrow.ArrayData) []int64 {
	if BufferLen(d, 1) == 0 {
		return nil
	}
	all := arrow.Int64Traits.CastFromBytes(d.Buffers()[1].Bytes())
	return all[min(d.Offset(), len(all)):]
}

func validateOffsets32(off []int32, n, size int) error { return validateOffsets(off, n, size) }
func validateOffsets64(off []int64, n, size int) error { return validateOffsets(off, n, size) }

// validateOffsets returns an error unless there are n+1 offsets that never decrease and are at most
// size.
func validateOffsets[T int32 | int64](off []T, n, size int) error {
	if n == 0 {
		return nil
	}
	if len(off) < n+1 {
		return fmt.Errorf("its %d rows have only %d offsets", n, len(off))
	}
	last := T(0)
	for i, o := range off[:n+1] {
		if o < last {
			return fmt.Errorf("row %d starts at %d, before %d", i, o, last)
		}
		last = o
	}
	if int64(last) > int64(size) {
		return fmt.Errorf("its rows reach to %d of %d values", last, size)
	}
	return nil
}
