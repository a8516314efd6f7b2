package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm/rodata"
)

// distances writes Distances for a number of sources that fills whole registers, four registers at
// a time and then one.
func (s isa) distances() {
	TEXT("distances"+s.suffix, NOSPLIT, "func(r2 *float64, n int, mu *float64, columns *[]float64, d int)")
	Pragma("noescape")
	Doc("distances" + s.suffix + " sets n values of r2, n a multiple of the lanes.")
	out := Load(Param("r2"), GP64())
	n := Load(Param("n"), GP64())
	mu := Load(Param("mu"), GP64())
	columns := Load(Param("columns"), GP64())
	d := Load(Param("d"), GP64())
	at := GP64()
	XORQ(at, at)
	for _, width := range []int{4, 1} {
		name := map[int]string{4: "four", 1: "one"}[width]
		Label(name)
		CMPQ(n, U32(uint32(width*s.lanes())))
		JL(LabelRef(name + "_end"))
		sums := make([]VecVirtual, width)
		for k := range sums {
			sums[k] = s.zero()
		}
		c, header := GP64(), GP64()
		XORQ(c, c)
		MOVQ(columns, header)
		Label(name + "_dimension")
		base := GP64()
		MOVQ(Mem{Base: header}, base)
		x := s.broadcast(Mem{Base: mu, Index: c, Scale: 8})
		for k, sum := range sums {
			e := s.reg()
			VSUBPD(Mem{Base: base, Index: at, Scale: 1, Disp: k * s.size()}, x, e)
			VFMADD231PD(e, e, sum)
		}
		ADDQ(U32(24), header)
		INCQ(c)
		CMPQ(c, d)
		JL(LabelRef(name + "_dimension"))
		for k, sum := range sums {
			VMOVUPD(sum, Mem{Base: out, Index: at, Scale: 1, Disp: k * s.size()})
		}
		ADDQ(U32(uint32(width*s.size())), at)
		SUBQ(U32(uint32(width*s.lanes())), n)
		JMP(LabelRef(name))
		Label(name + "_end")
	}
	VZEROUPPER()
	RET()
}

// Offsets of the fields of a Block.
const (
	fieldR2      = 24 * 0
	fieldS       = 24 * 1
	fieldInv     = 24 * 2
	fieldW       = 24 * 3
	fieldV       = 24 * 4
	fieldSigma2  = 24*5 + 8*0
	fieldInverse = 24*5 + 8*1
	fieldShare   = 24*5 + 8*2
	fieldTop     = 24*5 + 8*3
	fieldHalf    = 24*5 + 8*4
	fieldLead    = 24*5 + 8*5
	fieldOdd     = 24*5 + 8*6
)

// repulsions writes Repulsions for a number of sources that fills whole registers.
func (s isa) repulsions() {
	TEXT("repulsions"+s.suffix, NOSPLIT, "func(b *Block, n int)")
	Pragma("noescape")
	Doc("repulsions" + s.suffix + " sets the first n values of V, n a multiple of the lanes.")
	b := Mem{Base: Load(Param("b"), GP64())}
	n := Load(Param("n"), GP64())
	pointer := func(field int) Register {
		r := GP64()
		MOVQ(b.Offset(field), r)
		return r
	}
	r2, sigma2, inv, w, out := pointer(fieldR2), pointer(fieldS), pointer(fieldInv), pointer(fieldW), pointer(fieldV)
	half := pointer(fieldHalf)
	own, inverse, share, top := s.broadcast(b.Offset(fieldSigma2)), s.broadcast(b.Offset(fieldInverse)),
		s.broadcast(b.Offset(fieldShare)), s.broadcast(b.Offset(fieldTop))
	one := s.broadcast(rodata.Number("one", 1))
	at := GP64()
	XORQ(at, at)

	Label("sources")
	CMPQ(n, U32(uint32(s.lanes())))
	JL(LabelRef("end"))
	x := s.reg()
	VADDPD(Mem{Base: sigma2, Index: at, Scale: 1}, own, x)
	VFMADD231PD(Mem{Base: r2, Index: at, Scale: 1}, share, x)
	VMINPD(x, top, x) // of a NaN and top: the NaN
	z := [2]VecVirtual{s.reg(), s.reg()}
	VMOVAPD(one, z[0])
	VFMADD231PD(x, inverse, z[0])
	VMOVAPD(one, z[1])
	VFMADD231PD(Mem{Base: inv, Index: at, Scale: 1}, x, z[1])
	var sum, power [2]VecVirtual
	for k := range z {
		sum[k], power[k] = s.reg(), s.reg()
		VMOVAPD(one, sum[k])
		VMOVAPD(z[k], power[k])
	}
	TESTQ(half, half)
	JNE(LabelRef("some"))
	for k := range z { // d = 1: S_0 = 0, z^0 = 1
		VSUBPD(sum[k], sum[k], sum[k])
		VMOVAPD(one, power[k])
	}
	Label("some")
	s.double(b, half, one, z, sum, power)

	CMPQ(b.Offset(fieldOdd), U8(0))
	JNE(LabelRef("odd"))
	u, v := sum[0], sum[1]
	VMULPD(z[0], u, u)
	VMULPD(z[1], v, v)
	VADDPD(u, v, z[0]) // the numerator
	JMP(LabelRef("divide"))

	Label("odd")
	for k := range z {
		root := s.reg()
		VSQRTPD(z[k], root)
		VADDPD(one, root, root)
		VFMADD231PD(root, sum[k], power[k]) // g S + z^h
		VMULPD(z[k], power[k], sum[k])
		VMOVAPD(root, z[k])
	}
	VMULPD(z[0], v, z[0])
	VFMADD231PD(z[1], u, z[0])

	Label("divide")
	VMULPD(u, v, u)
	VMULPD(x, u, u)
	VMULPD(Mem{Base: w, Index: at, Scale: 1}, z[0], z[0])
	VDIVPD(u, z[0], z[0])
	VMOVUPD(z[0], Mem{Base: out, Index: at, Scale: 1})
	ADDQ(U32(uint32(s.size())), at)
	SUBQ(U32(uint32(s.lanes())), n)
	JMP(LabelRef("sources"))
	Label("end")
	VZEROUPPER()
	RET()
}

