package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm/rodata"
)

// spaceTarget loads the parameters t, r and n of a three-dimensional kernel: s is 3 sigma_i^2 and a
// is 1/(3 Delta_i^2).
func (s isa) spaceTarget() (t target, z VecVirtual) {
	spot := Mem{Base: Load(Param("t"), GP64())}
	own := func(k int) VecVirtual { return s.broadcast(spot.Offset(k * s.number)) }
	t = target{isa: s, x: own(0), y: own(1), s: own(3), a: own(4)}
	z = own(2)
	t.sources(6)
	return t, z
}

// difference emits the coordinate difference between a source and the target in dimension c.
func (t target) difference(column func(c int) Op, c int, own VecVirtual) VecVirtual {
	d := t.reg()
	t.sub(column(c), own, d)
	return d
}

// reduced writes p = 3 q = 3 sigma_i^2 + 3 sigma_j^2 + r^2.
func (t target) reduced(column func(c int) Op, z VecVirtual) VecVirtual {
	p := t.reg()
	t.add(column(3), t.s, p)
	for c, own := range []VecVirtual{t.x, t.y, z} {
		d := t.difference(column, c, own)
		t.fma(d, d, p)
	}
	return p
}

// pushSpace writes PushSpace32. With Y = 2y and h = Y^2 + 2Y a direction is
//
//	(1/q) y^3 (1+y)/(1+y+y^2) = (1/4q) Y^2 h/(4+h),
//
// and both directions share one denominator. Differences of positions are computed twice, because
// AVX2 has only 16 registers.
func (s isa) pushSpace() {
	TEXT("pushSpace32"+s.suffix, NOSPLIT, "func(t *spaceSpot32, r *spaceRun32, n int, f *SpaceForce)")
	Pragma("noescape")
	Doc("pushSpace32" + s.suffix + " sets f to the repulsion by the first n sources.")
	t, z := s.spaceTarget()
	gx, gy, gz, v := s.zero(), s.zero(), s.zero(), s.zero()
	two := s.kept(rodata.Single("two32", 2))
	four := s.kept(rodata.Single("four32", 4))
	root := s.inverseRoot()
	// direction returns Y^2 h and 4 + h.
	direction := func(p VecVirtual, inverse Op) (above, below VecVirtual) {
		y := root(p, inverse)
		square, h := s.reg(), s.reg()
		s.mul(y, y, square)
		s.move(square, h)
		s.fma(two(), y, h)
		s.mul(square, h, square)
		s.add(four(), h, h)
		return square, h
	}
	s.loop("sources", t.count, t.at, func(mask Op) {
		column := t.columns(mask)
		p := t.reduced(column, z)
		a, u := direction(p, t.a)
		b, w := direction(p, column(4))
		s.mul(w, a, a)
		s.fma(u, b, a)
		s.mul(u, p, p)
		s.mul(w, p, p)
		over := s.reg()
		if mask == nil {
			s.load(column(5), over)
			s.div(p, over, over)
		} else {
			s.divMasked(p, column(5).(VecVirtual), mask, over)
		}
		s.mul(over, a, a)
		s.addMasked(mask, a, v)
		s.accumulate(mask, a, t.difference(column, 0, t.x), gx)
		s.accumulate(mask, a, t.difference(column, 1, t.y), gy)
		s.accumulate(mask, a, t.difference(column, 2, z), gz)
	})
	f := Mem{Base: Load(Param("f"), GP64())}
	for k, sum := range []VecVirtual{gx, gy, gz, v} {
		sum := s.total(sum)
		VMULSD(rodata.Number("threequarters", 0.75), sum, sum)
		VMOVSD(sum, f.Offset(8*k))
	}
	VZEROUPPER()
	RET()
}

// inverseRoot returns a function that writes Y = 2/sqrt(z), z = 1 + p inverse, bounded. It uses an
// estimate of 12 or 14 bits and a step of Newton's method, Y = y (3 - z y^2).
func (s isa) inverseRoot() func(p VecVirtual, inverse Op) VecVirtual {
	one := s.kept(rodata.Single("one32", 1))
	three := s.kept(rodata.Single("three32", 3))
	top := s.kept(rodata.Single("top32", 1e30))
	return func(p VecVirtual, inverse Op) VecVirtual {
		z, y, rest := s.reg(), s.reg(), s.reg()
		s.move(one(), z)
		s.fma(inverse, p, z)
		VMINPS(z, top(), z) // of a NaN and the bound: the NaN
		if s.masks {
			VRSQRT14PS(z, y)
		} else {
			VRSQRTPS(z, y)
		}
		s.mul(z, y, z)
		s.move(three(), rest)
		VFNMADD231PS(z, y, rest)
		s.mul(rest, y, y)
		return y
	}
}

// root returns the square root of z, which must be finite and at least 1. With masks there is an
// instruction for 1/sqrt z to 14 bits. Two steps of Newton's method and a last correction of the
// root make it accurate to a unit in the last place, in a quarter of the time of the square-root
// instruction.
func (s isa) root(z VecVirtual) VecVirtual {
	root := s.reg()
	if !s.masks {
		VSQRTPD(z, root)
		return root
	}
	half, y, h := s.broadcast(rodata.Number("half", 0.5)), s.reg(), s.reg()
	VRSQRT14PD(z, y)
	VMULPD(half, z, h)
	for range 2 {
		e, hy := s.reg(), s.reg()
		VMULPD(h, y, hy)
		VMOVAPD(half, e)
		VFNMADD231PD(hy, y, e) // 1/2 - z y^2/2
		VFMADD231PD(e, y, y)
	}
	VMULPD(z, y, root)
	e := s.reg()
	VMOVAPD(z, e)
	VFNMADD231PD(root, root, e) // z - root^2
	VMULPD(half, y, y)
	VFMADD231PD(e, y, root)
	return root
}

// logsSpace writes LogsSpace. With x = q/Delta^2, z = 1 + x and g = 1 + sqrt z it takes the
// logarithm of the product of the fractions x (g + z) / (g z sqrt z) of both directions.
func (s isa) logsSpace() {
	TEXT("logsSpace"+s.suffix, NOSPLIT, "func(t *spaceSpot64, r *spaceRun64, n int) float64")
	Pragma("noescape")
	Doc("logsSpace" + s.suffix + " returns the sum over the first n sources.")
	t, z := s.spaceTarget()
	sum := s.zero()
	log := s.logRatio()
	one := s.kept(rodata.Number("one", 1))
	top := s.kept(rodata.Number("top", 1e56))
	fraction := func(p VecVirtual, inverse Op) (above, below VecVirtual) {
		x, z, g := s.reg(), s.reg(), s.reg()
		s.mul(inverse, p, x)
		VMINPD(x, top(), x) // of a NaN and the bound: the NaN
		s.add(one(), x, z)
		root := s.root(z)
		s.add(one(), root, g)
		s.mul(z, root, root)
		s.add(g, z, z)
		s.mul(z, x, x)
		s.mul(root, g, g)
		return x, g
	}
	s.loop("sources", t.count, t.at, func(mask Op) {
		column := t.columns(mask)
		p := t.reduced(column, z)
		a, u := fraction(p, t.a)
		b, w := fraction(p, column(4))
		s.mul(b, a, a)
		s.mul(w, u, u)
		s.accumulate(mask, column(5), log(a, u), sum)
	})
	Store(s.total(sum), ReturnIndex(0))
	VZEROUPPER()
	RET()
}
