// Command tile writes the vector kernels of package tile for arm64; see its go:generate line.
package main

import (
	"fmt"

	"unfold/internal/asm/a64"
)

// These are the sizes of a panel, as in package tile.
const (
	width  = 48
	height = 8
	step   = 4 * width // bytes from one dimension of a panel to the next
	// A tile has height rows of vectors vectors, each of four numbers or part bytes.
	vectors = 3
	part    = 16 * vectors
	parts   = width / (4 * vectors)
)

func main() {
	a := &kernels{}
	a.scan(height)
	a.lowerBounds(height)
	a.scan(1)
	a.lowerBounds(1)
	a.add()
	a.ordered(tall)
	a.ordered(short)
	a.orderedOne()
	a.Write()
}

// kernels lists the functions, with the code that writes each.
type kernels struct{ a64.Asm }

// tile has the registers of the sums of some rows with some columns; those of row r start at
// r*wide.
type tile struct {
	rows, wide int
	acc        []a64.V
	col, row   []a64.V
}

// newTile returns the tile of a kernel. A single row has sums for all columns. Several rows have as
// many columns as fit into 24 vectors of sums.
func (a *kernels) newTile(rows int) *tile {
	t := &tile{rows: rows, wide: vectors}
	if rows == 1 {
		t.wide *= parts
	}
	t.acc = a.Vecs(rows * t.wide)
	t.col, t.row = a.Vecs(t.wide), a.Vecs((rows+3)/4)
	return t
}

// times returns the number of tiles that cover the columns of a panel.
func (t *tile) times() int { return width / (4 * t.wide) }

// rowsOf loads a number of each row.
func (a *kernels) rowsOf(t *tile, from a64.R) {
	if t.rows == 1 {
		a.Scalar(4, from, 0, t.row[0])
		return
	}
	a.Quads(from, 0, t.row...)
}

// start sets every sum to the starts of its column and its row: op fadd to the sum of both, fsub to
// its negative.
func (a *kernels) start(t *tile, op string, rowStart, colStart a64.R, one a64.V) {
	a.Quads(colStart, 0, t.col...)
	a.rowsOf(t, rowStart)
	if op == "fsub" {
		for _, c := range t.col {
			a.Do("fneg", "4s", c, c)
		}
	}
	for r := range t.rows {
		a.P("VDUP\t%s, %v.S4", t.row[r/4].Lane("S", r%4), one)
		for v, c := range t.col {
			a.Do(op, "4s", t.acc[r*t.wide+v], c, one)
		}
	}
}

// multiply adds products to the sums by op, fmla or fmls, left times, and advances the cursors.
func (a *kernels) multiply(label, op string, t *tile, ca, cb, left a64.R) {
	a.Label(label)
	a.Quads(cb, 0, t.col...)
	a.rowsOf(t, ca)
	for r := range t.rows {
		for v, c := range t.col {
			a.By(op, "4s", t.acc[r*t.wide+v], c, t.row[r/4], r%4)
		}
	}
	a.P("ADD\t$%d, %v, %v", step, ca, ca)
	a.P("ADD\t$%d, %v, %v", step, cb, cb)
	a.Next(left, label)
}

// broadcast loads the r-th number after base into every element.
func (a *kernels) broadcast(base a64.R, r int, to a64.V) {
	a.Scalar(4, base, 4*r, to)
	a.P("VDUP\t%s, %v.S4", to.Lane("S", 0), to)
}

const scanParams = "mask *uint64, a, aStart, aTail, aLeast, b, bStart, bTail, bLeast *float32, prefix, rest, panels int"

