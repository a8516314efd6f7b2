package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of a Gauss.
const (
	gaussS     = 24 * 0
	gaussA     = 24 * 1
	gaussB     = 24 * 2
	gaussW     = 24 * 3
	gaussMu    = 24 * 4
	gaussMuLen = 24*4 + 8
	gaussSum   = 24 * 5
	gaussDims  = 24*6 + 8*0
	gaussPower = 24*6 + 8*1
	gaussLead  = 24*6 + 8*2
	gaussOdd   = 24*6 + 8*3
	gaussTerm  = 24*6 + 8*4
	gaussRest  = gaussTerm + 8*256
	gaussKeep  = gaussRest + 8*256
)

// gauss is a kernel of a Gauss: point u against partners from, from+1, ...
type gauss struct {
	isa
	exponential
	g           Register
	u, at, left Register // at is the byte offset of the present partners
	tail        *tail    // nil where all lanes are partners
	keep        Register // the address of the bits that are one for partners to keep, or nil
	name        string   // for labels
	plane       bool     // d = 2
}

// gaussKernel starts a kernel.
func (s isa) gaussKernel(name, doc string, plane bool) *gauss {
	TEXT(name+s.suffix, NOSPLIT, "func(pass *Gauss, u, from, n int)")
	Pragma("noescape")
	Doc(name + s.suffix + " " + doc)
	k := &gauss{isa: s, plane: plane}
	k.g, k.u = Load(Param("pass"), GP64()), Load(Param("u"), GP64())
	k.at, k.left = Load(Param("from"), GP64()), Load(Param("n"), GP64())
	SHLQ(U8(3), k.at)
	return k
}

// pointer loads the field at an offset.
func (k *gauss) pointer(field int) Register {
	r := GP64()
	MOVQ(Mem{Base: k.g, Disp: field}, r)
	return r
}

// scratch returns an address which, indexed with at, is that of a partner's term.
func (k *gauss) scratch(field int) Register {
	r := GP64()
	LEAQ(Mem{Base: k.g, Disp: field}, r)
	SUBQ(k.at, r)
	return r
}

// own returns u's value of a column in all lanes, kept in a register if there are many.
func (k *gauss) own(base Register) func() VecVirtual {
	return k.kept(Mem{Base: base, Index: k.u, Scale: 8})
}

func (s isa) kept(m Mem) func() VecVirtual {
	if !s.masks {
		return func() VecVirtual { return s.broadcast(m) }
	}
	r := s.broadcast(m)
	return func() VecVirtual { return r }
}

// partners returns the partners' numbers of a column, 0 beyond the last.
func (k *gauss) partners(base Register) Op {
	return k.tail.column(k.isa, Mem{Base: base, Index: k.at, Scale: 1})
}

// over runs body for all partners: for whole registers and then for the rest.
func (k *gauss) over(name string, body func()) {
	Label(name)
	k.tail, k.name = nil, name
	CMPQ(k.left, U32(uint32(k.lanes())))
	JL(LabelRef(name + "_rest"))
	body()
	if k.keep != nil {
		INCQ(k.keep)
	}
	ADDQ(U32(uint32(k.size())), k.at)
	SUBQ(U32(uint32(k.lanes())), k.left)
	JMP(LabelRef(name))
	Label(name + "_rest")
	TESTQ(k.left, k.left)
	JE(LabelRef(name + "_end"))
	k.name = name + "_tail"
	if k.keep != nil {
		k.tail = &tail{mask: k.kept8()}
	} else {
		k.tail = k.isa.tail(k.left)
	}
	body()
	Label(name + "_end")
}

// gaussTerms writes the kernel that sets term, and rest for "Others".
func (s isa) gaussTerms(kind string, plane bool) {
	name, doc := "gauss"+kind, map[string]string{
		"Weights": "sets term to the weights of differences.",
		"Excess":  "sets term to the sigma statistics.",
		"Others":  "sets term to P(c=0) of both directions at once, rest to the remainder.",
	}[kind]
	if plane {
		name += "Plane"
	}
	k := s.gaussKernel(name, doc, plane)
	out := k.scratch(gaussTerm)
	distance, both := k.distance(), k.both(kind)
	k.over("partners", func() {
		m2, _ := distance()
		term, rest := both(m2)
		k.tail.store(s, term, Mem{Base: out, Index: k.at, Scale: 1})
		if rest != nil {
			k.tail.store(s, rest, Mem{Base: out, Index: k.at, Scale: 1, Disp: gaussRest - gaussTerm})
		}
	})
	VZEROUPPER()
	RET()
}

