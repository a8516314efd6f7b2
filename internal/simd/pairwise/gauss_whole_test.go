package pairwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/simd"
)

// Kernels that combine terms and sums agree with plain Go, for all lengths and any skipped
// partners. They change nothing else, and skipped partners may have any values.
func TestGaussWholeAgreesWithTwin(t *testing.T) {
	everywhere(t, func(t *testing.T, l simd.Level) {
		r := rand.New(rand.NewPCG(7, 8))
		for n := range gaussWidth + 1 {
			g, twin := new(Gauss), new(Gauss)
			p := newPoints(guarded(t), wholeFrom+n, 2, r)
			var skip []int32
			for v := wholeFrom; v < wholeFrom+n; v++ {
				if r.IntN(4) == 0 {
					skip = append(skip, int32(wholeOrigin+v))
					p.W[v] = math.NaN()
				}
			}
			q := p
			q.Sum = copied(p.Sum)
			g.Reset(p, wholeOrigin)
			twin.Reset(q, wholeOrigin)
			if !g.whole(l) {
				t.Skip("no such kernels")
			}
			g.mark(skip, wholeFrom, n)
			g.pushKept(1, wholeFrom, n)
			twin.weights(1, wholeFrom, n)
			twin.leave(skip, wholeFrom, n, 0)
			twin.push(1, wholeFrom, n)
			compareWhole(t, g, twin, n, false)

			g.spreadKept(1, wholeFrom, n)
			twin.excess(1, wholeFrom, n)
			twin.leave(skip, wholeFrom, n, 0)
			twin.spread(1, wholeFrom, n)
			compareWhole(t, g, twin, n, true)
		}
	})
}

// Partners of row 1 begin here, and the block here.
const wholeFrom, wholeOrigin = 3, 5

// compareWhole compares the sums after n partners, and makes them equal.
func compareWhole(t *testing.T, g, twin *Gauss, n int, sigma bool) {
	t.Helper()
	p := &g.points
	for c, want := range twin.points.Sum {
		bound := make([]float64, wholeFrom+n)
		for v := wholeFrom; v < wholeFrom+n; v++ {
			x, size := expect(p, 1, v), math.Abs(twin.term[v-wholeFrom])
			switch {
			case size == 0:
			case sigma:
				size = x.size
			default:
				size *= math.Abs(p.Mu[c][1]) + math.Abs(p.Mu[c][v])
			}
			bound[v] = 2*units(2, x.e)*size + 0x1p-52*math.Abs(want[v])
			bound[1] += bound[v] + float64(n)*0x1p-52*size
		}
		bound[1] += float64(n) * 0x1p-52 * math.Abs(want[1])
		near(t, "sums of both ends", p.Sum[c], want, bound)
		copy(p.Sum[c], want)
	}
}
