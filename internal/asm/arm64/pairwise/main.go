// Command pairwise writes the vector kernels of package pairwise for arm64; see its go:generate line.
package main

import "unfold/internal/asm/a64"

func main() {
	a := &kernels{}
	for _, of := range []number{double, single} {
		a.push(of, false)
		a.push(of, true)
	}
	a.narrow()
	a.distances()
	a.repulsions()
	a.gather()
	a.Write()
}

// kernels lists the functions, with the code that writes each.
type kernels struct{ a64.Asm }

// number is the number type of a kernel: its size in bytes, its arrangement in a register, and Go's
// name for its elements.
type number struct {
	bits           string
	size           int
	arranged       string
	element, lanes string
}

var (
	double = number{"64", 8, "2d", "D", "D2"}
	single = number{"32", 4, "4s", "S", "S4"}
)

// Fields of the slices of a Run in bytes.
const slice = 24

// push sums the forces of sources on a target, as many at a time as a register has; see the plain
// version for the formulas.
func (a *kernels) push(of number, far bool) {
	name, sums := "push", 3
	if far {
		name, sums = "pushFar", 4
	}
	t := of.arranged
	do := func(op string, d, n a64.V, m ...a64.V) { a.Do(op, t, d, n, m...) }
	if of == single {
		name += "32"
	}
	a.Func(name+"NEON", "t *spot"+of.bits+", r *run"+of.bits+", n int, f *Force", "",
		"sets f to the repulsion by the first n sources, n a positive multiple of the numbers in a register.")
	spot, run, n, force := a.Arg("t"), a.Arg("r"), a.Arg("n"), a.Arg("f")
	from, target := a.Ints(5), a.Vecs(4)
	acc, half := a.Vecs(4), a.Vec()
	dx, dy, q, m, ab, c, over, work := a.Vec(), a.Vec(), a.Vec(), a.Vec(), a.Vec(), a.Vec(), a.Vec(), a.Vec()
	for i, v := range target {
		a.Scalar(of.size, spot, i*of.size, v)
		a.P("VDUP\t%s, %v.%s", v.Lane(of.element, 0), v, of.lanes)
	}
	for i, p := range from {
		a.P("MOVD\t%d(%v), %v", slice*i, run, p)
	}
	a.Zero(acc...)
	a.P("FMOV%s\t$0.5, %s", of.element, half.F())
	a.P("VDUP\t%s, %v.%s", half.Lane(of.element, 0), half, of.lanes)

	a.Label("sources")
	load := func(i int, to a64.V) { a.P("FMOVQ.P\t16(%v), %s", from[i], to.F()) }
	load(0, dx)
	load(1, dy)
	load(2, q)
	load(3, c)
	load(4, over)
	do("fsub", dx, target[0], dx)
	do("fsub", dy, target[1], dy)
	do("fmul", work, dx, dx)
	do("fmla", work, dy, dy)
	do("fadd", q, target[2], q)
	do("fmla", q, half, work)
	do("fmul", ab, target[3], c)
	do("fadd", c, target[3], c)
	a.Do("orr", "16b", m, ab, ab)
	do("fmla", m, c, q)
	a.Do("orr", "16b", work, m, m)
	do("fmla", work, q, q)
	do("fmul", work, work, q)
	do("fdiv", over, over, work)
	do("fadd", work, m, ab)
	do("fmul", work, work, over)
	do("fmla", acc[0], work, dx)
	do("fmla", acc[1], work, dy)
	do("fadd", acc[2], acc[2], work)
	if far {
		do("fadd", work, q, q)
		do("fadd", work, work, c)
		do("fmul", q, q, over)
		do("fmla", acc[3], work, q)
	}
	a.P("SUBS\t$%d, %v, %v", 16/of.size, n, n)
	a.P("BNE\tsources")

	for i, v := range acc[:sums] {
		do("faddp", v, v, v)
		if of == single {
			do("faddp", v, v, v)
			a.P("FCVTSD\t%s, %s", v.F(), v.F())
		}
		if i == 3 {
			a.P("FMOVD\t$6.0, %s", half.F())
			a.P("FMULD\t%s, %s, %s", half.F(), v.F(), v.F())
		}
		a.P("FMOVD\t%s, %d(%v)", v.F(), 8*i, force)
	}
	if !far {
		a.P("MOVD\tZR, 24(%v)", force)
	}
	a.Return()
}

// narrow converts eight numbers at a time.
func (a *kernels) narrow() {
	a.Func("narrowNEON", "dst *float32, src *float64, n int, centre float64", "",
		"sets n numbers of dst, n a positive multiple of the lanes.")
	dst, src, n := a.Arg("dst"), a.Arg("src"), a.Arg("n")
	wide, centre := a.Vecs(4), a.Vec()
	a.P("FMOVD\t%s, %s", a.Param("centre"), centre.F())
	a.P("VDUP\t%s, %v.D2", centre.Lane("D", 0), centre)
	a.Label("numbers")
	a.Quads(src, 0, wide...)
	a.P("ADD\t$64, %v, %v", src, src)
	for _, v := range wide {
		a.Do("fsub", "2d", v, v, centre)
	}
	for i := 0; i < len(wide); i += 2 {
		a.Do("fcvtn", "2s", wide[i], wide[i])
		a.Do("fcvtn2", "4s", wide[i], wide[i+1])
		a.StoreQuads(dst, 8*i, wide[i])
	}
	a.P("ADD\t$32, %v, %v", dst, dst)
	a.P("SUBS\t$8, %v, %v", n, n)
	a.P("BNE\tnumbers")
	a.Return()
}
