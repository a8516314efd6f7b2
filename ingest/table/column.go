package table

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"unfold/ingest/bridge"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// Column is a named, typed, immutable sequence of values. Its representation is private to this
// package. The zero value is "no column".
//
// Columns live on the garbage-collected heap and need not be released.
type Column struct {
	field arrow.Field
	arr   arrow.Array
}

// Valid reports whether c is a column, not the zero value.
func (c Column) Valid() bool { return c.arr != nil }

// Name returns the column's name, or "" for no column.
func (c Column) Name() string { return c.field.Name }

// Len returns the number of rows; 0 for no column.
func (c Column) Len() int {
	if c.arr == nil {
		return 0
	}
	return c.arr.Len()
}

// DataType returns Arrow's name of the type, such as "int64" or "fixed_size_list<float32>[2]", or
// "" for no column.
func (c Column) DataType() string {
	if c.arr == nil {
		return ""
	}
	return TypeName(c.field.Type)
}

// Kind returns the kind of the column's values, which determines how they can be used.
func (c Column) Kind() Kind {
	if c.arr == nil {
		return Other
	}
	return KindOf(c.field.Type)
}

// IsNull reports whether row i has no value.
func (c Column) IsNull(i int) bool { return isNull(c.arr, i) }

// Text returns row i as text for a person or a label: numbers in their shortest
// form, text as it is, "" for null.
func (c Column) Text(i int) string { return textOf(c.arr, i) }

// Strings returns every row as Text does.
func (c Column) Strings() []string {
	out := make([]string, c.Len())
	for i := range out {
		out[i] = c.Text(i)
	}
	return out
}

// Float returns row i as a number: numbers as they are, booleans as 0 or 1.
// It reports false for null and for kinds that are not numbers.
func (c Column) Float(i int) (float64, bool) {
	get := NumberGetter(c.arr)
	if get == nil || c.IsNull(i) {
		return 0, false
	}
	return get(i), true
}

// Floats returns every row as Float does, and the index of the first row without a number, or -1.
func (c Column) Floats() (values []float64, missing int) {
	values, missing = make([]float64, c.Len()), -1
	get := NumberGetter(c.arr)
	for i := range values {
		if get == nil || c.IsNull(i) {
			if missing < 0 {
				missing = i
			}
			continue
		}
		values[i] = get(i)
	}
	return values, missing
}

// Renamed returns the same values under another name.
func (c Column) Renamed(name string) Column {
	c.field.Name = name
	return c
}

// Nullable returns the same values in a nullable field, even if no value is null.
func (c Column) Nullable() Column {
	c.field.Nullable = true
	return c
}

// Slice returns rows from..to (to excluded), sharing memory.
func (c Column) Slice(from, to int) Column {
	if c.arr == nil {
		return c
	}
	return Column{c.field, array.NewSlice(c.arr, int64(from), int64(to))}
}

// Take returns the rows with the given indices in that order. An index may occur more than once.
func (c Column) Take(rows []int) (Column, error) {
	if c.arr == nil {
		return c, nil
	}
	b := array.NewInt64Builder(Heap)
	b.Reserve(len(rows))
	for _, r := range rows {
		if r < 0 || r >= c.arr.Len() {
			return Column{}, fmt.Errorf("ingest: row %d of column %q, which has %d", r, c.Name(), c.Len())
		}
		b.UnsafeAppend(int64(r))
	}
	arr, err := bridge.Take(c.arr, b.NewInt64Array())
	if err != nil {
		return Column{}, fmt.Errorf("ingest: rows of column %q (%s): %w", c.Name(), c.DataType(), err)
	}
	return Column{c.field, arr}, nil
}

// Concat concatenates columns under the first one's name. If the types differ, numbers widen to
// float64 and other values become text. Dictionary-encoded columns stay so if they share one
// dictionary; otherwise they become plain values. Without columns it returns no column.
func Concat(cols ...Column) (Column, error) {
	if len(cols) == 0 || !cols[0].Valid() {
		return Column{}, nil
	}
	field := cols[0].field
	arrs := make([]arrow.Array, len(cols))
	for i, c := range cols {
		if !c.Valid() {
			return Column{}, fmt.Errorf("ingest: part %d of column %q is missing", i, field.Name)
		}
		arrs[i] = c.arr
		field.Nullable = field.Nullable || c.field.Nullable
	}
	out, err := concatArrays(unify(arrs))
	if err != nil {
		return Column{}, fmt.Errorf("ingest: joining column %q (%s): %w", field.Name, TypeName(field.Type), err)
	}
	field.Type = out.DataType()
	return Column{field, out}, nil
}

// isNull includes dictionaries: a null may be in the index or in the value.
func isNull(a arrow.Array, i int) bool {
	if a == nil || a.DataType().ID() == arrow.NULL || a.IsNull(i) {
		return true
	}
	if d, ok := a.(*array.Dictionary); ok {
		return isNull(d.Dictionary(), d.GetValueIndex(i))
	}
	return false
}

// Full reports whether no value is null, as far as that is known without a look at each.
func (c Column) Full() bool {
	_, coded := c.arr.(*array.Dictionary) // its values may be null
	return c.arr != nil && c.arr.DataType().ID() != arrow.NULL && c.arr.NullN() == 0 && !coded
}

// NumberGetter returns a function that reads an array of numbers or booleans, or nil. It ignores
// nulls.
func NumberGetter(a arrow.Array) func(i int) float64 {
	switch a := a.(type) {
	case *array.Float64:
		return func(i int) float64 { return a.Value(i) }
	case *array.Float32:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Float16:
		return func(i int) float64 { return float64(a.Value(i).Float32()) }
	case *array.Int8:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Int16:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Int32:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Int64:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Uint8:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Uint16:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Uint32:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Uint64:
		return func(i int) float64 { return float64(a.Value(i)) }
	case *array.Boolean:
		return func(i int) float64 {
			if a.Value(i) {
				return 1
			}
			return 0
		}
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(i int) float64 { return decimalFloat(a.Value(i).BigInt(), scale) }
	case *array.Decimal256:
		scale := a.DataType().(*arrow.Decimal256Type).Scale
		return func(i int) float64 { return decimalFloat(a.Value(i).BigInt(), scale) }
	case *array.Dictionary:
		if get := NumberGetter(a.Dictionary()); get != nil {
			return func(i int) float64 { return get(a.GetValueIndex(i)) }
		}
	case array.ExtensionArray:
		return NumberGetter(a.Storage())
	}
	return nil
}

// decimalFloat returns the float64 nearest to n / 10^scale.
func decimalFloat(n *big.Int, scale int32) float64 {
	// With n below 2^53 and scale up to 22 both are exact floats, and their quotient is rounded
	// once.
	if exact := scale == min(max(scale, 0), 22) && n.BitLen() <= 53; exact {
		return float64(n.Int64()) / math.Pow10(int(scale))
	}
	v, _ := strconv.ParseFloat(n.String()+"e"+strconv.Itoa(int(-scale)), 64)
	return v
}

// Array returns the values as an Arrow array, and ArrowField their description. Both are shared and
// must not be modified.
func (c Column) Array() arrow.Array      { return c.arr }
func (c Column) ArrowField() arrow.Field { return c.field }
