package climb

import "unfold/internal/simd"

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/climb -out ../simd/climb/kernels_amd64.s -stubs ../simd/climb/stubs_amd64.go -pkg climb

// side is the number of edges of a group.
const side = 4

// four are four edges, as the kernel reads them. The term of an edge is 1, x, y and 0: what its q_j
// multiplies in the sums. Edges beyond the last have weight 0 and change no sum.
type four struct {
	x, y, s, fixed [side]float64
	term           [side][4]float64
}

// Edges are the edges of one point. The zero value has none.
type Edges struct {
	fours []four
	n     int
}

// Reset removes all edges; their memory is used again.
func (e *Edges) Reset() { e.fours, e.n = e.fours[:0], 0 }

// Add adds an edge of weight s to a point at x, y, with a positive Fixed.
func (e *Edges) Add(x, y, s, fixed float64) {
	i := e.n % side
	if i == 0 {
		e.fours = append(e.fours, four{fixed: [side]float64{1, 1, 1, 1}})
	}
	f := &e.fours[len(e.fours)-1]
	f.x[i], f.y[i], f.s[i], f.fixed[i], f.term[i] = x, y, s, fixed, [4]float64{1, x, y, 0}
	e.n++
}

// Plane moves x, y by at most the given number of steps, at least 1. It ends after the first with a
// squared length of at most still. There must be an edge, and some weight must be positive.
func (e *Edges) Plane(x, y, half, still float64, steps int) (float64, float64) {
	return e.planeAt(simd.Best(), x, y, half, still, steps)
}

func (e *Edges) planeAt(l simd.Level, x, y, half, still float64, steps int) (float64, float64) {
	if e.n == 0 || steps < 1 {
		panic("climb: no edges, or no steps")
	}
	return plane(l, e.fours, x, y, half, still, steps)
}

// planeTwin is the plain twin of the kernel.
func planeTwin(fours []four, x, y, half, still float64, steps int) (float64, float64) {
	for range steps {
		var total, sumX, sumY float64
		for k := range fours {
			f := &fours[k]
			for i, s := range f.s {
				dx, dy := x-f.x[i], y-f.y[i]
				q := s / (f.fixed[i] + float64(half*(float64(dx*dx)+float64(dy*dy))))
				total += q
				sumX += float64(q * f.x[i])
				sumY += float64(q * f.y[i])
			}
		}
		dx, dy := sumX/total-x, sumY/total-y
		x, y = sumX/total, sumY/total
		if float64(dx*dx)+float64(dy*dy) <= still {
			break
		}
	}
	return x, y
}
