// Command dist writes the assembly of package dist; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	masks := tailMasks()
	for _, s := range []set{{name: "AVX512", wide: true}, {name: "AVX2", masks: masks}} {
		s.pair()
		for _, m := range measures {
			s.rows(m)
		}
	}
	double("addAbsoluteAVX2", "which are sums", VADDPD)
	double("maxAbsoluteAVX2", "which are the largest", VMAXPD)
	exact(masks)
	eight(masks)
	prefetch()
	Generate()
}

// set is an instruction set: the registers for 16 lanes and the operations on them.
type set struct {
	name string
	wide bool // one register of 512 bits for 16 lanes, otherwise two of 256
	// masks is the table of masks for tails; only the narrow set uses it.
	masks Mem
}

// measure is the function of the differences of two vectors that a kernel computes.
type measure struct {
	name, doc string
	// absolute selects absolute values instead of squares.
	absolute bool
	// shared divides differences by the sum of both absolute values, and takes 0 for 0/0.
	shared bool
	// join makes one of two lanes.
	join func(ops ...Op)
}

var (
	squared  = measure{name: "rows", doc: "squared distances", join: VADDPS}
	measures = []measure{
		squared,
		{name: "manhattan", doc: "sums of absolute differences", absolute: true, join: VADDPS},
		{name: "chebyshev", doc: "largest absolute differences", absolute: true, join: VMAXPS},
		{name: "canberra", doc: "sums of absolute differences, as shares of both values,", absolute: true, shared: true, join: VADDPS},
	}
)

// lanes are 16 float32: one wide or two narrow registers.
type lanes []VecVirtual

func (s set) lanes() lanes {
	if s.wide {
		return lanes{ZMM()}
	}
	return lanes{YMM(), YMM()}
}

func (s set) zero(a lanes) {
	for _, r := range a {
		if s.wide {
			VPXORD(r, r, r)
		} else {
			VXORPS(r, r, r)
		}
	}
}

// at returns the memory of register part of 16 lanes that begin at m.
func (s set) at(m Mem, part int) Mem { return m.Offset(32 * part) }

// signless returns a register with all bits but the sign set, for a measure of absolute values.
func (s set) signless(m measure) VecVirtual {
	if !m.absolute {
		return nil
	}
	r, x, all := GP32(), XMM(), s.lanes()[0]
	MOVL(U32(0x7fffffff), r)
	VMOVD(r, x)
	VPBROADCASTD(x, all)
	return all
}

// scratch are the registers that a term needs: for the difference, for the bits of absolute values,
// and for the sum of a measure of shares.
type scratch struct{ t, signless, sum VecVirtual }

func (s set) scratch(m measure) scratch {
	w := scratch{t: s.lanes()[0], signless: s.signless(m)}
	if m.shared {
		w.sum = s.lanes()[0]
	}
	return w
}

// magnitude clears the sign of a.
func (s set) magnitude(a, signless VecVirtual) {
	if s.wide {
		VPANDD(signless, a, a)
	} else {
		VANDPS(signless, a, a)
	}
}

// gather adds the term of the difference w.t to a, or takes the maximum.
func (s set) gather(by measure, a VecVirtual, w scratch) {
	if by.absolute {
		s.magnitude(w.t, w.signless)
	} else {
		VMULPS(w.t, w.t, w.t)
	}
	if by.shared {
		// |x| + |y| is the larger of |x - y| and |x + y|. The maximum of NaN and 0 is the latter.
		s.magnitude(w.sum, w.signless)
		VMAXPS(w.t, w.sum, w.sum)
		VDIVPS(w.sum, w.t, w.t)
		s.zero(lanes{w.sum})
		VMAXPS(w.sum, w.t, w.t)
	}
	by.join(w.t, a, a)
}

// add adds the term of q - m to a, with m in memory.
func (s set) add(by measure, a, q lanes, m Mem, w scratch) {
	for p := range a {
		VSUBPS(s.at(m, p), q[p], w.t)
		if by.shared {
			VADDPS(s.at(m, p), q[p], w.sum)
		}
		s.gather(by, a[p], w)
	}
}

func (s set) load(m Mem, q lanes) {
	for p := range q {
		VMOVUPS(s.at(m, p), q[p])
	}
}

// tail selects the first dim mod 16 lanes.
type tail struct {
	k    Register
	mask lanes
}

