package plot

import (
	"cmp"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot/vg"

	"unfold/internal/quantile"
)

// dot is a point with its style.
type dot struct {
	at     vg.Point
	r      vg.Length
	color  color.NRGBA // with its opacity
	hollow bool        // beyond the viewport
	class  int
	row    int
	back   bool // drawn before the others, because it has no colour of its own
}

const (
	minRadius, maxRadius = 0.55, 3.6 // points
	// hollowRadius is the minimum radius of a ring.
	hollowRadius = 1
	// inkShare is the share of the area around a typical dot that dots cover.
	inkShare = 0.7
	// largest is the maximum radius of a dot sized by a value, as a multiple of the median's
	// radius.
	largest = 4
	// leastUnit is the minimum radius of the median value if dots are sized by a value, so that
	// small sizes differ.
	leastUnit = 1.2
)

// styleDots computes the position, size, opacity and drawing order of every finite point.
//
// Let r0 be the radius at which dots without overlap would cover inkShare of the area around a
// typical dot, and rho the number of distinct dots around a point relative to its median over
// points. A dot's radius is r0 rho^(-1/4): dense regions get a finer grain, single points are easy
// to see. Its opacity is m^(-1/3), where m is the number of dots that would cover the same spot, so
// that overlap appears as density instead of a blot. If dots are sized by a value, the area is
// proportional to it, and the median has the radius unit, r0 or a little more.
func styleDots(m Map, f viewport, p paint, seed uint64) (dots []dot, unit float64) {
	dots = make([]dot, 0, len(m.X))
	for i := range m.X {
		if !isFinite(m.X[i]) || !isFinite(m.Y[i]) {
			continue
		}
		at, inside := f.at(m.X[i], m.Y[i])
		c, k := p.color(m, i)
		d := dot{at: at, color: c, class: k, hollow: !inside, row: i}
		switch {
		case m.dimmed(i):
			d.color, d.back = p.theme.other, true
		case p.ramped:
			d.back = !p.scale.known(m.Value[i])
		default:
			d.back = p.classes[k].other
		}
		dots = append(dots, d)
	}
	density := densities(dots, distinct(dots), f.panel)
	typical := quantile.Median(slices.Clone(density))
	r0 := math.Sqrt(inkShare / (math.Pi * typical))
	r0 = math.Min(math.Max(r0, minRadius), 0.75*maxRadius) // lone points need room to be larger
	sized := m.sizes()
	unit = math.Max(r0, leastUnit)
	for i := range dots {
		d := &dots[i]
		r := r0 * math.Pow(density[i]/typical, -0.25)
		r = math.Min(math.Max(r, minRadius), math.Min(1.8*r0, maxRadius))
		if sized != nil {
			r = math.Max(sized(d.row)*unit, minRadius)
		}
		covered := density[i] * math.Pi * r * r
		alpha := math.Min(0.95, math.Max(0.4, 1/math.Cbrt(math.Max(covered, 1))))
		if d.back {
			alpha *= 0.8
		}
		if m.dimmed(d.row) {
			alpha *= 0.6
		}
		d.r, d.color = vg.Length(r), faded(d.color, alpha)
		if d.hollow {
			d.r = max(d.r, hollowRadius)
			d.at = f.pullIn(d.at, d.r+0.5)
		}
	}
	return inTurn(dots, seed), unit
}

// dimmed reports whether a point is not highlighted while others are.
func (m Map) dimmed(i int) bool { return m.Bright != nil && !m.Bright[i] }

// distinct returns one dot for each square of half a point, because closer dots cannot be told
// apart. Event streams have many duplicates at the same position. Counting each would make the dots
// at the busiest spot the smallest.
func distinct(dots []dot) []dot {
	type place struct{ x, y int32 }
	seen := make(map[place]bool, len(dots))
	var out []dot
	for _, d := range dots {
		if p := (place{int32(2 * d.at.X), int32(2 * d.at.Y)}); !seen[p] {
			seen[p] = true
			out = append(out, d)
		}
	}
	return out
}

// inTurn orders dots for drawing: greys first, all others shuffled, so that neither the order of
// the file nor that of values or classes hides points. If sizes differ, small dots are drawn over
// large ones. The same seed gives the same order.
func inTurn(dots []dot, seed uint64) []dot {
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(dots), func(a, b int) { dots[a], dots[b] = dots[b], dots[a] })
	slices.SortStableFunc(dots, func(a, b dot) int {
		if a.back != b.back {
			if a.back {
				return -1
			}
			return 1
		}
		return cmp.Compare(level(b.r), level(a.r))
	})
	return dots
}

// level classifies radii coarsely, so that only much larger dots are drawn first. Dots of similar
// size keep their random order.
func level(r vg.Length) int { return max(0, int(math.Log2(float64(r)/(2*maxRadius))+1)) }

// densities returns for every dot the number of counted dots per square point
// around it: counts in square cells, smoothed by a tent over 5 x 5 of them.
func densities(dots, counted []dot, panel vg.Rectangle) []float64 {
	const cell = 4 // points
	size := panel.Size()
	w, h := int(float64(size.X)/cell)+1, int(float64(size.Y)/cell)+1
	grid := make([]float64, w*h)
	cellOf := func(d dot) (int, int) {
		x := int(float64(d.at.X-panel.Min.X) / cell)
		y := int(float64(d.at.Y-panel.Min.Y) / cell)
		return min(max(x, 0), w-1), min(max(y, 0), h-1)
	}
	for _, d := range counted {
		x, y := cellOf(d)
		grid[y*w+x]++
	}
	tent := [5]float64{1, 2, 3, 2, 1}
	out := make([]float64, len(dots))
	for i, d := range dots {
		cx, cy := cellOf(d)
		var sum, weights float64
		for dy := -2; dy <= 2; dy++ {
			for dx := -2; dx <= 2; dx++ {
				x, y := cx+dx, cy+dy
				t := tent[dx+2] * tent[dy+2]
				weights += t
				if x >= 0 && x < w && y >= 0 && y < h {
					sum += t * grid[y*w+x]
				}
			}
		}
		out[i] = sum / weights / (cell * cell)
	}
	return out
}
