// Command vafile writes the vector kernels of package vafile; see its go:generate line.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm"
)

// These are the sizes of a block, as in package vafile.
const (
	width  = 64
	quads  = 4         // four dimensions are multiplied at a time
	wide   = 64        // dimensions of a fine row
	stride = 4 * width // bytes from four dimensions of a block to the next four
)

func main() {
	ConstraintExpr("amd64,!noasm")
	compare(64)
	compare(32)
	for _, bytes := range []int{64, 32} {
		pass(bytes)
		gather(bytes)
	}
	Generate()
}

// vector returns a register of the given number of bytes.
func vector(bytes int) VecVirtual {
	if bytes == 64 {
		return ZMM()
	}
	return YMM()
}

// begin opens a kernel for vectors of the given number of bytes.
func begin(name string, bytes int, signature string) {
	level := map[int]string{64: "AVX512", 32: "AVX2"}[bytes]
	TEXT(name+level, NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(name + level + " is " + name + "Generic.")
}

// sameWords returns a vector of 16-bit ones.
func sameWords(bytes int) VecVirtual {
	one, lane, ones := GP32(), XMM(), vector(bytes)
	MOVL(U32(0x00010001), one)
	VMOVD(one, lane)
	VPBROADCASTD(lane, ones)
	return ones
}

// compare writes the kernels of Rows.Compare.
func compare(bytes int) {
	begin("compare", bytes, "(dst, least *int32, q *int8, data *uint8, norm *int32, blocks int)")
	dst, least, q, data, norm, blocks := asm.Arg("dst"), asm.Arg("least"), asm.Arg("q"), asm.Arg("data"), asm.Arg("norm"), asm.Arg("blocks")
	query := make([]VecVirtual, quads)
	for g := range query {
		query[g] = vector(bytes)
		VPBROADCASTD(asm.At(q, 4*g), query[g])
	}
	ones := sameWords(bytes)
	Label("block")
	smallest := vector(bytes)
	for r := 0; r < 4*width; r += bytes {
		sum := vector(bytes)
		move(bytes, asm.At(norm, r), sum)
		for g := range query {
			x := vector(bytes)
			move(bytes, asm.At(data, g*stride+r), x)
			VPMADDUBSW(query[g], x, x) // no saturation: 2 x 127 x 128 < 2^15
			VPMADDWD(ones, x, x)
			VPSUBD(x, sum, sum)
		}
		move(bytes, sum, asm.At(dst, r))
		if r == 0 {
			smallest = sum
			continue
		}
		m := vector(bytes)
		VPMINSD(sum, smallest, m)
		smallest = m
	}
	storeLeast(bytes, smallest, least)
	ADDQ(U32(quads*stride), data)
	ADDQ(U32(4*width), norm)
	ADDQ(U32(4*width), dst)
	ADDQ(Imm(4), least)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// move moves a vector of the given number of bytes.
func move(bytes int, from, to Op) {
	if bytes == 64 {
		VMOVDQU32(from, to)
		return
	}
	VMOVDQU(from, to)
}

// storeLeast stores the smallest lane.
func storeLeast(bytes int, v VecVirtual, to Register) {
	VMOVD(reduce(bytes, v, func(a, b, to Op) { VPMINSD(a, b, to) }), asm.At(to, 0))
}

// reduce combines all lanes of 32 bits of v and returns the result in lane 0.
func reduce(bytes int, v VecVirtual, combine func(a, b, to Op)) VecVirtual {
	if bytes == 64 {
		upper, y := YMM(), YMM()
		VEXTRACTI64X4(Imm(1), v, upper)
		combine(upper, v.AsY(), y)
		v = y
	}
	upper, x := XMM(), XMM()
	VEXTRACTI128(Imm(1), v.AsY(), upper)
	combine(upper, v.AsX(), x)
	for _, order := range []uint64{0x4e, 0xb1} {
		other := XMM()
		VPSHUFD(Imm(order), x, other)
		combine(other, x, x)
	}
	return x
}

// pass writes the kernels of Pass.
func pass(bytes int) {
	begin("pass", bytes, "(mask *uint64, value *int32, limit int32, blocks int)")
	mask, value, blocks := asm.Arg("mask"), asm.Arg("value"), asm.Arg("blocks")
	low, limit := XMM(), vector(bytes)
	VMOVD(Load(Param("limit"), GP32()), low)
	VPBROADCASTD(low, limit)
	Label("block")
	for r := 0; r < 4*width; r += bytes {
		if bytes == 64 {
			k := K()
			VPCMPD(Imm(5), asm.At(value, r), limit, k) // limit >= value
			KMOVW(k, asm.At(mask, r/32))
			continue
		}
		above, bits := YMM(), GP32()
		VMOVDQU(asm.At(value, r), above)
		VPCMPGTD(limit, above, above) // value > limit
		VMOVMSKPS(above, bits)
		NOTL(bits)
		MOVB(bits.As8(), asm.At(mask, r/32))
	}
	ADDQ(U32(4*width), value)
	ADDQ(Imm(8), mask)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// gather writes the kernels of Wide.Compare.
func gather(bytes int) {
	begin("gather", bytes, "(dst, rows *int32, q *int8, data *uint8, norm *int32, count int)")
	dst, rows, q, data, norm, count := asm.Arg("dst"), asm.Arg("rows"), asm.Arg("q"), asm.Arg("data"), asm.Arg("norm"), asm.Arg("count")
	query := make([]VecVirtual, wide/bytes)
	for h := range query {
		query[h] = vector(bytes)
		move(bytes, asm.At(q, h*bytes), query[h])
	}
	ones := sameWords(bytes)
	Label("row")
	row, from, value := GP64(), GP64(), GP32()
	MOVLQSX(asm.At(rows, 0), row)
	MOVL(Mem{Base: norm, Index: row, Scale: 4}, value)
	MOVQ(row, from)
	SHLQ(Imm(6), from)
	ADDQ(data, from)
	var sum VecVirtual
	for h := range query {
		x := vector(bytes)
		move(bytes, asm.At(from, h*bytes), x)
		VPMADDUBSW(query[h], x, x) // no saturation: 2 x 127 x 128 < 2^15
		VPMADDWD(ones, x, x)
		if h > 0 {
			VPADDD(sum, x, x)
		}
		sum = x
	}
	product := GP32()
	VMOVD(reduce(bytes, sum, func(a, b, to Op) { VPADDD(a, b, to) }), product)
	SUBL(product, value)
	MOVL(value, asm.At(dst, 0))
	ADDQ(Imm(4), rows)
	ADDQ(Imm(4), dst)
	DECQ(count)
	JNZ(LabelRef("row"))
	VZEROUPPER()
	RET()
}
