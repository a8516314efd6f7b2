package table

import (
	"hash/maphash"
	"math"
	"math/big"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// ExactFloat is 2^53. Below it every integer has its own float64. At and above it several integers
// share one, so two ids could have become the same.
const ExactFloat = 1 << 53

// CheckID returns an error for the first row of a column of ids whose number may be inexact: a
// fraction, or a float of ExactFloat or more. The error is an *Error with row and column.
func CheckID(c Column, o Origin) error {
	bad := inexactID(c.arr)
	if bad == nil {
		return nil
	}
	for i := range c.Len() {
		if c.IsNull(i) || !bad(i) {
			continue
		}
		return o.BadAt(i, c.Name(), "%s cannot be an id: it is no integer that its type, %s, holds exactly", c.Text(i), c.DataType()).
			Suggest("write ids as text or as integers of at most 64 bits")
	}
	return nil
}

// inexactID returns a function that reports whether a row of an array is not an exact integer. It
// returns nil for types whose values are all exact.
func inexactID(a arrow.Array) func(i int) bool {
	whole := func(get func(i int) float64, bound float64) func(i int) bool {
		return func(i int) bool {
			v := get(i)
			return v != math.Trunc(v) || math.Abs(v) >= bound
		}
	}
	part := func(get func(i int) *big.Int, scale int32) func(i int) bool {
		one := powerOf10(max(scale, 0))
		return func(i int) bool { return new(big.Int).Rem(get(i), one).Sign() != 0 }
	}
	switch a := a.(type) {
	case *array.Float64:
		return whole(a.Value, ExactFloat)
	case *array.Float32:
		return whole(NumberGetter(a), 1<<24)
	case *array.Float16:
		return whole(NumberGetter(a), 1<<11)
	case *array.Decimal128:
		return part(func(i int) *big.Int { return a.Value(i).BigInt() }, a.DataType().(*arrow.Decimal128Type).Scale)
	case *array.Decimal256:
		return part(func(i int) *big.Int { return a.Value(i).BigInt() }, a.DataType().(*arrow.Decimal256Type).Scale)
	case *array.Dictionary:
		if bad := inexactID(a.Dictionary()); bad != nil {
			return func(i int) bool { return bad(a.GetValueIndex(i)) }
		}
	case array.ExtensionArray:
		return inexactID(a.Storage())
	}
	return nil
}

// Repeated returns the number of rows that have the value of a row before, and the first such value.
// Nulls are no values.
func Repeated(c Column) (rows int, first string) {
	seed := maphash.MakeSeed()
	hashes := make([]uint64, 0, c.Len())
	for i := range c.Len() {
		if !c.IsNull(i) {
			hashes = append(hashes, maphash.String(seed, c.Text(i)))
		}
	}
	slices.Sort(hashes)
	again := map[uint64]bool{}
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] {
			rows++
			again[hashes[i]] = false
		}
	}
	for i := 0; i < c.Len() && rows > 0; i++ {
		if c.IsNull(i) {
			continue
		}
		h := maphash.String(seed, c.Text(i))
		if seen, repeats := again[h]; seen {
			return rows, c.Text(i)
		} else if repeats {
			again[h] = true
		}
	}
	return rows, ""
}
