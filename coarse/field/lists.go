package field

import "math"

// What the targets of a leaf are held against is a list of entries: the points
// of a node one by one, its stand-ins, or its stand-ins with the whole variance
// of Delta^2.
type entry int32

const (
	single = iota
	grouped
	spread
)

func newEntry(v, kind int) entry { return entry(v<<2 | kind) }

func (e entry) node() int { return int(e >> 2) }
func (e entry) kind() int { return int(e & 3) }

// A gate is what decides how a node is shown: centroid (d), mean sigma^2, and
//
//	size    how far its points are from being in one place, in the units of q
//	spread  what the linear fit of the stand-ins leaves of the variance of
//	        Delta^2, relative to its mean
//	reach   the q up to which the kernels' dependence on Delta^2 changes
//
// where q = sigma_i^2 + sigma_j^2 + r^2/d is what all kernels are functions of.
// Far away they go like Delta^d, in two dimensions with Delta^2 itself: then its
// mean is enough, and reach is infinite.
const (
	gateSigma2 = iota
	gateSize
	gateSpread
	gateReach
	gateLength
)

// mostSpread theta^4 q is the spread that stand-ins can be trusted with, and
// theta^4 q the one that need not be shown.
const mostSpread = 300

// reach returns the reach of points with a mean Delta^2 of 1, which shrinks with
// the power of Delta^2.
func reach(d int) float64 { return 10 / float64((d-2)*(d-2)) }

// setGate computes the gate of node v.
//
// The size of the place is the variance along the widest direction, as all of it
// may lie along the line of sight, times the root of how much farther the
// farthest point is than in an evenly filled square, where its squared distance
// is three times the mean: a few stragglers matter more than their part in the
// variance. The stand-ins take care of most of what the variance of sigma^2 does.
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
	rest := c.standins.rest[v]
	g[d+gateSigma2] = mean[d+1]
	g[d+gateSize] = max(place, math.Sqrt(cov[triangle(d+1)+d+1])/2)
	g[d+gateSpread] = rest * rest / mean[d]
	g[d+gateReach] = reach(d) * mean[d]
}

func (c *Cells) gateOf(v int) []float64 {
	length := c.d + gateLength
	return c.gates[v*length : (v+1)*length]
}

// box returns the tight box of node v's points: low and high of each axis.
func (c *Cells) box(v int) []float64 { return c.boxes[v*2*c.d : (v+1)*2*c.d] }

// list finds what leaf k's targets are held against, its own points apart. A
// node is shown as a group if, with the distance from the leaf's box to the
// node's centroid as r,
//
//	size <= theta^2 q  and  spread <= mostSpread theta^4 min(q, reach)
//
// and so never opened on account of points that lie close together on the scale
// of the kernels.
func (c *Cells) list(k int) {
	leaf := 1<<c.leaves + k
	from, to := c.tree.span(leaf)
	own := math.Inf(1)
	for _, x := range c.points.Sigma2[from:to] {
		own = min(own, x)
	}
	box, d, inverse := c.box(leaf), c.d, 1/float64(c.d)
	theta2 := c.settings.Theta * c.settings.Theta
	theta4 := theta2 * theta2
	list, sources := c.lists[k][:0], to-from
	var stack [64]int
	stack[0] = 1
	for top := 1; top > 0; {
		top--
		v := stack[top]
		a, b := c.tree.span(v)
		if a <= from && to <= b {
			if v == leaf {
				continue
			}
		} else if c.exact {
			list = append(list, newEntry(v, single))
			sources += b - a
			continue
		} else {
			g := c.gateOf(v)
			var r2 float64
			for j, x := range g[:d] {
				if y := box[2*j] - x; y > 0 {
					r2 += y * y
				} else if y := x - box[2*j+1]; y > 0 {
					r2 += y * y
				}
			}
			q := own + g[d+gateSigma2] + r2*inverse
			spreadOver := g[d+gateSpread] / g[d+gateReach]
			if q < g[d+gateReach] {
				spreadOver = g[d+gateSpread] / q
			}
			kind, count := single, b-a
			if count > c.standins.m && g[d+gateSize] <= theta2*q && spreadOver <= mostSpread*theta4 {
				kind, count = grouped, c.standins.m
				if spreadOver > theta4 {
					kind, count = spread, count+1
				}
			}
			if kind != single || v >= 1<<c.tree.depth {
				list = append(list, newEntry(v, kind))
				sources += count
				continue
			}
		}
		stack[top], stack[top+1] = 2*v+1, 2*v
		top += 2
	}
	c.lists[k] = list
	c.pairs[k] = int64(sources) * int64(to-from)
}
