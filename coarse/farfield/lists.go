package farfield

import (
	"math"
	"math/bits"
)

// entry is an entry in the list of sources of a node: the points of another node one by one, its
// stand-ins, or its stand-ins with the full variance of Delta^2.
type entry int32

const (
	single = iota
	grouped
	spread
)

func newEntry(v, kind int) entry { return entry(v<<2 | kind) }

func (e entry) node() int { return int(e >> 2) }
func (e entry) kind() int { return int(e & 3) }

// A gate decides how a node is represented among the sources. It has
//
//	size    how far its points are from being in one place, in the units of q
//	spread  what the linear fit of the stand-ins leaves of the variance of
//	        Delta^2, relative to its mean
//	reach   the q up to which the kernels' dependence on Delta^2 changes
//
// where q = sigma_i^2 + sigma_j^2 + r^2/d is the argument of all kernels. The node is represented
// as a group if
//
//	size <= theta^2 q  and  spread <= mostSpread theta^4 min(q, reach)
//
// So it is never opened because of points that are close together on the scale of the kernels. The
// full variance of Delta^2 is omitted if spread <= theta^4 min(q, reach). Far away kernels go like
// Delta^d, in two dimensions like Delta^2 itself. Then its mean suffices, and reach is infinite.
//
// A gate stores the centroid (d), and the values of r^2 + d sigma_i^2 from which the node is a
// group, and a plain group.
const (
	gateGroup = iota
	gatePlain
	gateLength
)

// mostSpread theta^4 q is the largest spread for which stand-ins are accurate, and theta^4 q the
// largest that may be ignored.
const mostSpread = 300

// reach returns the reach of points with a mean Delta^2 of 1. It decreases with the power of
// Delta^2 in the kernels.
func reach(d int) float64 { return 10 / float64((d-2)*(d-2)) }

// setGate computes the gate of node v.
//
// The size is the variance along the widest direction, since all of it may lie along the line of
// sight, times a factor for stragglers, which matter more than their part in the variance. The
// factor is the root of the ratio between the farthest squared distance and that of an evenly
// filled square, three times the mean. The stand-ins account for most of the variance of sigma^2.
func (c *Cells) setGate(v int) {
	mean, cov := c.moments.of(v)
	d, box, g := c.d, c.box(v), c.gateOf(v)
	var far float64
	for k := range d {
		x := max(box[2*k+1]-mean[k], mean[k]-box[2*k])
		far += x * x
	}
	place := 0.0
	if trace := c.moments.extent(v); trace > 0 {
		place = c.moments.widest(v) * math.Sqrt(far/(3*trace))
	}
	copy(g, mean[:d])
	size := max(place, math.Sqrt(cov[triangle(d+1)+d+1])/2)
	rest := c.standins.rest[v]
	theta4, reach := c.theta2*c.theta2, reach(d)*mean[d]
	plain := rest * rest / (mean[d] * theta4)
	group := plain / mostSpread
	from := func(q, least float64) float64 {
		if from, to := c.tree.span(v); !(least <= reach) || to-from <= c.standins.m {
			return math.Inf(1)
		}
		return float64(d) * (q - mean[d+1])
	}
	g[d+gateGroup] = from(max(size/c.theta2, group), group)
	g[d+gatePlain] = from(plain, plain)
}

func (c *Cells) gateOf(v int) []float64 {
	length := c.d + gateLength
	return c.gates[v*length : (v+1)*length]
}

// box returns the tight bounding box of node v's points: low and high for each axis and, last, for
// sigma^2.
func (c *Cells) box(v int) []float64 {
	length := 2 * (c.d + 1)
	return c.boxes[v*length : (v+1)*length]
}

// kindAt returns the representation of a node with gate g where r^2 + d sigma_i^2 is x. A node that
// is a group at x is also a group at larger values.
func kindAt(g []float64, x float64) int {
	switch at := g[len(g)-gateLength:]; {
	case x >= at[gatePlain] && x >= at[gateGroup]:
		return grouped
	case x >= at[gateGroup]:
		return spread
	}
	return single
}

// bounds bounds the targets of a node: centre and half edge of their box along each axis, and the
// smallest and largest d sigma_i^2.
type bounds struct {
	middle, half []float64
	least, most  float64
}

// bound computes the bounds of the targets in node t.
func (c *Cells) bound(b *bounds, t int) {
	box, d := c.box(t), c.d
	b.middle, b.half = b.middle[:0], b.half[:0]
	for k := range d {
		b.middle = append(b.middle, (box[2*k]+box[2*k+1])/2)
		b.half = append(b.half, (box[2*k+1]-box[2*k])/2)
	}
	b.least, b.most = float64(d)*box[2*d], float64(d)*box[2*d+1]
}

// nearest and farthest return the smallest and the largest r^2 + d sigma_i^2 between targets and a
// centroid.
func (b *bounds) nearest(centroid []float64) float64 {
	x := b.least
	for k, m := range b.middle {
		e := math.Abs(centroid[k]-m) - b.half[k]
		bits := int64(math.Float64bits(e))
		e = math.Float64frombits(uint64(bits &^ (bits >> 63))) // 0 if negative, without a branch
		x += e * e
	}
	return x
}

func (b *bounds) farthest(centroid []float64) float64 {
	x := b.most
	for k, m := range b.middle {
		e := math.Abs(centroid[k]-m) + b.half[k]
		x += e * e
	}
	return x
}

// holds reports whether node v is t or an ancestor of it.
func holds(v, t int) bool { return t>>(bits.Len(uint(t))-bits.Len(uint(v))) == v }

// list decides how the pending nodes from first on are represented for the targets in node t,
// except t itself. Nodes without a common decision for all targets stay pending for the halves of
// t, so that every leaf gets the sources it would find by itself. A target's sources are the lists
// of its leaf and of the nodes above, up to the roots of tasks. above is the number of sources in
// the lists above.
func (c *Cells) list(w *worker, t, first, above int) {
	leaf := t >= 1<<c.leaves
	last := len(w.pending)
	list, sources := c.lists[t-1<<c.tasks][:0], above
	c.bound(&w.bounds, t)
	var stack [64]int
	for next := first; next < last; next++ {
		stack[0] = int(w.pending[next])
		for top := 1; top > 0; {
			top--
			v := stack[top]
			kind, inner := single, v < 1<<c.tree.depth
			switch {
			case v == t:
				if !leaf {
					w.pending = append(w.pending, int32(v))
				}
				continue
			case v < t && holds(v, t):
			case c.exact:
				inner = false
			default:
				g := c.gateOf(v)
				kind = kindAt(g, w.bounds.nearest(g))
				if !leaf && kind != grouped && kind != kindAt(g, w.bounds.farthest(g)) {
					w.pending = append(w.pending, int32(v))
					continue
				}
			}
			if kind == single && inner {
				stack[top], stack[top+1] = 2*v+1, 2*v
				top += 2
				continue
			}
			list = append(list, newEntry(v, kind))
			switch kind {
			case grouped:
				sources += c.standins.m
			case spread:
				sources += c.standins.m + 1
			default:
				from, to := c.tree.span(v)
				sources += to - from
			}
		}
	}
	c.lists[t-1<<c.tasks], c.counts[t-1<<c.tasks] = list, int32(sources-above)
	if leaf {
		from, to := c.tree.span(t)
		c.pairs[t-1<<c.leaves] = int64(sources+to-from) * int64(to-from)
	} else {
		c.list(w, 2*t, last, sources)
		c.list(w, 2*t+1, last, sources)
	}
	w.pending = w.pending[:last]
}
