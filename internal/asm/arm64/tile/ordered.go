package main

import "fmt"

// These are the sizes of the ordered kernels, as in package tile.
const (
	lanes = 8
	tall  = 24
	short = 4
	wide  = 4
	// pairs of float64 are the lanes of a vector.
	pairs = lanes / 2
)

// ordered processes some of the vectors at a time, with four registers for each. Products and sums
// are rounded separately.
func (a *kernels) ordered(rows int) {
	name := fmt.Sprintf("ordered%dNEON", rows)
	a.Func(name, "sum, a, w *float64, depth int", "", fmt.Sprintf("is orderedGeneric for %d vectors.", rows))
	sum, pa, pw, depth := a.Arg("sum"), a.Arg("a"), a.Arg("w"), a.Arg("depth")
	ca, cw, left, count := a.Int(), a.Int(), a.Int(), a.Int()
	some := min(rows, 6)
	acc, w, x, product := a.Vecs(pairs*some), a.Vecs(pairs), a.Vecs(some/2), a.Vec()
	a.P("MOVD\t$%d, %v", rows/some, count)
	a.Label("some")
	a.P("MOVD\t%v, %v", pa, ca)
	a.P("MOVD\t%v, %v", pw, cw)
	a.P("MOVD\t%v, %v", depth, left)
	a.Quads(sum, 0, acc...)
	a.Label("depth")
	a.Quads(cw, 0, w...)
	a.Quads(ca, 0, x...)
	for i, s := range acc {
		r := i / pairs
		a.By("fmul", "2d", product, w[i%pairs], x[r/2], r%2)
		a.Do("fadd", "2d", s, s, product)
	}
	a.P("ADD\t$%d, %v, %v", 8*rows, ca, ca)
	a.P("ADD\t$%d, %v, %v", 8*lanes, cw, cw)
	a.Next(left, "depth")
	a.StoreQuads(sum, 0, acc...)
	a.P("ADD\t$%d, %v, %v", 8*lanes*some, sum, sum)
	a.P("ADD\t$%d, %v, %v", 8*some, pa, pa)
	a.Next(count, "some")
	a.Return()
}

// orderedOne keeps the sums of one vector with wide panels in registers.
func (a *kernels) orderedOne() {
	a.Func("orderedOneNEON", "sum, a, w *float64, depth, stride int", "",
		fmt.Sprintf("is orderedGeneric for one vector and %d panels of w, stride bytes apart.", wide))
	sum, pa, depth, stride := a.Arg("sum"), a.Arg("a"), a.Arg("depth"), a.Arg("stride")
	pw := a.Ints(wide)
	acc, w, x, product := a.Vecs(pairs*wide), a.Vecs(pairs), a.Vec(), a.Vecs(pairs)
	a.Load("w", pw[0])
	for p := 1; p < wide; p++ {
		a.P("ADD\t%v, %v, %v", stride, pw[p-1], pw[p])
	}
	a.Quads(sum, 0, acc...)
	a.Label("depth")
	a.Scalar(8, pa, 0, x)
	for p, from := range pw {
		a.Quads(from, 0, w...)
		for i := range pairs {
			a.By("fmul", "2d", product[i], w[i], x, 0)
			a.Do("fadd", "2d", acc[p*pairs+i], acc[p*pairs+i], product[i])
		}
		a.P("ADD\t$%d, %v, %v", 8*lanes, from, from)
	}
	a.P("ADD\t$8, %v, %v", pa, pa)
	a.Next(depth, "depth")
	a.StoreQuads(sum, 0, acc...)
	a.Return()
}
