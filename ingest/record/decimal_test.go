package record_test

import (
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// decimal returns the text of a decimal in a column with the given type.
func decimal(unscaled []byte, scale int64, pin record.Type) (string, error) {
	l := record.NewLayout(record.Spec{Paths: []string{"d"}, Types: map[string]record.Type{"d": pin}})
	b := l.Builder()
	b.Decimal(b.Root().Child([]byte("d")), unscaled, scale)
	b.EndRow()
	t, err := b.Table(table.Origin{})
	if err != nil {
		return "", err
	}
	return t.Columns()[0].Text(0), nil
}

// A decimal becomes the nearest float64, or a text with all digits.
func TestDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unscaled := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "unscaled")
		scale := rapid.Int64Range(-40, 60).Draw(t, "scale")
		v := new(big.Int).SetBytes(unscaled)
		if len(unscaled) > 0 && unscaled[0] >= 0x80 {
			v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(unscaled))))
		}
		x := new(big.Rat).SetInt(v)
		power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(scale, -scale)), nil))
		if scale < 0 {
			x.Mul(x, power)
		} else {
			x.Quo(x, power)
		}
		if got, err := decimal(unscaled, scale, record.Text); err != nil || got != x.FloatString(int(max(scale, 0))) {
			t.Errorf("text %q, %v, want %q", got, err, x.FloatString(int(max(scale, 0))))
		}
		nearest, _ := x.Float64()
		text, err := decimal(unscaled, scale, record.Float)
		if got, wrong := strconv.ParseFloat(text, 64); err != nil || wrong != nil || got != nearest {
			t.Errorf("number %q, %v, want %v", text, err, nearest)
		}
	})
}

func TestDecimalsRefused(t *testing.T) {
	for _, row := range []struct {
		name     string
		unscaled []byte
		scale    int64
		pin      record.Type
		want     string
	}{
		{"many bytes", make([]byte, 5000), 0, record.Float, "a decimal of 5000 bytes is too large"},
		{"many digits behind the point", []byte{1}, 10_001, record.Text, "a decimal of scale 10001 is too long"},
		{"many zeros", []byte{1}, -1 << 40, record.Text, "too long"},
		{"beyond all doubles", []byte{1}, -400, record.Float, "beyond a double's range"},
		{"a fraction as an integer", []byte{15}, 1, record.Int, "1.5"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, err := decimal(row.unscaled, row.scale, row.pin); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %q, %v, want %q", got, err, row.want)
			}
		})
	}
}
