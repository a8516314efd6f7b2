package main

import "unfold/internal/asm/a64"

// The kernels of blocks process lanes sources at a time, in vectors of two; lanes is the same as in
// package pairwise.
const (
	lanes   = 8
	vectors = lanes / 2
)

// do writes an instruction on pairs of float64, copy a move.
func (a *kernels) do(op string, d, n a64.V, m ...a64.V) { a.Do(op, "2d", d, n, m...) }

func (a *kernels) copy(d, n a64.V) { a.Do("orr", "16b", d, n, n) }

// broadcast loads a number into both elements.
func (a *kernels) broadcast(base a64.R, offset int, to a64.V) {
	a.Scalar(8, base, offset, to)
	a.P("VDUP\t%s, %v.D2", to.Lane("D", 0), to)
}

// distances keeps the sums of eight sources in registers and loops over the dimensions.
func (a *kernels) distances() {
	a.Func("distancesNEON", "r2 *float64, n int, mu *float64, columns *[]float64, d int", "",
		"sets n values of r2, n a positive multiple of the lanes, for d of at least 1.")
	out, n, mu, columns, d := a.Arg("r2"), a.Arg("n"), a.Arg("mu"), a.Arg("columns"), a.Arg("d")
	at, c, header, left, base := a.Int(), a.Int(), a.Int(), a.Int(), a.Int()
	sums, x, place := a.Vecs(vectors), a.Vecs(vectors), a.Vec()
	a.P("MOVD\tZR, %v", at)
	a.Label("sources")
	a.Zero(sums...)
	a.P("MOVD\t%v, %v", mu, c)
	a.P("MOVD\t%v, %v", columns, header)
	a.P("MOVD\t%v, %v", d, left)
	a.Label("dimension")
	a.P("MOVD.P\t%d(%v), %v", slice, header, base)
	a.P("ADD\t%v, %v, %v", at, base, base)
	a.broadcast(c, 0, place)
	a.P("ADD\t$8, %v, %v", c, c)
	a.Quads(base, 0, x...)
	for i, v := range x {
		a.do("fsub", v, place, v)
		a.do("fmla", sums[i], v, v)
	}
	a.Next(left, "dimension")
	a.StoreQuads(out, 0, sums...)
	a.P("ADD\t$%d, %v, %v", 8*lanes, out, out)
	a.P("ADD\t$%d, %v, %v", 8*lanes, at, at)
	a.P("SUBS\t$%d, %v, %v", lanes, n, n)
	a.P("BNE\tsources")
	a.Return()
}

// gather loops over the sources once for each column, and once for their sum.
func (a *kernels) gather() {
	a.Func("gatherNEON", "sum, v *float64, n int, columns *[]float64, d int", "",
		"adds the sums over n sources, n a positive multiple of the lanes, for d of at least 1.")
	sum, v, n, columns, d := a.Arg("sum"), a.Arg("v"), a.Arg("n"), a.Arg("columns"), a.Arg("d")
	at, base, left := a.Int(), a.Int(), a.Int()
	sums, x, f, old := a.Vecs(vectors), a.Vecs(vectors), a.Vecs(vectors), a.Vec()
	pass := func(label string, term func()) {
		a.Zero(sums...)
		a.P("MOVD\t%v, %v", v, at)
		a.P("MOVD\t%v, %v", n, left)
		a.Label(label)
		a.Quads(at, 0, f...)
		a.P("ADD\t$%d, %v, %v", 8*lanes, at, at)
		term()
		a.P("SUBS\t$%d, %v, %v", lanes, left, left)
		a.P("BNE\t%s", label)
		a.do("fadd", sums[0], sums[0], sums[2])
		a.do("fadd", sums[1], sums[1], sums[3])
		a.do("fadd", sums[0], sums[0], sums[1])
		a.do("faddp", sums[0], sums[0], sums[0])
		a.Scalar(8, sum, 0, old)
		a.do("fadd", sums[0], old, sums[0])
		a.P("FMOVD.P\t%s, 8(%v)", sums[0].F(), sum)
	}
	a.Label("column")
	a.P("MOVD.P\t%d(%v), %v", slice, columns, base)
	pass("product", func() {
		a.Quads(base, 0, x...)
		a.P("ADD\t$%d, %v, %v", 8*lanes, base, base)
		for i, s := range sums {
			a.do("fmla", s, f[i], x[i])
		}
	})
	a.Next(d, "column")
	pass("total", func() {
		for i, s := range sums {
			a.do("fadd", s, s, f[i])
		}
	})
	a.Return()
}

