package record

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"unfold/ingest/table"
)

// Limits of decimals, above those of any database.
const (
	maxScale    = 10_000
	maxUnscaled = 4096 // bytes
)

// Decimal adds unscaled * 10^-scale, where unscaled is a signed big-endian integer. A column of
// texts gets all digits, other columns the nearest float64.
func (b *Builder) Decimal(n *Node, unscaled []byte, scale int64) {
	f := b.at(n)
	switch {
	case f == nil:
	case len(unscaled) > maxUnscaled:
		b.refuse(f.path, fmt.Sprintf("a decimal of %d bytes is too large", len(unscaled)), "")
	case scale > maxScale || scale < -maxScale:
		b.refuse(f.path, fmt.Sprintf("a decimal of scale %d is too long", scale), "")
	case b.isID(f) && f.pinned != Text:
		b.addWhole(f, unscaled, int(scale))
	case f.pinned == Text:
		b.addText(f, []byte(decimalText(table.Integer(unscaled), int(scale))))
	case len(unscaled) <= 6 && scale >= 0 && scale <= 22:
		// Both operands are exact as float64, so the quotient is correctly rounded.
		b.addFloat(f, float64(short(unscaled))/math.Pow10(int(scale)))
	default:
		text := fmt.Sprintf("%de%d", table.Integer(unscaled), -scale)
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			b.refuse(f.path, fmt.Sprintf("the decimal %s is beyond a double's range", table.Clip(text)), "")
			return
		}
		b.addFloat(f, x)
	}
}

// addWhole adds a decimal that is an id. It must be an integer of 64 bits, else it is refused.
func (b *Builder) addWhole(f *field, unscaled []byte, scale int) {
	v := table.Integer(unscaled)
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
	rest := new(big.Int)
	if scale > 0 {
		v, rest = v.QuoRem(v, ten, rest)
	} else {
		v = v.Mul(v, ten)
	}
	switch {
	case rest.Sign() == 0 && v.IsInt64():
		b.addInt(f, v.Int64())
	case rest.Sign() == 0 && v.IsUint64() && (f.pinned == Auto || f.pinned == Uint) && f.kind != kindFloat:
		b.take(f, kindUint, func() { f.ints = append(f.ints, int64(v.Uint64())) })
	default:
		text := table.Clip(decimalText(table.Integer(unscaled), scale))
		b.refuse(f.path, fmt.Sprintf("the decimal %s is no integer of 64 bits, as ids that are numbers have to be", text), "pin the column to text, as in "+f.path+":"+string(Text))
	}
}

// short decodes a signed big-endian integer of at most 8 bytes.
func short(v []byte) (n int64) {
	for i, c := range v {
		if i == 0 {
			n = int64(int8(c))
			continue
		}
		n = n<<8 | int64(c)
	}
	return n
}

// decimalText formats v * 10^-scale with all digits.
func decimalText(v *big.Int, scale int) string {
	if scale <= 0 {
		return v.String() + strings.Repeat("0", -scale*min(v.BitLen(), 1))
	}
	digits := new(big.Int).Abs(v).String()
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale+1-len(digits)) + digits
	}
	at := len(digits) - scale
	sign := ""
	if v.Sign() < 0 {
		sign = "-"
	}
	return sign + digits[:at] + "." + digits[at:]
}
