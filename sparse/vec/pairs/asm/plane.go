package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// push writes Push and PushFar.
func (s isa) push(name string, far bool) {
	kind := map[int]string{8: "64", 4: "32"}[s.number]
	TEXT(name+s.suffix, NOSPLIT, "func(t *spot"+kind+", r *run"+kind+", n int, f *Force)")
	Pragma("noescape")
	Doc(name + s.suffix + " sets f to what the first n sources do.")
	t := Mem{Base: Load(Param("t"), GP64())}
	tx, ty, ts, ta := s.broadcast(t), s.broadcast(t.Offset(s.number)), s.broadcast(t.Offset(2*s.number)), s.broadcast(t.Offset(3*s.number))
	r := Mem{Base: Load(Param("r"), GP64())}
	columns := make([]Register, 5)
	for c := range columns {
		columns[c] = GP64()
		MOVQ(r.Offset(24*c), columns[c])
	}
	count := Load(Param("n"), GP64())
	at := GP64()
	XORQ(at, at)
	half := s.half()
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
			s.loadMasked(m, mask, x)
			return x
		}
		dx, dy, q := s.reg(), s.reg(), s.reg()
		s.sub(column(0), tx, dx)
		s.sub(column(1), ty, dy)
		u := s.reg()
		s.mul(dx, dx, u)
		s.fma(dy, dy, u) // u = r^2
		s.add(column(2), ts, q)
		s.fma(half, u, q)
		b := column(3)
		ab, c := s.reg(), s.reg()
		s.mul(b, ta, ab)
		s.add(b, ta, c)
		m, den := s.reg(), s.reg()
		s.move(ab, m)
		s.fma(c, q, m) // m = c q + ab
		s.move(m, den)
		s.fma(q, q, den)
		s.mul(q, den, den) // q (q^2 + m)
		over := s.reg()
		if mask == nil {
			s.load(column(4), over)
			s.div(den, over, over)
		} else {
			s.divMasked(den, column(4).(VecVirtual), mask, over)
		}
		s.add(ab, m, m)
		s.mul(over, m, m) // w V_ij
		s.accumulate(mask, m, dx, gx)
		s.accumulate(mask, m, dy, gy)
		s.addMasked(mask, m, v)
		if far {
			g := s.reg()
			s.add(q, q, g)
			s.add(c, g, g)
			s.mul(q, over, over) // first, so that far pairs do not overflow
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

// half returns 1/2 in all lanes.
func (s isa) half() VecVirtual {
	if s.number == 8 {
		return s.broadcast(constant("half", 0.5))
	}
	return s.broadcast(single("half32", 0.5))
}

// accumulate adds a b to sum, in the lanes of the mask.
func (s isa) accumulate(mask Op, a, b, sum VecVirtual) {
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