// both returns a function that computes the terms of partners from |mu_u - mu_v|^2, and for
// "Others" their complements.
func (k *gauss) both(kind string) func(m2 VecVirtual) (term, rest VecVirtual) {
	s := k.isa
	sigma2, a, b, w := k.pointer(gaussS), k.pointer(gaussA), k.pointer(gaussB), k.pointer(gaussW)
	ownS, ownA, ownB := k.own(sigma2), k.own(a), k.own(b)
	k.exponential = s.exponential()
	var ownW, dims func() VecVirtual
	if kind != "Others" {
		ownW = k.own(w)
	}
	if kind == "Excess" {
		dims = s.kept(Mem{Base: k.g, Disp: gaussDims})
	}
	return func(m2 VecVirtual) (term, rest VecVirtual) {
		sum, da, db := s.reg(), s.reg(), s.reg()
		VADDPD(k.partners(sigma2), ownS(), sum)
		VADDPD(k.partners(b), ownA(), da)
		VADDPD(k.partners(a), ownB(), db)
		VMULPD(da, da, da)
		VMULPD(db, db, db)
		inv := [2]VecVirtual{s.reg(), s.reg()}
		VADDPD(sum, da, inv[1]) // q_uv, which 1/q_vu has as a factor
		VADDPD(sum, db, inv[0])
		x := s.reg()
		VMULPD(inv[0], inv[1], x)
		VDIVPD(x, s.in(k.one), x)
		VMULPD(x, inv[0], inv[0])
		VMULPD(x, inv[1], inv[1])
		one, other := [2]VecVirtual{da, db}, [2]VecVirtual{s.reg(), sum}
		VMULPD(inv[0], sum, other[0])
		VMULPD(inv[1], sum, other[1])
		for i := range one {
			VMULPD(inv[i], one[i], one[i])
		}
		if !k.plane {
			one, other = k.raise(one, other)
		}
		h := s.reg()
		VMULPD(k.halves, m2, h)
		for i := range one {
			e := s.reg()
			VMULPD(inv[i], h, e)
			power, t := k.exp(s, e)
			// one = r 2^-e, other = (1 - r) + r (1 - 2^-e); operations that do not depend on t come
			// first.
			rest := s.reg()
			VSUBPD(power, s.in(k.one), rest)
			VFMADD231PD(one[i], rest, other[i])
			VMULPD(power, one[i], one[i])
			VFNMADD231PD(one[i], t, other[i])
			if kind != "Others" {
				VMULPD(inv[i], one[i], one[i])
			}
			if kind == "Excess" {
				VMULPD(m2, inv[i], inv[i])
				VSUBPD(dims(), inv[i], inv[i])
				VMULPD(inv[i], one[i], one[i])
			}
			VFMADD231PD(one[i], t, one[i])
		}
		if kind == "Others" {
			VFMADD231PD(one[1], other[0], one[0])
			VMULPD(other[0], other[1], other[1])
			return other[1], one[0]
		}
		VMULPD(other[1], one[0], one[0])
		VFMADD231PD(other[0], one[1], one[0])
		VMULPD(other[0], other[1], other[1])
		VDIVPD(other[1], one[0], one[0])
		weight := s.reg()
		VMULPD(k.partners(w), ownW(), weight)
		if k.keep != nil {
			VMULPD_Z(weight, one[0], k.kept8(), one[0])
		} else {
			VMULPD(weight, one[0], one[0])
		}
		return one[0], nil
	}
}

// distance returns a function that computes |mu_u - mu_v|^2 and, in the plane, mu_u - mu_v.
func (k *gauss) distance() func() (m2 VecVirtual, difference []VecVirtual) {
	header := k.pointer(gaussMu)
	difference := func(base Register, x VecVirtual) VecVirtual {
		e := k.reg()
		VSUBPD(k.partners(base), x, e)
		return e
	}
	if k.plane {
		x, y := GP64(), GP64()
		MOVQ(Mem{Base: header}, x)
		MOVQ(Mem{Base: header, Disp: 24}, y)
		ownX, ownY := k.own(x), k.own(y)
		return func() (VecVirtual, []VecVirtual) {
			dx, dy, m2 := difference(x, ownX()), difference(y, ownY()), k.reg()
			VMULPD(dx, dx, m2)
			VFMADD231PD(dy, dy, m2)
			return m2, []VecVirtual{dx, dy}
		}
	}
	return func() (VecVirtual, []VecVirtual) {
		sum, count, at, base := k.zero(), GP64(), GP64(), GP64()
		MOVQ(Mem{Base: k.g, Disp: gaussMuLen}, count)
		MOVQ(header, at)
		Label(k.name + "_dimension")
		MOVQ(Mem{Base: at}, base)
		e := difference(base, k.broadcast(Mem{Base: base, Index: k.u, Scale: 8}))
		VFMADD231PD(e, e, sum)
		ADDQ(U8(24), at)
		DECQ(count)
		JNE(LabelRef(k.name + "_dimension"))
		return sum, nil
	}
}

// raise converts r and 1 - r to r^(d/2) and 1 - r^(d/2), by doubling.
func (k *gauss) raise(r, less [2]VecVirtual) (one, other [2]VecVirtual) {
	power, bit := k.pointer(gaussPower), k.pointer(gaussLead)
	CMPQ(Mem{Base: k.g, Disp: gaussOdd}, U8(0))
	JE(LabelRef(k.name + "_even"))
	var above [2]VecVirtual // 1 + root
	for i := range r {
		above[i] = k.reg()
		VSQRTPD(r[i], r[i])
		VADDPD(k.one, r[i], above[i])
	}
	inv := k.reg()
	VMULPD(above[0], above[1], inv)
	VDIVPD(inv, k.in(k.one), inv)
	for i := range r {
		VMULPD(inv, less[i], less[i])
		VMULPD(above[1-i], less[i], less[i])
	}
	Label(k.name + "_even")
	for i := range r {
		one[i], other[i] = k.reg(), k.reg()
		VMOVAPD(r[i], one[i])
		VMOVAPD(less[i], other[i])
	}
	Label(k.name + "_bits")
	SUBQ(U8(1), bit)
	JL(LabelRef(k.name + "_bits_end"))
	for i := range r {
		VFMADD231PD(other[i], one[i], other[i])
		VMULPD(one[i], one[i], one[i])
	}
	BTQ(bit, power)
	JCC(LabelRef(k.name + "_bits"))
	for i := range r {
		VFMADD231PD(one[i], less[i], other[i])
		VMULPD(r[i], one[i], one[i])
	}
	JMP(LabelRef(k.name + "_bits"))
	Label(k.name + "_bits_end")
	return one, other
}
