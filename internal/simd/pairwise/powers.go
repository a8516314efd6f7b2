package pairwise

import "math/bits"

// Powers describes the power d/2: Half is d/2 rounded down, Lead its highest bit, and Odd is 1 if d
// is odd.
type Powers struct{ Half, Lead, Odd uint64 }

// NewPowers returns the Powers for d dimensions, d at least 1.
func NewPowers(d int) Powers {
	half := uint64(d / 2)
	return Powers{Half: half, Lead: uint64(max(bits.Len64(half), 1)) - 1, Odd: uint64(d % 2)}
}

// Geometric returns S_h(z) = 1 + z + ... + z^(h-1) and z^h, h = Half, by doubling:
// S_2m = S_m (1 + z^m), S_(m+1) = 1 + z S_m.
func (p *Powers) Geometric(z float64) (sum, power float64) {
	if p.Half == 0 {
		return 0, 1
	}
	sum, power = 1, z
	for bit := p.Lead; bit > 0; bit-- {
		sum += sum * power
		power *= power
		if p.Half>>(bit-1)&1 == 1 {
			sum = 1 + z*sum
			power *= z
		}
	}
	return sum, power
}