// double converts sum = 1, power = z to S_h(z) and z^h, by the bits of h below the highest.
func (s isa) double(b Mem, half Register, one VecVirtual, z, sum, power [2]VecVirtual) {
	bit := GP64()
	MOVQ(b.Offset(fieldLead), bit)
	Label("bits")
	SUBQ(U8(1), bit)
	JL(LabelRef("bits_end"))
	for k := range z {
		VFMADD231PD(sum[k], power[k], sum[k])
		VMULPD(power[k], power[k], power[k])
	}
	BTQ(bit, half)
	JCC(LabelRef("bits"))
	for k := range z {
		VFMADD213PD(one, z[k], sum[k]) // sum = z sum + 1
		VMULPD(z[k], power[k], power[k])
	}
	JMP(LabelRef("bits"))
	Label("bits_end")
}

// gather writes Gather for a number of sources that fills whole registers: four columns at a time,
// then one, and the sum of v alone.
func (s isa) gather() {
	TEXT("gather"+s.suffix, NOSPLIT, "func(sum, v *float64, n int, columns *[]float64, d int)")
	Pragma("noescape")
	Doc("gather" + s.suffix + " adds the sums over n sources, n a multiple of the lanes.")
	out := Load(Param("sum"), GP64())
	v := Load(Param("v"), GP64())
	n := Load(Param("n"), GP64())
	header := Load(Param("columns"), GP64())
	d := Load(Param("d"), GP64())
	SHLQ(U8(3), n) // in bytes
	at := GP64()
	for _, width := range []int{4, 1} {
		name := map[int]string{4: "four", 1: "one"}[width]
		Label(name)
		CMPQ(d, U32(uint32(width)))
		JL(LabelRef(name + "_end"))
		bases, sums := make([]Register, width), make([]VecVirtual, width)
		for k := range bases {
			bases[k], sums[k] = GP64(), s.zero()
			MOVQ(Mem{Base: header, Disp: 24 * k}, bases[k])
		}
		XORQ(at, at)
		Label(name + "_source")
		f := s.reg()
		VMOVUPD(Mem{Base: v, Index: at, Scale: 1}, f)
		for k, sum := range sums {
			VFMADD231PD(Mem{Base: bases[k], Index: at, Scale: 1}, f, sum)
		}
		ADDQ(U32(uint32(s.size())), at)
		CMPQ(at, n)
		JL(LabelRef(name + "_source"))
		for k, sum := range sums {
			t := s.total(sum)
			VADDSD(Mem{Base: out, Disp: 8 * k}, t, t)
			VMOVSD(t, Mem{Base: out, Disp: 8 * k})
		}
		ADDQ(U32(uint32(24*width)), header)
		ADDQ(U32(uint32(8*width)), out)
		SUBQ(U32(uint32(width)), d)
		JMP(LabelRef(name))
		Label(name + "_end")
	}
	sum := s.zero()
	XORQ(at, at)
	Label("alone")
	VADDPD(Mem{Base: v, Index: at, Scale: 1}, sum, sum)
	ADDQ(U32(uint32(s.size())), at)
	CMPQ(at, n)
	JL(LabelRef("alone"))
	t := s.total(sum)
	VADDSD(Mem{Base: out}, t, t)
	VMOVSD(t, Mem{Base: out})
	VZEROUPPER()
	RET()
}
