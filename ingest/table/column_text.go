package table

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// textOf is Column.Text for an array. Arrow's own texts of nested values go through JSON, which
// panics on NaN. These do not.
func textOf(a arrow.Array, i int) string {
	if isNull(a, i) {
		return ""
	}
	switch a := a.(type) {
	case *array.String:
		return a.Value(i)
	case *array.LargeString:
		return a.Value(i)
	case *array.Binary:
		return string(a.Value(i))
	case *array.LargeBinary:
		return string(a.Value(i))
	case *array.Dictionary:
		return textOf(a.Dictionary(), a.GetValueIndex(i))
	case array.ExtensionArray:
		return textOf(a.Storage(), i)
	case *array.Int64:
		return strconv.FormatInt(a.Value(i), 10)
	case *array.Uint64:
		return strconv.FormatUint(a.Value(i), 10)
	case *array.Float64:
		return number(a.Value(i), 64)
	case *array.Float32:
		return number(float64(a.Value(i)), 32)
	case *array.Decimal128:
		return decimalText(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal128Type).Scale)
	case *array.Decimal256:
		return decimalText(a.Value(i).BigInt(), a.DataType().(*arrow.Decimal256Type).Scale)
	case *array.Timestamp:
		text := valueText(a, i)
		if a.DataType().(*arrow.TimestampType).TimeZone == "" {
			text = strings.TrimSuffix(text, "Z") // a time without a zone is not UTC
		}
		return text
	case array.ListLike:
		from, to := a.ValueOffsets(i)
		return listText(a.ListValues(), int(from), int(to))
	case *array.Struct:
		return structText(a, i)
	}
	return valueText(a, i)
}

// decimalText returns n / 10^scale with all its digits. Arrow's own text goes through float64.
func decimalText(n *big.Int, scale int32) string {
	digits := max(scale, 0)
	whole := new(big.Int).Mul(n, powerOf10(max(-scale, 0)))
	return new(big.Rat).SetFrac(whole, powerOf10(digits)).FloatString(int(digits))
}

func powerOf10(n int32) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// valueText returns Arrow's text of a plain value. For values without one, such as a date in the
// year one million or a time in an unknown zone, it returns the type.
func valueText(a arrow.Array, i int) (s string) {
	defer func() {
		if recover() != nil {
			s = "(" + a.DataType().String() + ")"
		}
	}()
	return a.ValueStr(i)
}

// listText formats a list as [a b c].
func listText(values arrow.Array, from, to int) string {
	var b strings.Builder
	b.WriteByte('[')
	for k := from; k < to; k++ {
		if k > from {
			b.WriteByte(' ')
		}
		b.WriteString(partText(values, k))
	}
	b.WriteByte(']')
	return b.String()
}

// structText formats a struct as {name:value name:value}.
func structText(a *array.Struct, i int) string {
	var b strings.Builder
	b.WriteByte('{')
	for k, f := range a.DataType().(*arrow.StructType).Fields() {
		if k > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(f.Name + ":" + partText(a.Field(k), i))
	}
	b.WriteByte('}')
	return b.String()
}

func partText(a arrow.Array, i int) string {
	if isNull(a, i) {
		return "null"
	}
	return textOf(a, i)
}

// number formats whole numbers without an exponent up to ExactFloat, so that an id that was read as
// a float looks like an id.
func number(v float64, bits int) string {
	if v == float64(int64(v)) && v > -ExactFloat && v < ExactFloat {
		return strconv.FormatFloat(v, 'f', -1, bits)
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}
