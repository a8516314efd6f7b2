package student

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/par"
	"unfold/sparse/distance"
)

// present returns the current weights of the entries of a problem.
func present(p *Problem) []float64 {
	out := make([]float64, len(p.Similar.Index))
	for q := range out {
		out[q] = p.weights.at(q)
	}
	return out
}

// Weights are stored and restored as they were, whether few or many differ. Their size in bytes is
// as computed, and they are the same for any number of threads.
func TestPairWeights(t *testing.T) {
	const entries, piece = 5000, 700
	for name, kinds := range map[string]int{"few": 1, "a byte's": shortKinds, "one more": shortKinds + 1, "many": entries} {
		r := rand.New(rand.NewPCG(3, uint64(kinds)))
		want := make([]pairWeight, entries)
		for q := range want {
			k := q % kinds
			want[q] = pairWeight{near: math.Sqrt(float64(k / 2)), further: uint8(k % 2)}
		}
		r.Shuffle(entries, func(a, b int) { want[a], want[b] = want[b], want[a] })
		var before pairWeights
		for _, threads := range []int{1, 4} {
			n := newNumbering(entries, par.Pieces(entries, piece))
			par.Ranges(threads, entries, piece, func(t, from, to int) {
				p := n.piece(t, from, to)
				for q := from; q < to; q++ {
					p.set(q, want[q])
				}
			})
			w := n.weights(threads)
			if bytes := map[bool]int{true: 1, false: 4}[kinds <= shortKinds]; len(w.kinds) != kinds || len(w.short)+4*len(w.long) != bytes*entries {
				t.Errorf("%s: %d kinds, %d and %d numbers", name, len(w.kinds), len(w.short), len(w.long))
			}
			for _, s := range []float64{0, 0.25} {
				if s > 0 {
					w.weigh(s)
				}
				for q, v := range want {
					if w.near(q) != v.near || w.at(q) != v.near+s*float64(v.further) {
						t.Fatalf("%s: entry %d weighs %g and %g, want %+v", name, q, w.near(q), w.at(q), v)
					}
				}
			}
			if threads > 1 && (!slices.Equal(w.short, before.short) || !slices.Equal(w.long, before.long)) {
				t.Errorf("%s: other numbers with %d threads", name, threads)
			}
			before = w
		}
	}
}

// A problem's weights take as many bytes as NumberBytes says.
func TestNumberBytes(t *testing.T) {
	x := normal(400, 3, 5)
	for _, k := range []int{8, 20, 40} {
		nb := neighbors(t, x, 60)
		beyond := further(x, nb, k, []int{k + 3, k + 9}, distance.Euclidean, 1)
		p := newProblem(nb, beyond, edgeWeights{rank: nearWeights(k, DefaultRankDecay)}, lengths{unit: Native.Unit(nb, k)}, 1)
		if got := len(p.weights.short) + 4*len(p.weights.long); got != NumberBytes(k)*p.Similar.NNZ() {
			t.Errorf("%d neighbours: %d bytes for %d entries of %d kinds", k, got, p.Similar.NNZ(), len(p.weights.kinds))
		}
	}
}
