package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// exponential holds the numbers that exp and its callers use: in registers where
// there are many, otherwise in memory.
type exponential struct {
	one, middle         Op
	top, shift, inverse Op // the largest argument; 1.5 2^52; 1/ln 2
	ln2High, ln2Low     Op
	even, odd           []Op // 1/2!, 1/4!, ... and 1/3!, 1/5!, ..., the last first
}

const (
	// ln 2 to 35 bits, so that its products with exponents are exact, and the rest.
	ln2High = 0x1.62e42fefa0000p-1
	ln2Low  = math.Ln2 - ln2High
	// expTop is the largest argument: exp(-600) and its products are not denormal.
	expTop = 600
	// expTerms of the Taylor series: up to r^13/13!; the next, for |r| <= ln2/2, is
	// below 2^-56 r.
	expTerms = 13
)

func (s isa) exponential() exponential {
	keep := func(name string, v float64) Op {
		if s.masks {
			return s.broadcast(constant(name, v))
		}
		return vector(name, v)
	}
	x := exponential{
		one: keep("one", 1), middle: keep("half", 0.5),
		top: keep("expTop", expTop), shift: keep("expShift", 0x1.8p52), inverse: keep("expInverse", 1/math.Ln2),
		ln2High: keep("expLn2High", ln2High), ln2Low: keep("expLn2Low", ln2Low),
	}
	factorials := []float64{1}
	for n := 1; n <= expTerms; n++ {
		factorials = append(factorials, factorials[n-1]*float64(n))
	}
	for n := expTerms; n >= 2; n-- {
		name, v := fmt.Sprintf("expTerm%d", n), 1/factorials[n]
		m := vector(name, v)
		if s.masks {
			m = constant(name, v)
		}
		if n%2 == 0 {
			x.even = append(x.even, m)
		} else {
			x.odd = append(x.odd, m)
		}
	}
	return x
}

// exp returns exp(-e) and 1 - exp(-e), e >= 0; e is lost. With -e = k ln2 + r and t
// = expm1(r) they are 2^k + 2^k t and (1 - 2^k) - 2^k t: the first difference is
// exact or rounded once, and 0 where the other is small.
func (x *exponential) exp(s isa, e VecVirtual) (exp, rest VecVirtual) {
	VMINPD(e, s.in(x.top), e) // of a NaN and top: the NaN
	power, k := s.reg(), s.reg()
	VMOVAPD(e, power)
	VFNMADD213PD(x.shift, s.in(x.inverse), power) // the shift plus k
	VSUBPD(x.shift, power, k)
	r := e
	VFNMSUB231PD(x.ln2High, k, r)
	VFNMADD231PD(x.ln2Low, k, r)
	VPSLLQ(U8(52), power, power)
	VPADDQ(x.one, power, power)
	r2 := k
	VMULPD(r, r, r2)
	even, odd := s.horner(x.even, r2), s.horner(x.odd, r2)
	VFMADD231PD(r, odd, even)
	VFMADD231PD(r2, even, r) // t
	rest = even
	VSUBPD(power, s.in(x.one), rest)
	VFNMADD231PD(r, power, rest)
	VFMADD213PD(power, power, r)
	return r, rest
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

// in returns the register that holds x, a new one if that is in memory.
func (s isa) in(x Op) VecVirtual {
	if r, ok := x.(VecVirtual); ok {
		return r
	}
	r := s.reg()
	VMOVUPD(x, r)
	return r
}

var vectors = map[string]Mem{}

// vector returns a number in four neighbouring places of memory; a name has one
// value.
func vector(name string, v float64) Mem {
	m, ok := vectors[name]
	if !ok {
		m = GLOBL(name+"x4", attr.RODATA|attr.NOPTR)
		for k := range 4 {
			DATA(8*k, U64(math.Float64bits(v)))
		}
		vectors[name] = m
	}
	return m
}
