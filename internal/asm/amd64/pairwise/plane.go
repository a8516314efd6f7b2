package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm/rodata"
)

// target is a position in all lanes, and the cursor over its sources.
type target struct {
	isa
	x, y, s, a VecVirtual
	run        []Register // the sources' columns
	count, at  Register   // remaining sources, and the byte offset of the first
}

// target loads the parameters t, r and n.
func (s isa) target() target {
	spot := Mem{Base: Load(Param("t"), GP64())}
	t := target{isa: s, x: s.broadcast(spot), y: s.broadcast(spot.Offset(s.number)), s: s.broadcast(spot.Offset(2 * s.number)), a: s.broadcast(spot.Offset(3 * s.number))}
	t.sources(5)
	return t
}

// sources loads the parameters r, of the given number of columns, and n.
func (t *target) sources(columns int) {
	r := Mem{Base: Load(Param("r"), GP64())}
	for c := range columns {
		t.run = append(t.run, GP64())
		MOVQ(r.Offset(24*c), t.run[c])
	}
	t.count = Load(Param("n"), GP64())
	t.at = GP64()
	XORQ(t.at, t.at)
}

// columns returns the next numbers of a column, with 0 outside the mask.
func (t target) columns(mask Op) func(c int) Op {
	return func(c int) Op {
		m := Mem{Base: t.run[c], Index: t.at, Scale: 1}
		if mask == nil {
			return m
		}
		x := t.reg()
		t.loadMasked(m, mask, x)
		return x
	}
}

// push writes Push and PushFar.
func (s isa) push(name string, far bool) {
	kind := map[int]string{8: "64", 4: "32"}[s.number]
	TEXT(name+s.suffix, NOSPLIT, "func(t *spot"+kind+", r *run"+kind+", n int, f *Force)")
	Pragma("noescape")
	Doc(name + s.suffix + " sets f to the repulsion by the first n sources.")
	t := s.target()
	half := s.half()
	gx, gy, v := s.zero(), s.zero(), s.zero()
	var bound VecVirtual
	if far {
		bound = s.zero()
	}
	s.loop("sources", t.count, t.at, func(Op) {
		column := t.columns(nil)
		dx, dy, q := s.reg(), s.reg(), s.reg()
		s.sub(column(0), t.x, dx)
		s.sub(column(1), t.y, dy)
		u := s.reg()
		s.mul(dx, dx, u)
		s.fma(dy, dy, u) // u = r^2
		s.add(column(2), t.s, q)
		s.fma(half, u, q)
		b := column(3)
		ab, c := s.reg(), s.reg()
		s.mul(b, t.a, ab)
		s.add(b, t.a, c)
		m, den := s.reg(), s.reg()
		s.move(ab, m)
		s.fma(c, q, m) // m = c q + ab
		s.move(m, den)
		s.add(ab, m, m) // no later: AVX2 has 16 registers
		s.fma(q, q, den)
		s.mul(q, den, den) // q (q^2 + m)
		over := s.reg()
		s.load(column(4), over)
		s.div(den, over, over)
		s.mul(over, m, m) // w V_ij
		s.fma(m, dx, gx)
		s.fma(m, dy, gy)
		s.add(m, v, v)
		if far {
			g := s.reg()
			s.add(q, q, g)
			s.add(c, g, g)
			s.mul(q, over, over) // first, so that far pairs do not overflow
			s.fma(over, g, bound)
		}
	})
	f := Mem{Base: Load(Param("f"), GP64())}
	for k, sum := range []VecVirtual{gx, gy, v} {
		VMOVSD(s.total(sum), f.Offset(8*k))
	}
	if far {
		sum := s.total(bound)
		VMULSD(rodata.Number("six", 6), sum, sum)
		VMOVSD(sum, f.Offset(24))
	}
	VZEROUPPER()
	RET()
}

