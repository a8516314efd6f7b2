package plot

import (
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
	hollow bool        // beyond the frame
	class  int
}

const (
	minRadius, maxRadius = 0.55, 3.6 // points
	// hollowRadius is the least of a ring.
	hollowRadius = 1
	// inkShare is the share of the area around a typical dot that dots cover.
	inkShare = 0.7
	// shuffleSeed makes the order of drawing random but always the same.
	shuffleSeed = 1
)

// styleDots gives every finite point its place, size, opacity and turn.
//
// With r0 the radius at which dots would cover inkShare of the area around a typical dot,
// were they apart, and rho the number of dots in different places around a point relative
// to its median over points, a dot's radius is r0 rho^(-1/4): dense regions get finer
// grain, lone points are easy to see. Its opacity is m^(-1/3), m the number of dots that
// would cover the same spot, so that overlap reads as density instead of as a blot.
func styleDots(m Map, f frame, p paint) []dot {
	var rows []int
	dots := make([]dot, 0, len(m.X))
	for i := range m.X {
		if !isFinite(m.X[i]) || !isFinite(m.Y[i]) {
			continue
		}
		at, inside := f.at(m.X[i], m.Y[i])
		c, k := p.color(m, i)
		dots = append(dots, dot{at: at, color: c, class: k, hollow: !inside})
		rows = append(rows, i)
	}
	density := densities(dots, distinct(dots), f.panel)
	typical := quantile.Median(slices.Clone(density))
	r0 := math.Sqrt(inkShare / (math.Pi * typical))
	r0 = math.Min(math.Max(r0, minRadius), 0.75*maxRadius) // room for lone points to be larger
	for i := range dots {
		d := &dots[i]
		r := r0 * math.Pow(density[i]/typical, -0.25)
		r = math.Min(math.Max(r, minRadius), math.Min(1.8*r0, maxRadius))
		covered := density[i] * math.Pi * r * r
		alpha := math.Min(0.95, math.Max(0.4, 1/math.Cbrt(math.Max(covered, 1))))
		if !p.ramped && p.classes[d.class].other {
			alpha *= 0.8
		}
		d.r, d.color = vg.Length(r), faded(d.color, alpha)
		if d.hollow {
			d.r = max(d.r, hollowRadius)
			d.at = f.pullIn(d.at, d.r+0.5)
		}
	}
	return inTurn(dots, rows, m, p)
}

// distinct returns one dot of each square of half a point: those that an eye can
// tell apart. Event streams are full of duplicates, which lie on top of each
// other; counted one by one they would make the busiest spot the smallest.
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

// inTurn orders dots for drawing: greys first, then by value where colour is an
// amount, else shuffled.
func inTurn(dots []dot, rows []int, m Map, p paint) []dot {
	turn := make([]int, len(dots))
	for i := range turn {
		turn[i] = i
	}
	r := rand.New(rand.NewPCG(shuffleSeed, 0))
	r.Shuffle(len(turn), func(a, b int) { turn[a], turn[b] = turn[b], turn[a] })
	weight := func(i int) float64 {
		switch {
		case p.ramped:
			if v := m.Value[rows[i]]; !math.IsNaN(v) {
				return v
			}
			return math.Inf(-1)
		case p.classes[dots[i].class].other:
			return 0
		}
		return 1
	}
	slices.SortStableFunc(turn, func(a, b int) int {
		switch wa, wb := weight(a), weight(b); {
		case wa < wb:
			return -1
		case wa > wb:
			return 1
		}
		return 0
	})
	out := make([]dot, len(dots))
	for k, i := range turn {
		out[k] = dots[i]
	}
	return out
}

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