// Offsets of the fields of a Block.
const (
	fieldR2      = slice * 0
	fieldS       = slice * 1
	fieldInv     = slice * 2
	fieldW       = slice * 3
	fieldV       = slice * 4
	fieldSigma2  = slice*5 + 8*0
	fieldInverse = slice*5 + 8*1
	fieldShare   = slice*5 + 8*2
	fieldTop     = slice*5 + 8*3
	fieldHalf    = slice*5 + 8*4
	fieldLead    = slice*5 + 8*5
	fieldOdd     = slice*5 + 8*6
)

// repulsions processes two sources at a time, with their own powers and the target's in one
// register.
func (a *kernels) repulsions() {
	a.Func("repulsionsNEON", "b *Block, n int", "", "sets the first n values of V, n a positive multiple of two.")
	b, n := a.Arg("b"), a.Arg("n")
	field := func(offset int) a64.R {
		r := a.Int()
		a.P("MOVD\t%d(%v), %v", offset, b, r)
		return r
	}
	number := func(offset int) a64.V {
		v := a.Vec()
		a.broadcast(b, offset, v)
		return v
	}
	r2, s, inv, w, out := field(fieldR2), field(fieldS), field(fieldInv), field(fieldW), field(fieldV)
	half, lead, odd, bit, work := field(fieldHalf), field(fieldLead), field(fieldOdd), a.Int(), a.Int()
	sigma2, inverse, share, top := number(fieldSigma2), number(fieldInverse), number(fieldShare), number(fieldTop)
	one := a.Vec()
	a.P("FMOVD\t$1.0, %s", one.F())
	a.P("VDUP\t%s, %v.D2", one.Lane("D", 0), one)
	x, own, other, weight := a.Vec(), a.Vec(), a.Vec(), a.Vec()
	z, sum, power, root := a.Vecs(2), a.Vecs(2), a.Vecs(2), a.Vecs(2)
	load := func(from a64.R, to a64.V) { a.P("FMOVQ.P\t16(%v), %s", from, to.F()) }

	a.Label("sources")
	load(r2, own)
	load(s, x)
	load(inv, other)
	load(w, weight)
	a.do("fadd", x, sigma2, x)
	a.do("fmla", x, own, share)
	a.do("fmin", x, x, top) // of a NaN and top: the NaN
	a.copy(z[0], one)
	a.do("fmla", z[0], x, inverse)
	a.copy(z[1], one)
	a.do("fmla", z[1], x, other)
	a.P("CBNZ\t%v, some", half)
	for k := range z { // d = 1: S_0 = 0, z^0 = 1
		a.Zero(sum[k])
		a.copy(power[k], one)
	}
	a.P("B\traised")
	a.Label("some")
	for k := range z {
		a.copy(sum[k], one)
		a.copy(power[k], z[k])
	}
	a.P("MOVD\t%v, %v", lead, bit)
	a.Label("bits")
	a.P("CBZ\t%v, raised", bit)
	for k := range z {
		a.do("fmla", sum[k], sum[k], power[k])
		a.do("fmul", power[k], power[k], power[k])
	}
	a.P("SUB\t$1, %v, %v", bit, bit)
	a.P("LSR\t%v, %v, %v", bit, half, work)
	a.P("TBZ\t$0, %v, bits", work)
	for k := range z {
		a.copy(own, one)
		a.do("fmla", own, z[k], sum[k])
		a.copy(sum[k], own)
		a.do("fmul", power[k], power[k], z[k])
	}
	a.P("B\tbits")

	a.Label("raised")
	a.P("CBNZ\t%v, root", odd)
	for k := range z {
		a.do("fmul", z[k], z[k], sum[k])
	}
	a.do("fadd", own, z[0], z[1])
	a.P("B\tdivide")
	a.Label("root")
	for k := range z {
		a.do("fsqrt", root[k], z[k])
		a.do("fadd", root[k], one, root[k])
		a.do("fmla", power[k], root[k], sum[k])
		a.do("fmul", z[k], z[k], power[k])
	}
	a.do("fmul", own, root[0], z[1])
	a.do("fmla", own, root[1], z[0])
	a.Label("divide")
	a.do("fmul", own, weight, own)
	a.do("fmul", x, x, z[0])
	a.do("fmul", x, x, z[1])
	a.do("fdiv", own, own, x)
	a.P("FMOVQ.P\t%s, 16(%v)", own.F(), out)
	a.P("SUBS\t$2, %v, %v", n, n)
	a.P("BNE\tsources")
	a.Return()
}
