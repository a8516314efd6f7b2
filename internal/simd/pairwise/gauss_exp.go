package pairwise

import (
	"math"
	"math/big"
)

// expSteps is the number of tabulated powers 2^(k/expSteps).
const expSteps = 128

// expEntry has 2^(k/expSteps) for one k: the bits of its nearest float64, with k steps subtracted
// from the exponent field (so that adding any integer in steps gives the right power), and the
// relative remainder.
type expEntry struct {
	bits uint64
	tail float64
}

// expTable is constant after package initialisation.
var expTable = makeExpTable()

func makeExpTable() (t [expSteps]expEntry) {
	// The 128th root of two is computed by seven square roots, with extra bits.
	const prec = 160
	root := big.NewFloat(2).SetPrec(prec)
	for s := expSteps; s > 1; s /= 2 {
		root.Sqrt(root)
	}
	power := big.NewFloat(1).SetPrec(prec)
	for k := range t {
		near, _ := power.Float64()
		rest := new(big.Float).SetPrec(prec).Sub(power, big.NewFloat(near))
		tail, _ := rest.Quo(rest, power).Float64()
		t[k] = expEntry{math.Float64bits(near) - uint64(k)<<(52-7), tail}
		power.Mul(power, root)
	}
	return t
}

const (
	expShift  = 0x1.8p52              // adding it rounds to an integer
	expInvLn2 = expSteps / math.Ln2   //
	expLn2Hi  = 0x1.62e42fefa0000p-8  // ln 2 / 128 to 35 bits, so that products with k are exact
	expLn2Lo  = 0x1.cf79abc9e3b3ap-47 // and the rest: (ln 2 - 128 Hi) / 128
	expMax    = 600                   // exp(-600) is 3e-261: products with it are not denormal
)

// expNeg returns exp(-e) and 1 - exp(-e) for e >= 0, both to about one unit in
// the last place (e beyond 600 counts as 600).
//
// With e = -(k/128) ln 2 - r, |r| <= ln2/256, exp(-e) = 2^(k/128) (1 + t) with t = expm1(r) from
// five Taylor terms (the sixth is below 2^-60). 1 - exp(-e) = (1 - 2^(k/128)) - 2^(k/128) t does
// not cancel: the first difference is exact where the power is within a factor of two of one, and
// zero for k = 0.
//
// The assembly computes 2^-f with f = e / ln 2, k the nearest integer, and a polynomial of degree
// 11 for |f - k| <= 1/2 instead of a table. It rounds f, which costs exp(-e) up to e units in the
// last place, no more than the rounding of e itself; the error of 1 - exp(-e) stays below two
// units.
func expNeg(e float64, table *[expSteps]expEntry) (exp, rest float64) {
	if e > expMax {
		e = expMax
	}
	z := expShift - e*expInvLn2
	bits := math.Float64bits(z)
	k := z - expShift
	r := (-e - k*expLn2Hi) - k*expLn2Lo
	p := &table[bits%expSteps]
	power := math.Float64frombits(p.bits + bits<<(52-7))
	t := p.tail + r + r*r*(1.0/2+r*(1.0/6)+r*r*(1.0/24+r*(1.0/120)))
	t *= power
	return power + t, (1 - power) - t
}
