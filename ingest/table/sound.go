package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unfold/ingest/arrays"
	"unicode/utf8"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// validate.go makes columns safe to access. Columns that pass through are read by other programs,
// which check more: text is UTF-8, counts of nulls are correct, times are within a day, numbers
// have valid digits. They also read dictionaries from their first byte. This file repairs such
// columns, or returns the row that is invalid.

// SoundColumn returns a column in a form that other readers accept: with its own buffers and
// correct counts of nulls. In text that is not UTF-8, invalid bytes become U+FFFD if replace is
// true. Otherwise such text is an *Error, and so is any value that its type does not allow. o is
// the origin of row 0.
func SoundColumn(c Column, o Origin, replace bool) (Column, error) {
	if !c.Valid() {
		return c, nil
	}
	a, err := sounder{replace: replace}.contained(c.arr)
	var bad *unsound
	switch {
	case errors.As(err, &bad):
		e := o.BadColumn(c.Name(), "%s", bad.problem)
		if bad.row >= 0 {
			e = o.BadAt(bad.row, c.Name(), "%s", bad.problem)
		}
		return c, e.Suggest("%s", bad.hint)
	case err != nil:
		return c, o.BadColumn(c.Name(), "it cannot be passed on").Because(err)
	}
	c.arr = a
	c.field.Nullable = c.field.Nullable || a.NullN() > 0
	return c, nil
}

// unsound is the error of an invalid row of an array, or of the whole array if row is -1.
type unsound struct {
	row           int
	problem, hint string
}

func (u *unsound) Error() string { return fmt.Sprintf("row %d: %s", u.row, u.problem) }

// of converts an error about the values of an array to one about the array. row maps a value to its
// row, -1 for none.
func of(err error, row func(i int) int) error {
	var u *unsound
	if errors.As(err, &u) {
		u.row = row(u.row)
	}
	return err
}

type sounder struct{ replace bool }

// contained is array for untrusted input: it converts a panic of the Arrow library to an error.
func (s sounder) contained(a arrow.Array) (out arrow.Array, err error) {
	defer arrays.Recovered(&err)
	return s.array(a)
}

// array returns a sound array of the same values, which is a itself if it is sound.
func (s sounder) array(a arrow.Array) (arrow.Array, error) {
	a = trueNulls(a)
	switch a := a.(type) {
	case *array.String:
		return s.text(a, arrays.Offsets32(a.Data()))
	case *array.LargeString:
		return s.largeText(a)
	case *array.Binary, *array.LargeBinary:
		return begun(a)
	case *array.Dictionary:
		return s.dictionary(a)
	case *array.Struct:
		return s.structs(a)
	case array.ExtensionArray:
		storage, err := s.array(a.Storage())
		if err != nil || storage == a.Storage() {
			return a, err
		}
		return array.NewExtensionArrayWithStorage(a.DataType().(arrow.ExtensionType), storage), nil
	case array.ListLike:
		return s.lists(a)
	}
	if problem := badType(a.DataType()); problem != "" {
		return nil, &unsound{-1, problem, "correct the type, or do not keep the column"}
	}
	if i, problem := outOfType(a); i >= 0 {
		return nil, &unsound{i, problem, "correct such rows, or do not keep the column"}
	}
	return a, nil
}

// trueNulls returns an array whose count of nulls agrees with its bitmap.
func trueNulls(a arrow.Array) arrow.Array {
	data := a.Data()
	if a.DataType().ID() == arrow.NULL || len(data.Buffers()) == 0 {
		return a
	}
	nulls := 0
	if bits := data.Buffers()[0]; bits != nil && bits.Len() > 0 {
		nulls = a.Len() - bitutil.CountSetBits(bits.Bytes(), data.Offset(), a.Len())
	}
	if nulls == a.NullN() {
		return a
	}
	return remade(data, data.Buffers(), data.Children(), nulls)
}

// remade returns data with other buffers and children.
func remade(data arrow.ArrayData, buffers []*memory.Buffer, children []arrow.ArrayData, nulls int) arrow.Array {
	if d, ok := data.(*array.Data); ok && d.DataType().ID() == arrow.DICTIONARY {
		return array.MakeFromData(array.NewDataWithDictionary(d.DataType(), d.Len(), buffers, nulls, d.Offset(), d.Dictionary().(*array.Data)))
	}
	return array.MakeFromData(array.NewData(data.DataType(), data.Len(), buffers, children, nulls, data.Offset()))
}

// begun returns an array whose values start at the beginning of its buffers.
func begun(a arrow.Array) (arrow.Array, error) {
	data := a.Data()
	first := int64(0)
	if data.Len() > 0 {
		switch a.(type) {
		case *array.String, *array.Binary, *array.List, *array.Map:
			first = int64(arrays.Offsets32(data)[0])
		case *array.LargeString, *array.LargeBinary, *array.LargeList:
			first = arrays.Offsets64(data)[0]
		}
	}
	if data.Offset() == 0 && first == 0 {
		return a, nil
	}
	return array.Concatenate([]arrow.Array{a}, Heap)
}

const textHint = "write UTF-8, do not keep the column, or let invalid text be replaced (invalid_text: replace)"

// textual is a column of text.
type textual interface {
	arrow.Array
	Value(int) string
}

// soundText checks text with offsets of either size and moves it to the beginning of its buffers.
// replaced is an empty builder of its type.
func soundText[T int32 | int64](s sounder, a textual, offsets []T, replaced func() array.StringLikeBuilder) (arrow.Array, error) {
	bad := badText(a, offsets, a.Data())
	if bad < 0 {
		return begun(a)
	}
	if !s.replace {
		return nil, &unsound{bad, "the text is not UTF-8", textHint}
	}
	b := replaced()
	b.Reserve(a.Len())
	for i := range a.Len() {
		if a.IsNull(i) {
			b.AppendNull()
		} else {
			b.Append(strings.ToValidUTF8(a.Value(i), "\uFFFD"))
		}
	}
	return b.NewArray(), nil
}