// scan writes the kernel of Scan. It skips the rest of a tile if no sum can reach its threshold
// after the prefix.
func (a *kernels) scan(rows int) {
	name := fmt.Sprintf("scan%dNEON", rows)
	a.Func(name, scanParams, "", fmt.Sprintf("is scan with a left side of height %d.", rows))
	mask, pa, aStart, aTail, aLeast := a.Arg("mask"), a.Arg("a"), a.Arg("aStart"), a.Arg("aTail"), a.Arg("aLeast")
	pb, bStart, bTail, bLeast := a.Arg("b"), a.Arg("bStart"), a.Arg("bTail"), a.Arg("bLeast")
	prefix, rest, panels := a.Arg("prefix"), a.Arg("rest"), a.Arg("panels")
	ca, cb, left, count := a.Int(), a.Int(), a.Int(), a.Int()
	t := a.newTile(rows)
	free := append(append(a.Vecs(3), t.row...), t.col...) // between two passes
	bits := a.Ints(len(t.acc) / vectors)

	a.Label("panel")
	a.P("MOVD\t$%d, %v", t.times(), count)
	a.Label("tile")
	a.start(t, "fadd", aStart, bStart, free[0])
	a.P("MOVD\t%v, %v", pa, ca)
	a.P("MOVD\t%v, %v", pb, cb)
	a.P("CBZ\t%v, rest", prefix)
	a.P("MOVD\t%v, %v", prefix, left)
	a.multiply("first", "fmla", t, ca, cb, left)
	a.hopeless(t, free, aTail, aLeast, bTail, bLeast, left)
	a.P("CBZ\t%v, hopeless", left)
	a.Label("rest")
	a.P("MOVD\t%v, %v", rest, left)
	a.multiply("second", "fmla", t, ca, cb, left)
	a.reached(t, free, aLeast, bLeast, left, bits)
	a.Label("next")
	for _, p := range []a64.R{bStart, bTail, bLeast, pb} {
		a.P("ADD\t$%d, %v, %v", 16*t.wide, p, p)
	}
	a.Next(count, "tile")
	for r := range rows {
		if rows == 1 {
			for g, b := range bits[1:] {
				a.P("ORR\t%v<<%d, %v, %v", b, 12*(g+1), bits[0], bits[0])
			}
		}
		a.P("MOVD\t%v, %d(%v)", bits[r], 8*r, mask)
	}
	a.P("ADD\t$%d, %v, %v", 8*rows, mask, mask)
	a.P("ADD\t%v, %v, %v", prefix, rest, left)
	a.nextPanel(left, left, pb)
	a.Next(panels, "panel")
	a.Return()

	a.Label("hopeless")
	for _, b := range bits {
		if rows == 1 {
			a.P("MOVD\tZR, %v", b)
		} else {
			a.P("LSR\t$12, %v, %v", b, b)
		}
	}
	a.P("B\tnext")
}

// hopeless sets any to zero if no sum can reach its threshold even with the largest possible
// product of the remaining dimensions.
func (a *kernels) hopeless(t *tile, free []a64.V, aTail, aLeast, bTail, bLeast, any a64.R) {
	tail, least, sum, mine, found := free[0], free[1], free[2], free[3], free[4]
	a.Zero(found)
	for v := range t.wide {
		a.Quads(bTail, 16*v, tail)
		a.Quads(bLeast, 16*v, least)
		for r := range t.rows {
			a.broadcast(aTail, r, mine)
			a.Do("fadd", "4s", sum, t.acc[r*t.wide+v], tail)
			a.Do("fadd", "4s", sum, sum, mine)
			a.broadcast(aLeast, r, mine)
			a.Do("fmin", "4s", mine, mine, least)
			a.Do("fcmge", "4s", sum, sum, mine)
			a.Do("orr", "16b", found, found, sum)
		}
	}
	a.Do("uzp1", "8h", found, found, found)
	a.P("VMOV\t%s, %v", found.Lane("D", 0), any)
}

// reached makes a bit for every sum that reaches its threshold. For several rows, 12 columns at a
// time are shifted into the top of a row's 48 bits; for a single row, 12 columns follow the others.
func (a *kernels) reached(t *tile, free []a64.V, aLeast, bLeast, work a64.R, bits []a64.R) {
	mine, low := free[0], free[1]
	one, least := free[2:5], free[5:]
	for v, b := range one {
		a.P("VMOVQ\t$%#x, $%#x, %v", 0x0000000200000001<<(4*v), 0x0000000800000004<<(4*v), b)
	}
	a.Quads(bLeast, 0, least[:vectors]...)
	for r := range t.rows {
		a.broadcast(aLeast, r, mine)
		for v := range t.wide {
			if v >= vectors {
				a.Quads(bLeast, 16*v, least[v%vectors])
			}
			sum := t.acc[r*t.wide+v]
			a.Do("fmin", "4s", low, mine, least[v%vectors])
			a.Do("fcmge", "4s", sum, sum, low)
			a.Do("and", "16b", sum, sum, one[v%vectors])
		}
	}
	// This sums the twelve bits of a group, four groups in a register.
	for g := range bits {
		sum := t.acc[vectors*g:]
		a.Do("orr", "16b", sum[0], sum[0], sum[1])
		a.Do("orr", "16b", sum[0], sum[0], sum[2])
	}
	for g := 0; g < len(bits); g += 4 {
		s := t.acc[vectors*g:]
		a.Do("addp", "4s", s[0], s[0], s[vectors])
		a.Do("addp", "4s", s[2*vectors], s[2*vectors], s[3*vectors])
		a.Do("addp", "4s", s[0], s[0], s[2*vectors])
		for i, b := range bits[g:][:4] {
			if t.rows == 1 {
				a.P("VMOV\t%s, %v", s[0].Lane("S", i), b)
				continue
			}
			a.P("LSR\t$12, %v, %v", b, b)
			a.P("VMOV\t%s, %v", s[0].Lane("S", i), work)
			a.P("ORR\t%v<<36, %v, %v", work, b, b)
		}
	}
}

