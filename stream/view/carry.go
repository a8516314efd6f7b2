package view

import (
	"math"

	"unfold/internal/vec"
)

// carryNeighbors is the number of base points that determine how far another point moves.
const carryNeighbors = 3

// Carry returns a function that maps places on the map before to places on the map after. A place
// moves by the weighted mean of the moves of its nearest base points, with weights 1/d^2 (Shepard
// 1968), so that a base point itself moves exactly as it should. Carry returns nil if fewer than
// three points are on both maps, because then the change of the map is unknown.
func Carry(before, after Base) func(x, y float32) (float32, float32) {
	to := make(map[uint64]int, len(after.Keys))
	for i, k := range after.Keys {
		to[k] = i
	}
	c := &carrier{}
	for i, k := range before.Keys {
		if j, both := to[k]; both && finite(before.X[i], before.Y[i], after.X[j], after.Y[j]) {
			c.x, c.y = append(c.x, before.X[i]), append(c.y, before.Y[i])
			c.dx, c.dy = append(c.dx, after.X[j]-before.X[i]), append(c.dy, after.Y[j]-before.Y[i])
		}
	}
	if len(c.x) < carryNeighbors {
		return nil
	}
	c.index()
	return c.move
}

// Nearest returns a function that returns the index in b of the point nearest to a place. Nearest
// returns nil if no point of the base has a finite place.
func (b Base) Nearest() func(x, y float32) int {
	g := &grid{}
	var at []int
	for i := range b.X {
		if finite(b.X[i], b.Y[i]) {
			g.x, g.y, at = append(g.x, b.X[i]), append(g.y, b.Y[i]), append(at, i)
		}
	}
	if len(at) == 0 {
		return nil
	}
	g.index()
	return func(x, y float32) int {
		near := g.nearest(x, y, 1)
		return at[near.at[0]]
	}
}

func finite(values ...float32) bool { return vec.Finite(values) }

// carrier holds the points that are on both maps, in a grid over their places on the first, with
// their displacements.
type carrier struct {
	grid
	dx, dy []float32
}

// grid finds points by their places.
type grid struct {
	x, y         []float32
	x0, y0, cell float32
	cols, rows   int
	// cells lists the points in the order of their cells: those of cell c are
	// cells[start[c]:start[c+1]].
	start, cells []int32
}

// index sorts the points into the cells, about two per cell.
func (c *grid) index() {
	x0, y0, x1, y1 := c.x[0], c.y[0], c.x[0], c.y[0]
	for i := range c.x {
		x0, x1 = min(x0, c.x[i]), max(x1, c.x[i])
		y0, y1 = min(y0, c.y[i]), max(y1, c.y[i])
	}
	side := max(x1-x0, y1-y0, 1e-12)
	c.x0, c.y0, c.cell = x0, y0, side/float32(math.Max(1, math.Sqrt(float64(len(c.x))/2)))
	c.cols, c.rows = int((x1-x0)/c.cell)+1, int((y1-y0)/c.cell)+1
	c.start = make([]int32, c.cols*c.rows+1)
	of := make([]int, len(c.x))
	for i := range c.x {
		of[i] = int((c.y[i]-y0)/c.cell)*c.cols + int((c.x[i]-x0)/c.cell)
		c.start[of[i]+1]++
	}
	for k := 1; k < len(c.start); k++ {
		c.start[k] += c.start[k-1]
	}
	at := append([]int32(nil), c.start...)
	c.cells = make([]int32, len(c.x))
	for i := range c.x {
		c.cells[at[of[i]]] = int32(i)
		at[of[i]]++
	}
}

// near holds the nearest points found so far, nearest first.
type near struct {
	n    int
	at   [carryNeighbors]int32
	dist [carryNeighbors]float64 // squared
}

// offer adds a point at a squared distance if it is among the nearest most points.
func (k *near) offer(i int32, d float64, most int) {
	if k.n < most {
		k.n++
	} else if d >= k.dist[k.n-1] {
		return
	}
	j := k.n - 1
	for ; j > 0 && k.dist[j-1] > d; j-- {
		k.at[j], k.dist[j] = k.at[j-1], k.dist[j-1]
	}
	k.at[j], k.dist[j] = i, d
}

// nearest returns the n points nearest to a place; n is at most carryNeighbors.
func (c *grid) nearest(x, y float32, n int) (k near) {
	cx := clamp(float64((x-c.x0)/c.cell), c.cols)
	cy := clamp(float64((y-c.y0)/c.cell), c.rows)
	// Search rings of cells around the point's cell, until no point of a further ring can be
	// nearer.
	for r := 0; r <= max(c.cols, c.rows); r++ {
		if k.n == n && float64(r-1)*float64(c.cell) > math.Sqrt(k.dist[k.n-1]) {
			break
		}
		c.ring(cx, cy, r, func(i int32) {
			ex, ey := float64(c.x[i]-x), float64(c.y[i]-y)
			k.offer(i, ex*ex+ey*ey, n)
		})
	}
	return k
}

// move returns the place on the new map of a place on the old one.
func (c *carrier) move(x, y float32) (float32, float32) {
	k := c.nearest(x, y, carryNeighbors)
	var sx, sy, sum float64
	for j := range k.n {
		if k.dist[j] == 0 {
			return x + c.dx[k.at[j]], y + c.dy[k.at[j]]
		}
		w := 1 / k.dist[j]
		sx, sy, sum = sx+w*float64(c.dx[k.at[j]]), sy+w*float64(c.dy[k.at[j]]), sum+w
	}
	return x + float32(sx/sum), y + float32(sy/sum)
}

func clamp(v float64, n int) int { return int(min(max(v, 0), float64(n-1))) }

// ring calls f with the points of the cells at (maximum norm) distance r from cell (cx, cy).
func (c *grid) ring(cx, cy, r int, f func(i int32)) {
	for y := max(cy-r, 0); y <= min(cy+r, c.rows-1); y++ {
		step := 1
		if y != cy-r && y != cy+r {
			step = max(2*r, 1) // the two ends alone
		}
		for x := cx - r; x <= cx+r; x += step {
			if x < 0 || x >= c.cols {
				continue
			}
			for _, i := range c.cells[c.start[y*c.cols+x]:c.start[y*c.cols+x+1]] {
				f(i)
			}
		}
	}
}
