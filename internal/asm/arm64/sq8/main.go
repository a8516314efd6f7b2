// Command sq8 writes the vector kernel of package sq8 for arm64; see its go:generate line.
package main

import "unfold/internal/asm/a64"

// A panel has side rows, interleaved in groups of group columns, with quads registers for each.
const (
	side  = 16
	group = 4
	quads = side * group / 16
)

// main writes the kernel, which processes two groups at a time: the sum of two products of 7 with 8
// bits fits in 16 bits, so that one pairwise addition serves both.
func main() {
	a := &a64.Asm{}
	a.Func("scoresNEON", "out *int32, code *int8, groups int, data *uint8, norm *int32, panels int", "",
		"writes the scores of a positive number of panels for a code of groups of four elements.")
	out, code, groups := a.Arg("out"), a.Arg("code"), a.Arg("groups")
	data, norm, panels := a.Arg("data"), a.Arg("norm"), a.Arg("panels")
	q, left := a.Int(), a.Int()
	acc, x, y := a.Vecs(2*quads), a.Vecs(quads), a.Vecs(quads)
	four, next, product := a.Vec(), a.Vec(), a.Vecs(2)

	a.Label("panel")
	a.Zero(acc...)
	a.P("MOVD\t%v, %v", code, q)
	a.P("SUBS\t$2, %v, %v", groups, left)
	a.P("BLT\tlast")
	a.Label("groups")
	a.P("FMOVD.P\t8(%v), %s", q, four.F())
	a.P("VDUP\t%s, %v.S4", four.Lane("S", 1), next)
	a.P("VDUP\t%s, %v.S4", four.Lane("S", 0), four)
	a.Quads(data, 0, x...)
	a.Quads(data, 16*quads, y...)
	a.P("ADD\t$%d, %v, %v", 2*16*quads, data, data)
	for i := range quads {
		a.Do("smull", "8h", product[0], x[i], four)
		a.Do("smull2", "8h", product[1], x[i], four)
		a.Do("smlal", "8h", product[0], y[i], next)
		a.Do("smlal2", "8h", product[1], y[i], next)
		a.Do("sadalp", "4s", acc[2*i], product[0])
		a.Do("sadalp", "4s", acc[2*i+1], product[1])
	}
	a.P("SUBS\t$2, %v, %v", left, left)
	a.P("BGE\tgroups")
	a.Label("last")
	a.P("TBZ\t$0, %v, norms", left) // -2 if none is left, -1 if one is
	a.P("FMOVS\t(%v), %s", q, four.F())
	a.P("VDUP\t%s, %v.S4", four.Lane("S", 0), four)
	a.Quads(data, 0, x...)
	a.P("ADD\t$%d, %v, %v", 16*quads, data, data)
	for i, v := range x {
		a.Do("smull", "8h", product[0], v, four)
		a.Do("smull2", "8h", product[1], v, four)
		a.Do("sadalp", "4s", acc[2*i], product[0])
		a.Do("sadalp", "4s", acc[2*i+1], product[1])
	}

	a.Label("norms")
	a.Quads(norm, 0, x...)
	for i, n := range x {
		sum := acc[2*i]
		a.Do("addp", "4s", sum, sum, acc[2*i+1])
		a.Do("add", "4s", sum, sum, sum)
		a.Do("sub", "4s", n, n, sum)
	}
	a.StoreQuads(out, 0, x...)
	a.P("ADD\t$%d, %v, %v", 4*side, norm, norm)
	a.P("ADD\t$%d, %v, %v", 4*side, out, out)
	a.Next(panels, "panel")
	a.Return()
	a.Write()
}