const lowerBoundsParams = "dst *int32, stride int, a, aStart, b, bStart *float32, depth, panels int"

func (a *kernels) lowerBounds(rows int) {
	name := fmt.Sprintf("lowerBounds%dNEON", rows)
	a.Func(name, lowerBoundsParams, "", fmt.Sprintf("is lowerBoundsGeneric with a left side of height %d.", rows))
	dst, stride, pa, aStart, pb, bStart := a.Arg("dst"), a.Arg("stride"), a.Arg("a"), a.Arg("aStart"), a.Arg("b"), a.Arg("bStart")
	depth, panels := a.Arg("depth"), a.Arg("panels")
	ca, cb, left, count, line := a.Int(), a.Int(), a.Int(), a.Int(), a.Int()
	t := a.newTile(rows)
	one, zero := a.Vec(), a.Vec()
	a.P("LSL\t$2, %v, %v", stride, stride)
	a.Zero(zero)
	a.Label("panel")
	a.P("MOVD\t$%d, %v", t.times(), count)
	a.Label("tile")
	a.start(t, "fsub", aStart, bStart, one)
	a.P("MOVD\t%v, %v", pa, ca)
	a.P("MOVD\t%v, %v", pb, cb)
	a.P("MOVD\t%v, %v", depth, left)
	a.multiply("depth", "fmls", t, ca, cb, left)
	a.P("MOVD\t%v, %v", dst, line)
	for r := range rows {
		sums := t.acc[r*t.wide:][:t.wide]
		for _, s := range sums {
			a.Do("fmaxnm", "4s", s, s, zero) // zero if the sum is not a number
		}
		a.StoreQuads(line, 0, sums...)
		a.P("ADD\t%v, %v, %v", stride, line, line)
	}
	for _, p := range []a64.R{dst, bStart, pb} {
		a.P("ADD\t$%d, %v, %v", 16*t.wide, p, p)
	}
	a.Next(count, "tile")
	a.nextPanel(depth, left, pb)
	a.Next(panels, "panel")
	a.Return()
}

// nextPanel moves b, which the tiles have advanced by one dimension, to the next panel.
func (a *kernels) nextPanel(depth, work, b a64.R) {
	a.P("SUB\t$1, %v, %v", depth, work)
	a.P("ADD\t%v<<7, %v, %v", work, b, b)
	a.P("ADD\t%v<<6, %v, %v", work, b, b)
}

// add adds a tile to lines of float64.
func (a *kernels) add() {
	a.Func("addNEON", "dst *float64, stride int, a, b *float32, depth int", "", "is addGeneric.")
	dst, stride, pa, pb, depth := a.Arg("dst"), a.Arg("stride"), a.Arg("a"), a.Arg("b"), a.Arg("depth")
	ca, cb, left, count, line := a.Int(), a.Int(), a.Int(), a.Int(), a.Int()
	t := a.newTile(height)
	a.P("LSL\t$3, %v, %v", stride, stride)
	a.P("MOVD\t$%d, %v", t.times(), count)
	a.Label("tile")
	a.Zero(t.acc...)
	a.P("MOVD\t%v, %v", pa, ca)
	a.P("MOVD\t%v, %v", pb, cb)
	a.P("MOVD\t%v, %v", depth, left)
	a.multiply("depth", "fmla", t, ca, cb, left)
	a.P("MOVD\t%v, %v", dst, line)
	low, high, old := t.col[0], t.col[1], t.row
	for r := range height {
		for v := range vectors {
			sum := t.acc[r*vectors+v]
			a.Do("fcvtl", "2d", low, sum)
			a.Do("fcvtl2", "2d", high, sum)
			a.Quads(line, 32*v, old...)
			a.Do("fadd", "2d", low, old[0], low)
			a.Do("fadd", "2d", high, old[1], high)
			a.StoreQuads(line, 32*v, low, high)
		}
		a.P("ADD\t%v, %v, %v", stride, line, line)
	}
	a.P("ADD\t$%d, %v, %v", 2*part, dst, dst)
	a.P("ADD\t$%d, %v, %v", part, pb, pb)
	a.Next(count, "tile")
	a.Return()
}
