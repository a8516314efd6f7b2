package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gaussPush writes the kernel that adds term times differences to the sums.
func (s isa) gaussPush() {
	k := s.gaussKernel("gaussPush", "adds term times differences to the sums of both ends.", false)
	term, start, n := k.scratch(gaussTerm), GP64(), GP64()
	MOVQ(k.at, start)
	MOVQ(k.left, n)
	places, sums, d := k.pointer(gaussMu), k.pointer(gaussSum), k.pointer(gaussMuLen)
	Label("column")
	mu, sum := GP64(), GP64()
	MOVQ(Mem{Base: places}, mu)
	MOVQ(Mem{Base: sums}, sum)
	x, total := s.broadcast(Mem{Base: mu, Index: k.u, Scale: 8}), s.zero()
	k.over("partners", func() {
		f := s.reg()
		VSUBPD(k.partners(mu), x, f)
		VMULPD(k.partners(term), f, f)
		VADDPD(f, total, total)
		to := Mem{Base: sum, Index: k.at, Scale: 1}
		old := s.in(k.tail.column(s, to))
		VSUBPD(f, old, old)
		k.tail.store(s, old, to)
	})
	k.addOwn(total, sum)
	MOVQ(start, k.at)
	MOVQ(n, k.left)
	ADDQ(U8(24), places)
	ADDQ(U8(24), sums)
	DECQ(d)
	JNE(LabelRef("column"))
	VZEROUPPER()
	RET()
}

// gaussSpread writes the kernel that adds term to the sums.
func (s isa) gaussSpread() {
	k := s.gaussKernel("gaussSpread", "adds term to the first sums of both ends.", false)
	term, sum := k.scratch(gaussTerm), k.pointer(gaussSum)
	MOVQ(Mem{Base: sum}, sum)
	total := s.zero()
	k.over("partners", func() {
		f := s.in(k.partners(term))
		VADDPD(f, total, total)
		to := Mem{Base: sum, Index: k.at, Scale: 1}
		old := s.reg()
		VADDPD(k.tail.column(s, to), f, old)
		k.tail.store(s, old, to)
	})
	k.addOwn(total, sum)
	VZEROUPPER()
	RET()
}

// gaussWhole writes the kernel that computes terms and adds them to the sums in one pass, in the
// plane, for instruction sets with masks.
func (s isa) gaussWhole(name, kind, doc string) {
	k := s.gaussKernel(name, doc, true)
	sums := k.pointer(gaussSum)
	k.keep = GP64()
	LEAQ(Mem{Base: k.g, Disp: gaussKeep}, k.keep)
	var columns []Register
	var totals []VecVirtual
	for c := range map[string]int{"Weights": 2, "Excess": 1}[kind] {
		r := GP64()
		MOVQ(Mem{Base: sums, Disp: 24 * c}, r)
		columns, totals = append(columns, r), append(totals, s.zero())
	}
	distance, both := k.distance(), k.both(kind)
	k.over("partners", func() {
		m2, difference := distance()
		term, _ := both(m2)
		for c, base := range columns {
			to := Mem{Base: base, Index: k.at, Scale: 1}
			if kind == "Excess" {
				VADDPD(term, totals[c], totals[c])
				VADDPD(k.tail.column(s, to), term, term)
				k.tail.store(s, term, to)
				continue
			}
			f, old := difference[c], s.in(k.tail.column(s, to))
			VFMADD231PD(term, f, totals[c])
			VFNMADD231PD(term, f, old)
			k.tail.store(s, old, to)
		}
	})
	for c, base := range columns {
		k.addOwn(totals[c], base)
	}
	VZEROUPPER()
	RET()
}

// kept8 loads the bits of the current partners.
func (k *gauss) kept8() Register {
	m := K()
	KMOVB(Mem{Base: k.keep}, m)
	return m
}

// addOwn adds the lanes of r to u's number of a column.
func (k *gauss) addOwn(r VecVirtual, base Register) {
	at := Mem{Base: base, Index: k.u, Scale: 8}
	t := k.total(r)
	VADDSD(at, t, t)
	VMOVSD(t, at)
}

// tail is the remaining lanes after the whole registers: a mask, or an address of lanes of all ones
// and zeros.
type tail struct {
	mask Register
	ones Mem
}

// tail makes that of left lanes.
func (s isa) tail(left Register) *tail {
	if s.masks {
		bits, k := GP64(), K()
		MOVQ(I64(-1), bits)
		BZHIQ(left, bits, bits) // keeps the lowest bits
		KMOVW(bits.As32(), k)
		return &tail{mask: k}
	}
	base, from := GP64(), GP64()
	LEAQ(onesAndZeros(), base)
	MOVQ(I32(4), from)
	SUBQ(left, from)
	return &tail{ones: Mem{Base: base, Index: from, Scale: 8}}
}

// column returns numbers in memory, with 0 in lanes outside the tail.
func (t *tail) column(s isa, m Mem) Op {
	if t == nil {
		return m
	}
	x := s.reg()
	if s.masks {
		VMOVUPD_Z(m, t.mask, x)
	} else {
		VMASKMOVPD(m, s.in(t.ones), x)
	}
	return x
}

// store writes the lanes that are left.
func (t *tail) store(s isa, x VecVirtual, m Mem) {
	switch {
	case t == nil:
		VMOVUPD(x, m)
	case s.masks:
		VMOVUPD(x, t.mask, m)
	default:
		VMASKMOVPD(x, s.in(t.ones), m)
	}
}

var ones Mem

// onesAndZeros returns four lanes of ones and four of zeros, in memory.
func onesAndZeros() Mem {
	if ones.Symbol.Name == "" {
		ones = GLOBL("ones", attr.RODATA|attr.NOPTR)
		for k := range 8 {
			v := U64(0)
			if k < 4 {
				v = ^v
			}
			DATA(8*k, v)
		}
	}
	return ones
}
