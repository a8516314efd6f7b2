package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm/rodata"
)

// exponential has the constants of exp and its callers, in registers if there are many, otherwise
// in memory.
type exponential struct {
	one, halves Op // 1/(2 ln 2), from squared distances to exponents of two
	top, shift  Op // the largest argument; 1.5 2^52
	ln2         Op
	even, odd   []Op // coefficients, the last first
}

const (
	// expTop is the largest argument, for which exp(-600) and its products are not denormal.
	expTop = 600 / math.Ln2
	// expTerms is the number of coefficients for 2^f - 1 - f ln 2, those of f^2 to f^11. Their
	// error is at most 2^-54 of 2^f - 1.
	expTerms = 10
)

func (s isa) exponential() exponential {
	keep := func(name string, v float64) Op {
		if s.masks {
			return s.broadcast(rodata.Number(name, v))
		}
		return rodata.Four(name, v)
	}
	x := exponential{
		one: keep("one", 1), halves: keep("expHalves", 0.5/math.Ln2),
		top: keep("expTop", expTop), shift: keep("expShift", 0x1.8p52), ln2: keep("expLn2", math.Ln2),
	}
	if s.masks {
		x.ln2 = keep("expLn2Less", -math.Ln2)
	}
	terms := powerTerms(expTerms)
	for n := expTerms - 1; n >= 0; n-- {
		name := fmt.Sprintf("expTerm%d", n+2)
		m := rodata.Four(name, terms[n])
		if s.masks {
			m = rodata.Number(name, terms[n])
		}
		if n%2 == 0 {
			x.even = append(x.even, m)
		} else {
			x.odd = append(x.odd, m)
		}
	}
	return x
}

// exp returns 2^-k and t = 2^f - 1 with k - f = e >= 0, integer k and |f| <= 1/2, both exact; e is
// overwritten. So 2^-e is 2^-k + 2^-k t, and 1 - 2^-e is (1 - 2^-k) - 2^-k t. The first difference
// is exact or rounded once, and 0 where the other is small.
func (x *exponential) exp(s isa, e VecVirtual) (power, t VecVirtual) {
	VMINPD(e, s.in(x.top), e) // of a NaN and top: the NaN
	power, f := s.reg(), s.reg()
	VADDPD(x.shift, e, power) // the shift plus k
	if s.masks {
		VREDUCEPD(U8(8), e, f) // e less the nearest whole number: -f
	} else {
		VSUBPD(x.shift, power, f)
		VSUBPD(e, f, f)
	}
	VPSLLQ(U8(52), power, power)
	VPSUBQ(power, s.in(x.one), power)
	f2 := e
	VMULPD(f, f, f2)
	even, odd := s.horner(x.even, f2), s.horner(x.odd, f2)
	if s.masks {
		VFNMADD231PD(f, odd, even)
	} else {
		VFMADD231PD(f, odd, even)
	}
	t = f
	VMULPD(x.ln2, f, t)
	VFMADD231PD(f2, even, t)
	return power, t
}

// horner evaluates a polynomial with coefficients in memory, the highest first.
func (s isa) horner(c []Op, x VecVirtual) VecVirtual {
	var sum VecVirtual
	if s.masks {
		sum = s.broadcast(c[0].(Mem))
	} else {
		sum = s.in(c[0])
	}
	for _, m := range c[1:] {
		if s.masks {
			VFMADD213PD_BCST(m, x, sum)
		} else {
			VFMADD213PD(m, x, sum)
		}
	}
	return sum
}

// in returns the register of x, a new one if x is in memory.
func (s isa) in(x Op) VecVirtual {
	if r, ok := x.(VecVirtual); ok {
		return r
	}
	r := s.reg()
	VMOVUPD(x, r)
	return r
}