// logs writes Logs.
func (s isa) logs() {
	TEXT("logs"+s.suffix, NOSPLIT, "func(t *spot64, r *run64, n int) float64")
	Pragma("noescape")
	Doc("logs" + s.suffix + " returns the sum over the first n sources.")
	t := s.target()
	half := s.half()
	sum := s.zero()
	log := s.logRatio()
	s.loop("sources", t.count, t.at, func(Op) {
		column := t.columns(nil)
		dx, dy, q := s.reg(), s.reg(), s.reg()
		s.sub(column(0), t.x, dx)
		s.sub(column(1), t.y, dy)
		s.mul(dx, dx, dx)
		s.fma(dy, dy, dx)
		s.add(column(2), t.s, q)
		s.fma(half, dx, q)
		b := column(3)
		m, c, x := s.reg(), s.reg(), s.reg()
		s.mul(b, t.a, m)
		s.add(b, t.a, c)
		s.fma(c, q, m) // (A+B) q + AB
		s.mul(q, q, q)
		s.add(q, m, x)
		s.fma(column(4), log(q, x), sum)
	})
	Store(s.total(sum), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// logRatio returns a function that writes log(p/x) for p <= x; p is overwritten. The ratio is 2^k f
// with f about 1, and
//
//	log f = 2 artanh(z),   z = (2^-k p - x)/(2^-k p + x),   |z| <= 0.2,
//
// a series. k is the difference of the bits of p and x, rounded: the bits are the logarithm to
// within 0.09.
func (s isa) logRatio() func(p, x VecVirtual) VecVirtual {
	bits := func(name string, v uint64) func() VecVirtual {
		return s.kept(rodata.Number(name, math.Float64frombits(v)))
	}
	round := bits("round", 1023<<52+1<<51)
	twice := bits("twice", 2046<<52)
	magic := s.kept(rodata.Number("magic", 1<<52))
	unbias := s.kept(rodata.Number("unbias", 1<<52+1023))
	ln2 := s.kept(rodata.Number("ln2", math.Ln2))
	return func(p, x VecVirtual) VecVirtual {
		k := s.reg()
		VPSUBQ(x, p, k)
		VPADDQ(round(), k, k)
		VPSRLQ(U8(52), k, k) // k + 1023
		scale := s.reg()
		VPSLLQ(U8(52), k, scale)
		two := twice()
		VPSUBQ(scale, two, scale) // 2^-k
		VORPD(magic(), k, k)
		s.sub(unbias(), k, k)

		s.mul(scale, p, p)
		z, z2 := s.reg(), s.reg()
		s.sub(x, p, z)
		s.add(x, p, p)
		s.div(p, z, z)
		s.mul(z, z, z2)
		series := s.reg()
		s.move(s.broadcast(rodata.Number("odd17", 1./17)), series)
		for odd := 15; odd > 1; odd -= 2 {
			s.fma213(z2, series, rodata.Number(fmt.Sprintf("odd%d", odd), 1/float64(odd)))
		}
		s.fma213(z2, series, rodata.Number("one", 1)) // 1 + z^2/3 + ...
		s.add(z, z, z)
		s.mul(ln2(), k, k)
		s.fma(series, z, k)
		return k
	}
}

// fma213 sets p to p z + c, c a number in memory.
func (s isa) fma213(z, p VecVirtual, c Mem) {
	VFMADD213PD(s.broadcast(c), z, p)
}

// half returns 1/2 in all lanes.
func (s isa) half() VecVirtual {
	if s.number == 8 {
		return s.broadcast(rodata.Number("half", 0.5))
	}
	return s.broadcast(rodata.Single("half32", 0.5))
}

// accumulate adds a b to sum, in the lanes of the mask.
func (s isa) accumulate(mask, a Op, b, sum VecVirtual) {
	if mask == nil {
		s.fma(a, b, sum)
	} else {
		s.fma(a, b, mask, sum)
	}
}

// addMasked adds a to sum, in the lanes of the mask.
func (s isa) addMasked(mask Op, a, sum VecVirtual) {
	if mask == nil {
		s.add(a, sum, sum)
	} else {
		s.add(a, sum, mask, sum)
	}
}
