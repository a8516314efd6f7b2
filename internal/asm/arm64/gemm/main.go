// Command gemm writes the vector kernel of package gemm for arm64; see its go:generate line.
package main

import "unfold/internal/asm/a64"

const (
	// height and width are those of a tile, as in package gemm.
	height, width = 8, 24
	// vectors of two columns are summed at a time: columns of a line, for all rows in 24 registers.
	vectors = 3
	columns = 2 * vectors
)

func main() {
	a := &a64.Asm{}
	a.Func("addNEON", "dst *float64, stride int, a, b *float64, terms int, alpha float64", "", "is addGeneric.")
	dst, stride, pa, pb, terms := a.Arg("dst"), a.Arg("stride"), a.Arg("a"), a.Arg("b"), a.Arg("terms")
	ca, cb, left, parts, line := a.Int(), a.Int(), a.Int(), a.Int(), a.Int()
	acc, col, row, alpha := a.Vecs(height*vectors), a.Vecs(vectors), a.Vecs(height/2), a.Vec()
	a.P("FMOVD\t%s, %s", a.Param("alpha"), alpha.F())
	a.P("LSL\t$3, %v, %v", stride, stride)
	a.P("MOVD\t$%d, %v", width/columns, parts)

	a.Label("part")
	a.Zero(acc...)
	a.P("MOVD\t%v, %v", pa, ca)
	a.P("MOVD\t%v, %v", pb, cb)
	a.P("MOVD\t%v, %v", terms, left)
	a.Label("terms")
	a.Quads(cb, 0, col...)
	a.Quads(ca, 0, row...)
	for i, s := range acc {
		r := i / vectors
		a.By("fmla", "2d", s, col[i%vectors], row[r/2], r%2)
	}
	a.P("ADD\t$%d, %v, %v", 8*height, ca, ca)
	a.P("ADD\t$%d, %v, %v", 8*width, cb, cb)
	a.Next(left, "terms")

	a.P("MOVD\t%v, %v", dst, line)
	for r := range height {
		a.Quads(line, 0, col...)
		for v, c := range col {
			// Product and sum are rounded separately, as in tiles that are only partly requested.
			sum := acc[r*vectors+v]
			a.By("fmul", "2d", sum, sum, alpha, 0)
			a.Do("fadd", "2d", c, c, sum)
		}
		a.StoreQuads(line, 0, col...)
		a.P("ADD\t%v, %v, %v", stride, line, line)
	}
	a.P("ADD\t$%d, %v, %v", 8*columns, dst, dst)
	a.P("ADD\t$%d, %v, %v", 8*columns, pb, pb)
	a.Next(parts, "part")
	a.Return()
	a.Write()
}
