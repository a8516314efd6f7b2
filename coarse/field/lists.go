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

// size measures how far a node is from being one point, in the units of
//
//	q = sigma_i^2 + sigma_j^2 + r^2/d,
//
// which all kernels are functions of. For the place it is the geometric mean of
// the mean and of the largest squared distance from the centroid, as a few
// stragglers matter more than their part in the mean. (1/3 is the ratio of the
// two in an evenly filled square.) The variances of Delta^2 and sigma^2 count
// only if they are large, as the stand-ins take care of most of what they do.
func (c *Cells) size(v int) float64 {
	mean, cov := c.moments.of(v)
	d := c.d
	var far float64
	box := c.box(v)
	for k := range d {
		x := max(box[2*k+1]-mean[k], mean[k]-box[2*k])
		far += x * x
	}
	place := math.Sqrt(c.moments.extent(v)*far/3) / float64(d)
	spread := spreadWeight * cov[triangle(d)+d] / mean[d]
	return max(place, spread, math.Sqrt(cov[triangle(d+1)+d+1])/2)
}

// spreadWeight is what the variance of Delta^2, relative to its mean, counts.
const spreadWeight = 0.16

// box returns the tight box of node v's points: low and high of each axis.
func (c *Cells) box(v int) []float64 { return c.boxes[v*2*c.d : (v+1)*2*c.d] }

// list finds what leaf k's targets are held against, its own points apart. A
// node is shown as a group if, with the distance from the leaf's box to the
// node's centroid as r,
//
//	size <= theta^2 q
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
	box, z := c.box(leaf), c.d+2
	theta2, inverse := c.settings.Theta*c.settings.Theta, 1/float64(c.d)
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
			g := c.gate[v*z : (v+1)*z]
			var r2 float64
			for j, x := range g[:c.d] {
				y := max(box[2*j]-x, x-box[2*j+1], 0)
				r2 += y * y
			}
			q := own + g[c.d] + r2*inverse
			kind, count := single, b-a
			if count > c.standins.m && g[c.d+1] <= theta2*q {
				kind, count = grouped, c.standins.m
				if rest := c.standins.rest[v]; rest*rest > theta2*theta2*q*c.moments.mean[v*z+c.d] {
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
