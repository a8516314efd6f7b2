package farfield

import (
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// CellSettings are the settings of NewCells. The zero value is the default.
type CellSettings struct {
	// Theta bounds the size of a group relative to its distance: see the table in the package
	// comment. Default 0.15, 0.45 and 0.6 in one, two and more dimensions.
	Theta float64
	// Leaf is the maximum number of points that share their sources; default 64.
	Leaf int
	// Cell is the maximum number of points in the smallest groups; default 24.
	Cell int
	// Exact is the number of points below which all pairs are computed; default 2000, negative:
	// never.
	Exact int
}

// DefaultTheta returns the default of CellSettings.Theta.
func DefaultTheta(dims int) float64 { return []float64{0.15, 0.45, 0.6}[min(max(dims, 1), 3)-1] }

// withDefaults fills in zero fields. It panics if a setting is invalid.
func (s CellSettings) withDefaults(dims int) CellSettings {
	if s.Theta == 0 {
		s.Theta = DefaultTheta(dims)
	}
	if s.Leaf == 0 {
		s.Leaf = 64
	}
	if s.Cell == 0 {
		s.Cell = 24
	}
	if s.Exact == 0 {
		s.Exact = ExactBelow
	}
	if !(s.Theta > 0) || s.Leaf < 2 || s.Cell < 2 {
		panic(fmt.Sprintf("field: theta %v, leaves of %d and cells of %d points: want theta above 0 and at least 2", s.Theta, s.Leaf, s.Cell))
	}
	return s
}

// Cells approximates the sum over all points: a point's sources are the points nearby, and groups
// of points farther away. The groups are the nodes of a tree over the map, which every Move builds
// again; see the package comment.
type Cells struct {
	n, d     int
	settings CellSettings
	exact    bool
	delta2   []float64

	tree     *tree
	points   Columns // the tree's table
	moments  moments
	standins standins
	boxes    []float64 // nodes x (d+1) x 2
	gates    []float64 // nodes x (d+gateLength)
	theta2   float64   // theta^2
	leaves   int       // the level of the leaves
	tasks    int       // the level of the nodes that are a task each of lists and sweeps
	lists    [][]entry // of all nodes from that level down to the leaves
	counts   []int32   // of the sources in a list
	pairs    []int64
	factor   [][]float64 // workspace of every task
	crew     crew
}

// taskLevels is the number of tree levels below the root of a task of lists and sweeps. Its 16
// leaves share the sources that are far from all of them.
const taskLevels = 4

// NewCells returns the field of cells of len(delta2) points in dims dimensions; delta2 are their
// Delta_i^2, kept without a copy.
func NewCells(delta2 []float64, dims int, s CellSettings) *Cells {
	s = s.withDefaults(dims)
	n := len(delta2)
	c := &Cells{n: n, d: dims, settings: s, exact: n < s.Exact, delta2: delta2}
	c.tree = newTree(n, dims, min(s.Cell, s.Leaf))
	c.leaves = c.tree.level(s.Leaf)
	c.tasks = max(0, c.leaves-taskLevels)
	c.theta2 = s.Theta * s.Theta
	nodes := c.tree.nodes()
	c.points = Columns{Mu: c.tree.table.Columns[:dims], Delta2: c.tree.table.Columns[dims], Sigma2: c.tree.table.Columns[dims+1]}
	c.moments = newMoments(nodes, dims)
	c.standins = newStandins(nodes, dims)
	c.boxes = make([]float64, nodes*2*(dims+1))
	c.gates = make([]float64, nodes*(dims+gateLength))
	c.lists = make([][]entry, 2<<c.leaves-1<<c.tasks)
	c.counts = make([]int32, len(c.lists))
	c.pairs = make([]int64, 1<<c.leaves)
	c.factor = make([][]float64, 1<<c.tree.top())
	for k := range c.factor {
		c.factor[k] = make([]float64, (dims+2)*(dims+1))
	}
	c.crew.dims = dims
	return c
}

// Move copies the current state and builds the groups again.
func (c *Cells) Move(threads int, mu vec.Matrix[float64], sigma2 []float64) {
	check(c.n, c.d, mu, sigma2)
	if c.n == 0 {
		return
	}
	c.tree.build(threads, &state{mu, sigma2, c.delta2, mostSpread * c.theta2, mostSpread * c.theta2 * c.theta2 * reach(c.d)})
	top := c.tree.top()
	par.Do(threads, 1<<top, func(k int) { c.summarise(1<<top+k, c.factor[k], mu, sigma2) })
	for v := 1<<top - 1; v > 0; v-- {
		c.join(v, c.factor[0])
	}
	c.crew.run(threads, 1<<c.tasks, func(w *worker, k int) {
		w.pending = append(w.pending[:0], 1)
		c.list(w, 1<<c.tasks+k, 0, 0)
	})
}

// summarise copies the points of v and computes the box and moments of v and of all nodes below.
func (c *Cells) summarise(v int, factor []float64, mu vec.Matrix[float64], sigma2 []float64) {
	if v < 1<<c.tree.depth {
		c.summarise(2*v, factor, mu, sigma2)
		c.summarise(2*v+1, factor, mu, sigma2)
		c.join(v, factor)
		return
	}
	from, to := c.tree.span(v)
	if c.tree.broken.Load() {
		c.points.fill(mu, sigma2, c.delta2, c.tree.order, from, to)
	}
	c.moments.count(v, &c.points, from, to)
	box := c.box(v)
	for k, m := range c.points.Mu {
		box[2*k], box[2*k+1] = extent(m[from:to])
	}
	box[2*c.d], box[2*c.d+1] = extent(c.points.Sigma2[from:to])
	c.finish(v, factor)
}

// extent returns the least and the largest value.
func extent(values []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range values {
		if x < low { // min and max take five times as long
			low = x
		}
		if x > high {
			high = x
		}
	}
	return low, high
}

// join computes the box and moments of v from those of its halves.
func (c *Cells) join(v int, factor []float64) {
	from, middle := c.tree.span(2 * v)
	_, to := c.tree.span(2*v + 1)
	c.moments.merge(v, middle-from, to-middle)
	box, a, b := c.box(v), c.box(2*v), c.box(2*v+1)
	for k := 0; k < len(box); k += 2 {
		box[k], box[k+1] = min(a[k], b[k]), max(a[k+1], b[k+1])
	}
	c.finish(v, factor)
}

func (c *Cells) finish(v int, factor []float64) {
	c.standins.set(v, &c.moments, factor)
	c.setGate(v)
}

// Sweep visits the leaves. The sources of a leaf are the lists of the nodes above it, its own list,
// and its own points last.
func (c *Cells) Sweep(threads int, visit func(b *Batch)) {
	if c.n == 0 {
		return
	}
	c.crew.run(threads, 1<<c.tasks, func(w *worker, k int) {
		w.clear()
		c.show(w, 1<<c.tasks+k, visit)
	})
}

// show visits the leaves below t. The sources in t's list are gathered once for all of them.
func (c *Cells) show(w *worker, t int, visit func(b *Batch)) {
	above := len(w.weight)
	at := w.room(int(c.counts[t-1<<c.tasks]) + c.standins.wideStride)
	from, to := 0, 0 // points to be added: neighbours in the order together
	for _, e := range c.lists[t-1<<c.tasks] {
		v := e.node()
		a, b := c.tree.span(v)
		switch e.kind() {
		case single:
			if a != to {
				at = w.copySources(at, &c.points, from, to)
				from = a
			}
			to = b
		case grouped:
			at = c.standins.gather(w, at, v, b-a)
		case spread:
			at = c.standins.gatherSpread(w, at, v, b-a)
		}
	}
	at = w.copySources(at, &c.points, from, to)
	w.cut(at)
	if t < 1<<c.leaves {
		c.show(w, 2*t, visit)
		c.show(w, 2*t+1, visit)
	} else {
		c.visit(w, t, visit)
	}
	w.cut(above)
}

// visit shows leaf t.
func (c *Cells) visit(w *worker, t int, visit func(b *Batch)) {
	from, to := c.tree.span(t)
	self := w.room(to - from)
	w.copySources(self, &c.points, from, to)
	b := w.gathered()
	b.Points = c.tree.order[from:to]
	b.Targets.view(&c.points, from, to)
	b.Self = self
	visit(b)
}

// Random reports false.
func (c *Cells) Random() bool { return false }

// Pairs returns the number of pairs of a point and a source after the last Move.
func (c *Cells) Pairs() int64 {
	sum := -int64(c.n)
	for _, p := range c.pairs {
		sum += p
	}
	return sum
}

// Bytes returns the memory of c in bytes.
func (c *Cells) Bytes() int64 {
	b := c.tree.bytes() + c.moments.bytes() + c.standins.bytes() + c.crew.bytes()
	b += 8 * int64(len(c.boxes)+len(c.gates)+len(c.pairs)+len(c.factor)*(c.d+2)*(c.d+1))
	for _, l := range c.lists {
		b += 28 + 4*int64(cap(l))
	}
	return b
}
