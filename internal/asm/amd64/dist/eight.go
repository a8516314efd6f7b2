package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// eight is exact for eight rows at a time: the sums of four wait for each other's additions, which
// must be in order, so those of two fours take about as long.
func eight(masks Mem) {
	const (
		group, four = 8, 4
		name        = "eightAVX2"
		line        = 16 // elements of a cache line
	)
	TEXT(name, NOSPLIT, "func(out *float64, q *float32, dim int, data *float32, stride, limit int, rows *int32, count int) int")
	Pragma("noescape")
	Doc(name+" is exactAVX2 for all full groups of eight rows. It returns the number of remaining rows: fewer than eight, or",
		"those from the first group on that has a row not below limit.")
	var (
		data, stride, limit, dim, out = argument("data"), argument("stride"), argument("limit"), argument("dim"), argument("out")
		left, off, temp               = Load(Param("count"), GP64()), GP64(), GP64()
		q, rows                       = Load(Param("q"), GP64()), Load(Param("rows"), GP64())
		mask                          = XMM()
		local                         = AllocLocal(8 * (group + 2))
		next                          = func(j int) Mem { return local.Offset(8 * j) }
		lines, fours                  = local.Offset(8 * group), local.Offset(8 * (group + 1))
	)
	// The lengths, in bytes, of what is added by lines and by fours.
	for _, part := range []struct {
		to   Mem
		size uint32
	}{{lines, line}, {fours, four}} {
		MOVQ(dim, off)
		ANDQ(I32(-int32(part.size)), off)
		SHLQ(Imm(2), off)
		MOVQ(off, part.to)
	}
	MOVQ(dim, off)
	ANDQ(Imm(four-1), off)
	SHLQ(Imm(2), off)
	LEAQ(masks, temp)
	SUBQ(off, temp)
	VMOVDQU(Mem{Base: temp, Disp: 64}, mask)
	var row [group]GPVirtual
	for j := range row {
		row[j] = GP64()
	}
	acc := [2]VecVirtual{YMM(), YMM()}
	vq := YMM()
	var d [four]VecVirtual
	for j := range d {
		d[j] = YMM()
	}
	// add adds the squared differences of four elements; double reads them.
	add := func(disp int, double func(m Mem, to VecVirtual)) {
		double(Mem{Base: q, Index: off, Scale: 1, Disp: disp}, vq)
		for h := range acc {
			for j := range d {
				double(Mem{Base: row[four*h+j], Index: off, Scale: 1, Disp: disp}, d[j])
				VSUBPD(d[j], vq, d[j])
				VMULPD(d[j], d[j], d[j])
			}
			for _, element := range columns(d) {
				VADDPD(element, acc[h], acc[h])
			}
		}
	}
	whole := func(m Mem, to VecVirtual) { VCVTPS2PD(m, to) }

	Label(name + "Group")
	CMPQ(left, Imm(group))
	JLT(LabelRef(name + "Done"))
	locate(left, off, rows, data, stride, limit, row[:], group, name+"Done")
	// A row that does not exist can be prefetched, too.
	MOVQ(left, temp)
	DECQ(temp)
	for j := range group {
		MOVQ(U32(uint32(group+j)), off)
		CMPQ(temp, off)
		CMOVQLT(temp, off)
		MOVLQSX(Mem{Base: rows, Index: off, Scale: 4}, off)
		IMULQ(stride, off)
		ADDQ(data, off)
		MOVQ(off, next(j))
	}
	for _, a := range acc {
		VXORPD(a, a, a)
	}
	XORQ(off, off)
	Label(name + "Lines")
	CMPQ(off, lines)
	JGE(LabelRef(name + "Fours"))
	for part := range line / four {
		add(4*four*part, whole)
		for j := 2 * part; j < 2*part+2; j++ {
			MOVQ(next(j), temp)
			PREFETCHT0(Mem{Base: temp, Index: off, Scale: 1})
		}
	}
	ADDQ(Imm(4*line), off)
	JMP(LabelRef(name + "Lines"))
	Label(name + "Fours")
	CMPQ(off, fours)
	JGE(LabelRef(name + "Tail"))
	add(0, whole)
	ADDQ(Imm(4*four), off)
	JMP(LabelRef(name + "Fours"))
	Label(name + "Tail")
	Comment("What is masked is a difference of 0, which changes no sum.")
	MOVQ(dim, temp)
	TESTQ(U32(four-1), temp)
	JE(LabelRef(name + "Sum"))
	narrow := XMM()
	add(0, func(m Mem, to VecVirtual) {
		VMASKMOVPS(m, mask, narrow)
		VCVTPS2PD(narrow, to)
	})
	Label(name + "Sum")
	MOVQ(out, temp)
	for h, a := range acc {
		VMOVUPD(a, Mem{Base: temp, Disp: 8 * four * h})
	}
	ADDQ(Imm(8*group), temp)
	MOVQ(temp, out)
	ADDQ(Imm(4*group), rows)
	SUBQ(Imm(group), left)
	JMP(LabelRef(name + "Group"))
	Label(name + "Done")
	Store(left, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