func (s sounder) text(a *array.String, offsets []int32) (arrow.Array, error) {
	return soundText(s, a, offsets, func() array.StringLikeBuilder { return array.NewStringBuilder(Heap) })
}

func (s sounder) largeText(a *array.LargeString) (arrow.Array, error) {
	return soundText(s, a, arrays.Offsets64(a.Data()), func() array.StringLikeBuilder { return array.NewLargeStringBuilder(Heap) })
}

// badText returns the first row whose text is not UTF-8, or -1. As a fast path, it first checks all
// text at once, and that each row begins at a rune.
func badText[T int32 | int64](a textual, offsets []T, data arrow.ArrayData) int {
	n := a.Len()
	if n == 0 || arrays.BufferLen(data, 2) == 0 {
		return -1
	}
	all := data.Buffers()[2].Bytes()
	splits := func(o T) bool { return o < offsets[n] && !utf8.RuneStart(all[o]) }
	if utf8.Valid(all[offsets[0]:offsets[n]]) && !slices.ContainsFunc(offsets[:n], splits) {
		return -1
	}
	for i := range n {
		if !a.IsNull(i) && !utf8.ValidString(a.Value(i)) {
			return i
		}
	}
	return -1
}

// dictionary checks the values of a dictionary.
func (s sounder) dictionary(a *array.Dictionary) (arrow.Array, error) {
	values, err := s.array(a.Dictionary())
	if err == nil {
		values, err = begun(values)
	}
	if err != nil {
		return nil, of(err, func(k int) int {
			for i := range a.Len() {
				if !a.IsNull(i) && a.GetValueIndex(i) == k {
					return i
				}
			}
			return -1
		})
	}
	if values == a.Dictionary() {
		return a, nil
	}
	return array.NewDictionaryArray(a.DataType(), a.Indices(), values), nil
}

func (s sounder) structs(a *array.Struct) (arrow.Array, error) {
	children, same := make([]arrow.ArrayData, a.NumField()), a.Data().Offset() == 0
	for k := range children {
		f, err := s.array(a.Field(k))
		if err != nil {
			return nil, err
		}
		children[k] = f.Data()
		same = same && f == a.Field(k)
	}
	if same {
		return a, nil
	}
	data := a.Data()
	return array.MakeFromData(array.NewData(data.DataType(), data.Len(), ValidityOf(data), children, data.NullN(), 0)), nil
}

// ValidityOf returns an array's validity bitmap, starting at its first row, as its first buffer.
// The buffer is nil if there are no nulls.
func ValidityOf(data arrow.ArrayData) []*memory.Buffer {
	bits := data.Buffers()[0]
	if data.NullN() == 0 || bits == nil {
		return []*memory.Buffer{nil}
	}
	if data.Offset() == 0 {
		return []*memory.Buffer{bits}
	}
	out := make([]byte, bitutil.BytesForBits(int64(data.Len())))
	bitutil.CopyBitmap(bits.Bytes(), data.Offset(), data.Len(), out, 0)
	return []*memory.Buffer{memory.NewBufferBytes(out)}
}

// lists checks the elements of the lists' rows and drops elements that belong to no row.
func (s sounder) lists(a array.ListLike) (arrow.Array, error) {
	data, n := a.Data(), a.Len()
	from, to := int64(0), int64(0)
	if n > 0 {
		from, _ = a.ValueOffsets(0)
		_, to = a.ValueOffsets(n - 1)
	}
	if id := a.DataType().ID(); id == arrow.LIST_VIEW || id == arrow.LARGE_LIST_VIEW {
		from, to = 0, int64(a.ListValues().Len()) // the rows may lie anywhere
	}
	own := a.ListValues()
	if from != 0 || to != int64(own.Len()) {
		own = array.NewSlice(own, from, to)
	}
	values, err := s.array(own)
	if err != nil {
		return nil, of(err, func(k int) int {
			for i := range n {
				if from0, to0 := a.ValueOffsets(i); from0-from <= int64(k) && int64(k) < to0-from {
					return i
				}
			}
			return -1
		})
	}
	if m, ok := values.(*array.Struct); ok && a.DataType().ID() == arrow.MAP && m.Field(0).NullN() > 0 {
		return nil, &unsound{-1, "a key of a map is null", "correct such rows, or do not keep the column"}
	}
	if values == a.ListValues() && data.Offset() == 0 {
		return a, nil
	}
	buffers := ValidityOf(data)
	switch a.DataType().ID() {
	case arrow.LIST, arrow.MAP:
		buffers = append(buffers, rebased(arrays.Offsets32(data), n))
	case arrow.LARGE_LIST:
		buffers = append(buffers, rebased(arrays.Offsets64(data), n))
	case arrow.FIXED_SIZE_LIST:
	default:
		return remade(data, data.Buffers(), []arrow.ArrayData{values.Data()}, data.NullN()), nil
	}
	return array.MakeFromData(array.NewData(data.DataType(), n, buffers, []arrow.ArrayData{values.Data()}, data.NullN(), 0)), nil
}

// rebased returns n+1 offsets relative to the first.
func rebased[T int32 | int64](offsets []T, n int) *memory.Buffer {
	out := make([]T, n+1)
	for i := range n {
		out[i+1] = offsets[i+1] - offsets[0]
	}
	return memory.NewBufferBytes(arrow.GetBytes(out))
}
