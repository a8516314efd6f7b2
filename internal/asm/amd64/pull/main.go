// Command pull writes the assembly of package pull; see its go:generate line.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	rows("plane", 2)
	rows("space", 3)
	Generate()
}

// graph has the slices of edges and points; positions have dims coordinates.
type graph struct {
	dims                                         int
	index, length, number, weight, mu, sigma2, w reg.GPVirtual
	p                                            reg.GPVirtual // the edge
}

// row has the registers that a row's edges are added to: its position and variance, the sum of W
// and the components of the gradient.
type row struct {
	place      []reg.VecVirtual
	own, total reg.VecVirtual
	grad       []reg.VecVirtual
}

func (r *row) sums() []reg.VecVirtual { return append([]reg.VecVirtual{r.total}, r.grad...) }

// rows writes the kernel. A register has one value of four edges; the remaining edges of a row are
// processed one by one.
func rows(name string, dims int) {
	TEXT(name+"AVX2", NOSPLIT, fmt.Sprintf("func(start *int, index *int32, length *float32, number *uint8, weight *float64, mu *[%d]float64, sigma2 *float64, w *float32, grad *[%[1]d]float64, sum *float64, from, to int, half, c float64)", dims))
	Pragma("noescape")
	Doc(name + "AVX2 does the rows from..to.")
	label := func(s string) string { return name + s }
	load := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	g := graph{dims, load("index"), load("length"), load("number"), load("weight"), load("mu"), load("sigma2"), load("w"), GP64()}
	i := load("from")
	r := row{own: YMM(), total: YMM()}
	for range dims {
		r.place, r.grad = append(r.place, YMM()), append(r.grad, YMM())
	}
	end, at := GP64(), GP64()
	start := load("start")
	MOVQ(Mem{Base: start, Index: i, Scale: 8}, g.p)

	Label(label("Rows"))
	CMPQ(i, NewParamAddr("to", 88))
	JGE(LabelRef(label("Done")))
	Load(Param("start"), start)
	MOVQ(Mem{Base: start, Index: i, Scale: 8, Disp: 8}, end)
	MOVQ(i, at)
	g.times(at)
	for k, x := range r.place {
		VBROADCASTSD(Mem{Base: g.mu, Index: at, Scale: 8, Disp: 8 * k}, x)
	}
	VBROADCASTSD(Mem{Base: g.sigma2, Index: i, Scale: 8}, r.own)
	for _, s := range r.sums() {
		VXORPD(s, s, s)
	}
	last := GP64()
	LEAQ(Mem{Base: end, Disp: -4}, last)
	JMP(LabelRef(label("TestFours")))
	Label(label("Fours"))
	g.four(&r)
	ADDQ(U8(4), g.p)
	Label(label("TestFours"))
	CMPQ(g.p, last)
	JLE(LabelRef(label("Fours")))
	for _, s := range r.sums() {
		high := XMM()
		VEXTRACTF128(U8(1), s, high)
		VADDPD(high, s.AsX(), s.AsX())
		VUNPCKHPD(s.AsX(), s.AsX(), high)
		VADDSD(high, s.AsX(), s.AsX())
	}
	JMP(LabelRef(label("TestOnes")))
	Label(label("Ones"))
	g.one(&r)
	INCQ(g.p)
	Label(label("TestOnes"))
	CMPQ(g.p, end)
	JLT(LabelRef(label("Ones")))
	// grad = c grad - the sums of W (mu_i - mu_j)
	out := load("grad")
	c, both := XMM(), XMM()
	VMOVDDUP(NewParamAddr("c", 104), c)
	if dims == 3 {
		z, third := XMM(), Mem{Base: out, Index: at, Scale: 8, Disp: 16}
		VMULSD(third, c, z)
		VSUBSD(r.grad[2].AsX(), z, z)
		VMOVSD(z, third)
	}
	pair := Mem{Base: out, Index: at, Scale: 8}
	VUNPCKLPD(r.grad[1].AsX(), r.grad[0].AsX(), both)
	VMULPD(pair, c, c)
	VSUBPD(both, c, c)
	VMOVUPD(c, pair)
	sums := load("sum")
	VMOVSD(r.total.AsX(), Mem{Base: sums, Index: i, Scale: 8})
	INCQ(i)
	JMP(LabelRef(label("Rows")))

	Label(label("Done"))
	VZEROUPPER()
	RET()
}

// times multiplies the number of a point with the coordinates of a place.
func (g *graph) times(j reg.Register) {
	switch g.dims {
	case 2:
		ADDQ(j, j)
	case 3:
		LEAQ(Mem{Base: j, Index: j, Scale: 2}, j)
	}
}

// into makes v the e-th of two numbers in dst.
func into(e int, v Mem, dst reg.Register) {
	if e == 0 {
		VMOVSD(v, dst)
		return
	}
	VMOVHPD(v, dst, dst)
}

