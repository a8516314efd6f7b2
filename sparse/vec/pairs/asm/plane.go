package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// push writes Push and PushFar.
func (s isa) push(name string, far bool) {
	TEXT(name+s.suffix, NOSPLIT, "func(t *Spot, r *Run, n int, f *Force)")
	Pragma("noescape")
	Doc(name + s.suffix + " sets f to what the first n sources do.")
	t := Mem{Base: Load(Param("t"), GP64())}
	tx, ty, ts, ta := s.broadcast(t), s.broadcast(t.Offset(8)), s.broadcast(t.Offset(16)), s.broadcast(t.Offset(24))
	r := Mem{Base: Load(Param("r"), GP64())}
	columns := make([]Register, 5)
	for c := range columns {
		columns[c] = GP64()
		MOVQ(r.Offset(24*c), columns[c])
	}
	count := Load(Param("n"), GP64())
	at := GP64()
	XORQ(at, at)
	half := s.broadcast(constant("half", 0.5))
	gx, gy, v := s.zero(), s.zero(), s.zero()
	var bound VecVirtual
	if far {
		bound = s.zero()
	}
	s.loop("sources", count, at, func(mask Op) {
		// column returns the next numbers of a column; others than the masked are 0.
		column := func(c int) Op {
			m := Mem{Base: columns[c], Index: at, Scale: 1}
			if mask == nil {
				return m
			}
			x := s.reg()
			VMOVUPD_Z(m, mask, x)
			return x
		}
		dx, dy, q := s.reg(), s.reg(), s.reg()
		VSUBPD(column(0), tx, dx)
		VSUBPD(column(1), ty, dy)
		u := s.reg()
		VMULPD(dx, dx, u)
		VFMADD231PD(dy, dy, u) // u = r^2
		VADDPD(column(2), ts, q)
		VFMADD231PD(half, u, q)
		b := column(3)
		ab, c := s.reg(), s.reg()
		VMULPD(b, ta, ab)
		VADDPD(b, ta, c)
		m, den := s.reg(), s.reg()
		VMOVAPD(ab, m)
		VFMADD231PD(c, q, m) // m = c q + ab
		VMOVAPD(m, den)
		VFMADD231PD(q, q, den)
		VMULPD(q, den, den) // q (q^2 + m)
		over := s.reg()
		if mask == nil {
			VMOVUPD(column(4), over)
			VDIVPD(den, over, over)
		} else {
			VDIVPD_Z(den, column(4).(VecVirtual), mask, over)
		}
		VADDPD(ab, m, m)
		VMULPD(over, m, m) // w V_ij
		s.accumulate(mask, m, dx, gx)
		s.accumulate(mask, m, dy, gy)
		s.add(mask, m, v)
		if far {
			g := s.reg()
			VADDPD(q, q, g)
			VADDPD(c, g, g)
			VMULPD(q, g, g)
			s.accumulate(mask, over, g, bound)
		}
	})
	f := Mem{Base: Load(Param("f"), GP64())}
	for k, sum := range []VecVirtual{gx, gy, v} {
		VMOVSD(s.total(sum), f.Offset(8*k))
	}
	if far {
		sum := s.total(bound)
		VMULSD(constant("six", 6), sum, sum)
		VMOVSD(sum, f.Offset(24))
	}
	VZEROUPPER()
	RET()
}

// accumulate adds a b to sum, in the lanes of the mask.
func (s isa) accumulate(mask Op, a, b, sum VecVirtual) {
	if mask == nil {
		VFMADD231PD(a, b, sum)
	} else {
		VFMADD231PD(a, b, mask, sum)
	}
}

// add adds a to sum, in the lanes of the mask.
func (s isa) add(mask Op, a, sum VecVirtual) {
	if mask == nil {
		VADDPD(a, sum, sum)
	} else {
		VADDPD(a, sum, mask, sum)
	}
}
