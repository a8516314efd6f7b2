package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// exact writes the squared distance in double precision between one vector and several rows. It
// handles four rows at a time, each sum in its own lane and in the order of the elements, and
// prefetches the next four.
func exact(masks Mem) {
	const group = 4
	const name = "exactAVX2"
	TEXT(name, NOSPLIT, "func(out *float64, q *float32, dim int, data *float32, stride, limit int, rows *int32, count int) int")
	Pragma("noescape")
	Doc(name+" writes the squared distances of q and count numbered rows, added up in the order of elements, to out, and",
		"returns the number of rows from the first group of four on that has a row not below limit, or 0 without one.",
		"A row begins stride bytes after the one before.")
	var (
		data, stride, limit = argument("data"), argument("stride"), argument("limit")
		left                = Load(Param("count"), GP64())
		dim                 = Load(Param("dim"), GP64()).(GPVirtual)
		mask                = XMM()
		off, end            = GP64(), GP64()
	)
	MOVQ(dim, off)
	ANDQ(Imm(group-1), off)
	SHLQ(Imm(2), off)
	table := GP64()
	LEAQ(masks, table)
	SUBQ(off, table)
	VMOVDQU(Mem{Base: table, Disp: 64}, mask)
	MOVQ(dim, end)
	SHRQ(Imm(2), end)
	SHLQ(Imm(4), end)
	q, out, rows := Load(Param("q"), GP64()), Load(Param("out"), GP64()), Load(Param("rows"), GP64())
	var row, next [group]GPVirtual
	for j := range group {
		row[j], next[j] = GP64(), GP64()
	}
	acc, vq, narrow := YMM(), YMM(), XMM()
	var d [group]VecVirtual
	for j := range d {
		d[j] = YMM()
	}
	// add adds the squared differences of four elements; double reads them.
	add := func(double func(m Mem, to VecVirtual)) {
		double(Mem{Base: q, Index: off, Scale: 1}, vq)
		for j := range group {
			double(Mem{Base: row[j], Index: off, Scale: 1}, d[j])
			VSUBPD(d[j], vq, d[j])
			VMULPD(d[j], d[j], d[j])
		}
		for _, element := range columns(d) {
			VADDPD(element, acc, acc)
		}
	}

	Label(name + "Group")
	CMPQ(left, Imm(0))
	JLE(LabelRef(name + "Done"))
	locate(left, off, rows, data, stride, limit, append(row[:], next[:]...), group, name+"Done")
	VXORPD(acc, acc, acc)
	XORQ(off, off)
	Label(name + "Loop")
	CMPQ(off, end)
	JGE(LabelRef(name + "Tail"))
	add(func(m Mem, to VecVirtual) { VCVTPS2PD(m, to) })
	for j := range group {
		PREFETCHT0(Mem{Base: next[j], Index: off, Scale: 1})
	}
	ADDQ(Imm(4*group), off)
	JMP(LabelRef(name + "Loop"))
	Label(name + "Tail")
	Comment("What is masked is a difference of 0, which changes no sum.")
	last := GP64()
	MOVQ(argument("dim"), last)
	TESTQ(U32(group-1), last)
	JE(LabelRef(name + "Sum"))
	add(func(m Mem, to VecVirtual) {
		VMASKMOVPS(m, mask, narrow)
		VCVTPS2PD(narrow, to)
	})
	Label(name + "Sum")
	CMPQ(left, Imm(group))
	JLT(LabelRef(name + "Short"))
	VMOVUPD(acc, Mem{Base: out})
	ADDQ(Imm(8*group), out)
	ADDQ(Imm(4*group), rows)
	SUBQ(Imm(group), left)
	JMP(LabelRef(name + "Group"))

	Label(name + "Short")
	for j := range group - 1 {
		VMOVSD(acc.AsX(), Mem{Base: out, Disp: 8 * j})
		DECQ(left)
		JE(LabelRef(name + "Done"))
		VPERMPD(Imm(0b111001), acc, acc)
	}
	Label(name + "Done")
	Store(left, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// columns transposes four vectors of four doubles.
func columns(d [4]VecVirtual) (out [4]VecVirtual) {
	for h := range 2 {
		even, odd := YMM(), YMM()
		VUNPCKLPD(d[2*h+1], d[2*h], even)
		VUNPCKHPD(d[2*h+1], d[2*h], odd)
		out[2*h], out[2*h+1] = even, odd
	}
	first, second, third, fourth := YMM(), YMM(), YMM(), YMM()
	VPERM2F128(Imm(0x20), out[2], out[0], first)
	VPERM2F128(Imm(0x20), out[3], out[1], second)
	VPERM2F128(Imm(0x31), out[2], out[0], third)
	VPERM2F128(Imm(0x31), out[3], out[1], fourth)
	return [4]VecVirtual{first, second, third, fourth}
}