// four adds four edges.
func (g *graph) four(r *row) {
	places, variances, weights, thirds := [4]reg.VecVirtual{}, [2]reg.VecVirtual{XMM(), XMM()}, [2]reg.VecVirtual{XMM(), XMM()}, [2]reg.VecVirtual{}
	if g.dims == 3 {
		thirds = [2]reg.VecVirtual{XMM(), XMM()}
	}
	for e := range 4 {
		j, number := GP64(), GP64()
		MOVLQSX(Mem{Base: g.index, Index: g.p, Scale: 4, Disp: 4 * e}, j)
		MOVBLZX(Mem{Base: g.number, Index: g.p, Scale: 1, Disp: e}, number.As32())
		into(e%2, Mem{Base: g.sigma2, Index: j, Scale: 8}, variances[e/2])
		into(e%2, Mem{Base: g.weight, Index: number, Scale: 8}, weights[e/2])
		g.times(j)
		place := Mem{Base: g.mu, Index: j, Scale: 8}
		if e < 2 {
			places[e] = YMM()
			VMOVUPD(place, places[e].AsX())
		} else {
			VINSERTF128(U8(1), place, places[e-2], places[e-2])
		}
		if g.dims == 3 {
			into(e%2, Mem{Base: g.mu, Index: j, Scale: 8, Disp: 16}, thirds[e/2])
		}
	}
	// Edges 0 and 2 are in one register, 1 and 3 in the other; unpacking gives the order 0, 1, 2,
	// 3.
	v, s := weights[0].AsY(), variances[0].AsY()
	VINSERTF128(U8(1), weights[1], v, v)
	VINSERTF128(U8(1), variances[1], s, s)
	way := []reg.VecVirtual{YMM(), places[0]}
	VUNPCKLPD(places[1], places[0], way[0])
	VUNPCKHPD(places[1], places[0], way[1])
	if g.dims == 3 {
		VINSERTF128(U8(1), thirds[1], thirds[0].AsY(), thirds[0].AsY())
		way = append(way, thirds[0].AsY().(reg.VecVirtual))
	}
	q := YMM()
	for k, x := range way {
		VSUBPD(x, r.place[k], x)
		if k == 0 {
			VMULPD(x, x, q)
		} else {
			VFMADD231PD(x, x, q)
		}
	}
	half := YMM()
	VBROADCASTSD(NewParamAddr("half", 96), half)
	VMULPD(half, q, q)
	VADDPD(r.own, s, s)
	VADDPD(s, q, q)
	VCVTPS2PD(Mem{Base: g.length, Index: g.p, Scale: 4}, s)
	VADDPD(s, q, q)
	VDIVPD(q, v, v)
	rounded := XMM()
	VCVTPD2PSY(v, rounded)
	VMOVUPS(rounded, Mem{Base: g.w, Index: g.p, Scale: 4})
	VCVTPS2PD(rounded, v)
	VADDPD(v, r.total, r.total)
	for k, x := range way {
		VFMADD231PD(x, v, r.grad[k])
	}
}

// one adds one edge.
func (g *graph) one(r *row) {
	j, number := GP64(), GP64()
	MOVLQSX(Mem{Base: g.index, Index: g.p, Scale: 4}, j)
	MOVBLZX(Mem{Base: g.number, Index: g.p, Scale: 1}, number.As32())
	q, v, s := XMM(), XMM(), XMM()
	VADDSD(Mem{Base: g.sigma2, Index: j, Scale: 8}, r.own.AsX(), s)
	g.times(j)
	way := []reg.VecVirtual{}
	for k := range g.dims {
		x := XMM()
		VMOVSD(Mem{Base: g.mu, Index: j, Scale: 8, Disp: 8 * k}, x)
		VSUBSD(x, r.place[k].AsX(), x)
		if k == 0 {
			VMULSD(x, x, q)
		} else {
			VFMADD231SD(x, x, q)
		}
		way = append(way, x)
	}
	VMULSD(NewParamAddr("half", 96), q, q)
	VADDSD(s, q, q)
	length := XMM()
	VMOVSS(Mem{Base: g.length, Index: g.p, Scale: 4}, length)
	VCVTSS2SD(length, length, length)
	VADDSD(length, q, q)
	VMOVSD(Mem{Base: g.weight, Index: number, Scale: 8}, v)
	VDIVSD(q, v, v)
	rounded := XMM()
	VCVTSD2SS(v, v, rounded)
	VMOVSS(rounded, Mem{Base: g.w, Index: g.p, Scale: 4})
	VCVTSS2SD(rounded, rounded, v)
	VADDSD(v, r.total.AsX(), r.total.AsX())
	for k, x := range way {
		VFMADD231SD(x, v, r.grad[k].AsX())
	}
}