// tail computes the masks for dim mod 16 elements.
func (s set) tail(dim GPVirtual) tail {
	r := GP64()
	MOVQ(dim, r)
	ANDQ(Imm(15), r)
	if s.wide {
		one, k := GP64(), K()
		MOVQ(U32(1), one)
		SHLXQ(r, one, one)
		DECQ(one)
		KMOVW(one.As32(), k)
		return tail{k: k}
	}
	table := GP64()
	LEAQ(s.masks, table)
	SHLQ(Imm(2), r)
	SUBQ(r, table)
	m := s.lanes()
	s.load(Mem{Base: table, Disp: 64}, m)
	return tail{mask: m}
}

func (s set) loadTail(by tail, m Mem, q lanes) {
	for p := range q {
		if s.wide {
			VMOVUPS_Z(m, by.k, q[p])
		} else {
			VMASKMOVPS(s.at(m, p), by.mask[p], q[p])
		}
	}
}

// addTail is add for the lanes of the tail; the other lanes of q must be zero. It reads no memory
// outside the tail.
func (s set) addTail(by tail, of measure, a, q lanes, m Mem, w scratch) {
	for p := range a {
		if s.wide {
			VSUBPS_Z(m, q[p], by.k, w.t)
			if of.shared {
				VADDPS_Z(m, q[p], by.k, w.sum)
			}
		} else {
			VMASKMOVPS(s.at(m, p), by.mask[p], w.t)
			if of.shared {
				VADDPS(w.t, q[p], w.sum)
			}
			VSUBPS(w.t, q[p], w.t)
		}
		s.gather(of, a[p], w)
	}
}

// quarter reduces 16 lanes to 4: it joins the upper half to the lower, and then the upper half of
// those 8.
func (s set) quarter(by measure, a lanes) VecVirtual {
	low := YMM()
	if s.wide {
		up := YMM()
		VEXTRACTF64X4(Imm(1), a[0], up)
		by.join(up, a[0].AsY(), low)
	} else {
		by.join(a[1], a[0], low)
	}
	up, x := XMM(), XMM()
	VEXTRACTF128(Imm(1), low, up)
	by.join(up, low.AsX(), x)
	return x
}

