// Command exp writes the vector kernels of package exp; see its go:generate line.
package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"unfold/internal/asm/rodata"
)

// The numbers of package exp.
const (
	beyond = 1000
	shift  = 0x1.8p52
	ln2Hi  = 0x1.62e42feep-1
	ln2Lo  = 0x1.a39ef35793c76p-33
	terms  = 13
)

func main() {
	ConstraintExpr("amd64,!noasm")
	for _, size := range []struct {
		suffix string
		width  int
		reg    func() VecVirtual
	}{{"AVX512", 64, ZMM}, {"AVX2", 32, YMM}} {
		k := &numbers{width: size.width, reg: size.reg, wide: size.width == 64}
		k.exponentials(size.suffix)
		k.gauss(size.suffix)
	}
	Generate()
}

// exponentials writes the kernel of Exp.
func (k *numbers) exponentials(suffix string) {
	TEXT("exp"+suffix, NOSPLIT, "func(dst, x *float64, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("exp%s is expGeneric with %d bits.", suffix, 8*k.width))
	k.load()
	dst, x, n := Load(Param("dst"), GP64()), Load(Param("x"), GP64()), Load(Param("n"), GP64())
	k.loop(dst, x, n, func(mask Register) VecVirtual {
		v := k.reg()
		if mask == nil {
			VMOVUPD(Mem{Base: x}, v)
		} else {
			VMOVUPD_Z(Mem{Base: x}, mask, v)
		}
		return v
	})
}

// gauss writes the kernel of Gauss.
func (k *numbers) gauss(suffix string) {
	TEXT("gauss"+suffix, NOSPLIT, "func(dst, z *float64, stride int, mu, c *float64, dims, n int)")
	Pragma("noescape")
	Doc(fmt.Sprintf("gauss%s is gaussGeneric with %d bits.", suffix, 8*k.width))
	k.load()
	dst, z, n := Load(Param("dst"), GP64()), Load(Param("z"), GP64()), Load(Param("n"), GP64())
	stride, dims := Load(Param("stride"), GP64()), Load(Param("dims"), GP64())
	mu, c := Load(Param("mu"), GP64()), Load(Param("c"), GP64())
	SHLQ(Imm(3), stride)
	k.loop(dst, z, n, func(mask Register) VecVirtual {
		name := "dim"
		if mask != nil {
			name = "lastdim"
		}
		line, q := GP64(), GP64()
		MOVQ(z, line)
		XORQ(q, q)
		sum, d, t := k.reg(), k.reg(), k.reg()
		VXORPD(sum, sum, sum)
		Label(name)
		VBROADCASTSD(Mem{Base: mu, Index: q, Scale: 8}, d)
		if mask == nil {
			VSUBPD(Mem{Base: line}, d, d)
		} else {
			VSUBPD(Mem{Base: line}, d, mask, d)
		}
		VBROADCASTSD(Mem{Base: c, Index: q, Scale: 8}, t)
		VMULPD(d, t, t)
		VFNMADD231PD(d, t, sum)
		ADDQ(stride, line)
		INCQ(q)
		CMPQ(q, dims)
		JL(LabelRef(name))
		return sum
	})
}

// loop writes the exponentials of the values that next returns for n numbers at source. mask
// selects the remaining ones at the end; it is nil elsewhere.
func (k *numbers) loop(dst, source, n Register, next func(mask Register) VecVirtual) {
	Label("loop")
	CMPQ(n, Imm(uint64(k.width/8)))
	JL(LabelRef("rest"))
	VMOVUPD(k.exp(next(nil)), Mem{Base: dst})
	ADDQ(Imm(uint64(k.width)), source)
	ADDQ(Imm(uint64(k.width)), dst)
	SUBQ(Imm(uint64(k.width/8)), n)
	JMP(LabelRef("loop"))
	Label("rest")
	if k.wide {
		TESTQ(n, n)
		JE(LabelRef("end"))
		bits, mask := GP64(), K()
		MOVQ(I64(-1), bits)
		BZHIQ(n, bits, bits)
		KMOVW(bits.As32(), mask)
		VMOVUPD(k.exp(next(mask)), mask, Mem{Base: dst})
		Label("end")
	}
	VZEROUPPER()
	RET()
}

// numbers has the constants of a kernel, with those used more than once in registers.
type numbers struct {
	width int
	reg   func() VecVirtual
	wide  bool
	of    map[string]VecVirtual
	last  []VecVirtual // coefficients by decreasing degree, 13 to 2, as far as registers allow
}

// load loads the constants that stay in registers: all of them, or as many as 16 registers allow.
func (k *numbers) load() {
	k.of, k.last = map[string]VecVirtual{}, nil
	for _, c := range []struct {
		name string
		v    float64
	}{{"shift", shift}, {"one", 1}} {
		k.of[c.name] = k.broadcast(c.name, c.v)
	}
	if !k.wide {
		return
	}
	for _, c := range small {
		k.of[c.name] = k.broadcast(c.name, c.v)
	}
	for n := terms; n >= 2; n-- {
		k.last = append(k.last, k.broadcast(fmt.Sprintf("term%d", n), term(n)))
	}
}

// small are the constants used once.
var small = []struct {
	name string
	v    float64
}{{"top", beyond}, {"bottom", -beyond}, {"perLn2", 1 / math.Ln2}, {"ln2Hi", ln2Hi}, {"ln2Lo", ln2Lo}, {"halfOf", 0.5}}

func (k *numbers) broadcast(name string, v float64) VecVirtual {
	r := k.reg()
	VBROADCASTSD(rodata.Number(name, v), r)
	return r
}

// in returns an operand for a constant: its register, or four copies in memory.
func (k *numbers) in(name string) Op {
	if r, ok := k.of[name]; ok {
		return r
	}
	for _, c := range small {
		if c.name == name {
			return rodata.Four(name, c.v)
		}
	}
	panic(name)
}

// term returns 1/n!.
func term(n int) float64 {
	f := 1.0
	for i := 2; i <= n; i++ {
		f *= float64(i)
	}
	return 1 / f
}

// coefficient returns an operand for 1/n!.
func (k *numbers) coefficient(n int) Op {
	if k.wide {
		return k.last[terms-n]
	}
	return rodata.Four(fmt.Sprintf("term%d", n), term(n))
}

func (k *numbers) copied(x Op) VecVirtual {
	r := k.reg()
	VMOVUPD(x, r)
	return r
}

// exp returns the exponentials of x, which is overwritten.
func (k *numbers) exp(x VecVirtual) VecVirtual {
	// In Go's operand order a NaN is the first operand and is kept.
	VMAXPD(x, k.copied(k.in("bottom")), x)
	VMINPD(x, k.copied(k.in("top")), x)
	z := k.copied(k.of["shift"])
	VFMADD231PD(k.in("perLn2"), x, z)
	whole, r, r2 := k.reg(), x, k.reg()
	VSUBPD(k.of["shift"], z, whole)
	VFNMADD231PD(k.in("ln2Hi"), whole, r)
	VFNMADD231PD(k.in("ln2Lo"), whole, r)
	VMULPD(r, r, r2)
	even, odd := k.copied(k.coefficient(12)), k.copied(k.coefficient(13))
	for n := 10; n >= 2; n -= 2 {
		VFMADD213PD(k.coefficient(n), r2, even)
		VFMADD213PD(k.coefficient(n+1), r2, odd)
	}
	VFMADD231PD(r, odd, even)
	VFMADD213PD(r, r2, even)
	y := even
	VADDPD(k.of["one"], y, y)
	if k.wide {
		VSCALEFPD(whole, y, y)
		return y
	}
	half := k.copied(k.of["shift"])
	VFMADD231PD(k.in("halfOf"), whole, half)
	VPSUBQ(half, z, z)
	for _, power := range []VecVirtual{half, z} {
		VPSLLQ(U8(52), power, power)
		VPADDQ(k.of["one"], power, power)
		VMULPD(power, y, y)
	}
	return y
}
