package student

import (
	"math"
	"testing"
)

// Pair lengths are stored and read back, for many points in single precision. The size in bytes is
// as documented.
func TestPairLengths(t *testing.T) {
	const entries = 50
	for name, c := range map[string]struct {
		n         int
		precision float64
	}{"few points": {singlePoints - 1, 0}, "many": {singlePoints, 6e-8}} {
		l := newPairLengths(SingleLengths(c.n), entries)
		for q := range entries {
			l.set(q, math.Exp(float64(q-entries/2)/3))
		}
		for q := range entries {
			if want := math.Exp(float64(q-entries/2) / 3); math.Abs(l.at(q)-want) > c.precision*want {
				t.Errorf("%s: entry %d is %v, want %v", name, q, l.at(q), want)
			}
		}
		if l.entries() != entries || l.bytes() != int64(entries*LengthBytes(c.n)) {
			t.Errorf("%s: %d entries in %d bytes", name, l.entries(), l.bytes())
		}
	}
}