// pair writes the squared distance of two vectors.
func (s set) pair() {
	TEXT("pair"+s.name, NOSPLIT, "func(a, b *float32, dim int) float32")
	Pragma("noescape")
	Doc("pair" + s.name + " returns the squared distance of dim elements.")
	a, b, dim := Load(Param("a"), GP64()), Load(Param("b"), GP64()), Load(Param("dim"), GP64()).(GPVirtual)
	by := s.tail(dim)
	acc, q, w := s.lanes(), s.lanes(), s.scratch(squared)
	s.zero(acc)
	off, end := GP64(), GP64()
	XORQ(off, off)
	MOVQ(dim, end)
	SHRQ(Imm(4), end)
	SHLQ(Imm(6), end)
	ma, mb := Mem{Base: a, Index: off, Scale: 1}, Mem{Base: b, Index: off, Scale: 1}
	Label("pair" + s.name + "Loop")
	CMPQ(off, end)
	JGE(LabelRef("pair" + s.name + "Tail"))
	s.load(ma, q)
	s.add(squared, acc, q, mb, w)
	ADDQ(Imm(64), off)
	JMP(LabelRef("pair" + s.name + "Loop"))
	Label("pair" + s.name + "Tail")
	TESTQ(U32(15), dim)
	JE(LabelRef("pair" + s.name + "Sum"))
	s.loadTail(by, ma, q)
	s.addTail(by, squared, acc, q, mb, w)
	Label("pair" + s.name + "Sum")
	x, y := s.quarter(squared, acc), XMM()
	VMOVHLPS(x, x, y)
	VADDPS(y, x, x)
	VMOVSHDUP(x, y)
	VADDSS(y, x, x)
	Store(x, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// rows writes a kernel for one vector and several rows. It handles four rows at a time and
// prefetches the next four.
func (s set) rows(m measure) {
	const group = 4
	name := m.name + s.name
	TEXT(name, NOSPLIT, "func(out, q *float32, dim int, data *float32, stride, limit int, rows *int32, count int) int")
	Pragma("noescape")
	Doc(name+" writes the "+m.doc+" of q and count numbered rows to out, and returns",
		"the number of rows from the first group of four on that has a row not below limit, or 0 without one.",
		"A row begins stride bytes after the one before.")
	var (
		data, stride, limit = argument("data"), argument("stride"), argument("limit")
		left                = Load(Param("count"), GP64())
		dim                 = Load(Param("dim"), GP64()).(GPVirtual)
		by                  = s.tail(dim)
	)
	end := GP64()
	MOVQ(dim, end)
	SHRQ(Imm(4), end)
	SHLQ(Imm(6), end)
	q, out, rows := Load(Param("q"), GP64()), Load(Param("out"), GP64()), Load(Param("rows"), GP64())
	var acc [group]lanes
	var row, next [group]GPVirtual
	for j := range group {
		acc[j], row[j], next[j] = s.lanes(), GP64(), GP64()
	}
	vq, w := s.lanes(), s.scratch(m)
	off := GP64()

	Label(name + "Group")
	CMPQ(left, Imm(0))
	JLE(LabelRef(name + "Done"))
	Comment("Where the rows are; a short group repeats its last row.")
	locate(left, off, rows, data, stride, limit, append(row[:], next[:]...), group, name+"Done")
	for j := range group {
		s.zero(acc[j])
	}
	XORQ(off, off)
	Label(name + "Loop")
	CMPQ(off, end)
	JGE(LabelRef(name + "Tail"))
	s.load(Mem{Base: q, Index: off, Scale: 1}, vq)
	for j := range group {
		s.add(m, acc[j], vq, Mem{Base: row[j], Index: off, Scale: 1}, w)
		PREFETCHT0(Mem{Base: next[j], Index: off, Scale: 1})
	}
	ADDQ(Imm(64), off)
	JMP(LabelRef(name + "Loop"))
	Label(name + "Tail")
	TESTQ(U32(15), dim)
	JE(LabelRef(name + "Sum"))
	s.loadTail(by, Mem{Base: q, Index: off, Scale: 1}, vq)
	for j := range group {
		s.addTail(by, m, acc[j], vq, Mem{Base: row[j], Index: off, Scale: 1}, w)
		PREFETCHT0(Mem{Base: next[j], Index: off, Scale: 1})
	}
	Label(name + "Sum")
	four := transpose(m, s.quarter(m, acc[0]), s.quarter(m, acc[1]), s.quarter(m, acc[2]), s.quarter(m, acc[3]))
	CMPQ(left, Imm(group))
	JLT(LabelRef(name + "Short"))
	VMOVUPS(four, Mem{Base: out})
	ADDQ(Imm(4*group), out)
	ADDQ(Imm(4*group), rows)
	SUBQ(Imm(group), left)
	JMP(LabelRef(name + "Group"))

	Label(name + "Short")
	for j := range group - 1 {
		VMOVSS(four, Mem{Base: out, Disp: 4 * j})
		DECQ(left)
		JE(LabelRef(name + "Done"))
		VPERMILPS(Imm(0b111001), four, four)
	}
	Label(name + "Done")
	Store(left, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// transpose joins each of four quarters, into one lane each.
func transpose(by measure, a, b, c, d VecVirtual) VecVirtual {
	halves := func(a, b VecVirtual) VecVirtual {
		low, high := XMM(), XMM()
		VUNPCKLPS(b, a, low)
		VUNPCKHPS(b, a, high)
		by.join(high, low, low)
		return low
	}
	ab, cd := halves(a, b), halves(c, d)
	low, high := XMM(), XMM()
	VMOVLHPS(cd, ab, low)
	VMOVHLPS(ab, cd, high)
	by.join(high, low, low)
	return low
}

// locate sets registers to the addresses of the next rows. It jumps to the label if one of the
// first few row numbers is not below limit. A short group repeats its last row.
func locate(left, work Register, rows Register, data, stride, limit Op, to []GPVirtual, few int, label string) {
	last := GP64()
	MOVQ(left, last)
	DECQ(last)
	for j, r := range to {
		MOVQ(U32(uint32(j)), work)
		CMPQ(last, work)
		CMOVQLT(last, work)
		MOVLQSX(Mem{Base: rows, Index: work, Scale: 4}, r)
		if j < few {
			CMPQ(r, limit)
			JAE(LabelRef(label))
		}
		IMULQ(stride, r)
		ADDQ(data, r)
	}
}

// argument returns a parameter as a stack operand.
func argument(name string) Op {
	b, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// tailMasks returns a table of 16 masks that select a lane, followed by 16 that do not.
func tailMasks() Mem {
	m := GLOBL("tailMasks", RODATA|NOPTR)
	for i := range 32 {
		v := uint32(0)
		if i < 16 {
			v = ^v
		}
		DATA(4*i, U32(v))
	}
	return m
}

// prefetch fetches two cache lines.
func prefetch() {
	TEXT("prefetch", NOSPLIT, "func(p *int32)")
	Pragma("noescape")
	Doc("prefetch asks for the cache line of p and the one after it.")
	p := Load(Param("p"), GP64())
	PREFETCHT0(Mem{Base: p})
	PREFETCHT0(Mem{Base: p, Disp: 64})
	RET()
}
