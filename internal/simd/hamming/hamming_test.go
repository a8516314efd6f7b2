package hamming

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
)

// fill sets words to random bits, about half of them ones.
func fill(rng *rand.Rand, words []uint64) {
	for i := range words {
		words[i] = rng.Uint64()
	}
}

// A bit of a mask is set if the exclusive or has at most limit ones: with every instruction set,
// for every head and in every panel.
func TestWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, words, count := rapid.IntRange(1, 200).Draw(t, "n"), rapid.IntRange(1, 40).Draw(t, "words"), rapid.IntRange(1, 9).Draw(t, "count")
		head := rapid.IntRange(1, words).Draw(t, "head")
		rows, queries := make([]uint64, n*words), make([]uint64, count*words)
		fill(rng, rows)
		fill(rng, queries)
		copy(queries, rows[(n-1)*words:]) // one is a row
		p := NewPanels(n, words)
		for i := range n {
			p.Set(i, rows[i*words:][:words])
		}
		limit, got := make([]uint64, count), make([]uint64, count)
		for r := range limit {
			limit[r] = []uint64{0, uint64(32*words) + rng.Uint64N(9) - 4, 1 << 62}[rng.IntN(3)]
		}
		for _, l := range simd.Levels() {
			for panel := range p.Len() {
				p.Within(l, got, queries, limit, panel, head)
				for r, mask := range got {
					q := queries[r*words:][:words]
					for j := range min(Width, n-panel*Width) {
						differ := 0
						for k, w := range rows[(panel*Width+j)*words:][:words] {
							differ += bits.OnesCount64(w ^ q[k])
						}
						if Count(q, rows[(panel*Width+j)*words:][:words]) != differ {
							t.Fatalf("row %d: another count", j)
						}
						if pass := mask>>j&1 == 1; pass != (uint64(differ) <= limit[r]) {
							t.Fatalf("%v: query %d, panel %d, row %d: %d of %d, passed %v", l, r, panel, j, differ, limit[r], pass)
						}
					}
				}
			}
		}
	})
}

// Kernels write only their masks.
func TestMasksAlone(t *testing.T) {
	const canary = 0x5555
	for _, l := range simd.Levels() {
		p := NewPanels(Width, 3)
		mask := slices.Repeat([]uint64{canary}, 6)
		p.Within(l, mask[1:5], make([]uint64, 12), make([]uint64, 4), 0, 2)
		if want := []uint64{canary, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, canary}; !slices.Equal(mask, want) {
			t.Errorf("%v: %x", l, mask)
		}
	}
}

// Invalid arguments panic before memory outside the slices is read.
func TestPanics(t *testing.T) {
	p, words := NewPanels(70, 2), make([]uint64, 4)
	for name, call := range map[string]func(){
		"no words":       func() { NewPanels(1, 0) },
		"short masks":    func() { p.Within(simd.Best(), words[:1], words, words[:2], 0, 1) },
		"short queries":  func() { p.Within(simd.Best(), words, words[:3], words[:2], 0, 1) },
		"panel beyond":   func() { p.Within(simd.Best(), words, words, words[:2], 2, 1) },
		"panel before":   func() { p.Within(simd.Best(), words, words, words[:2], -1, 1) },
		"head too long":  func() { p.Within(simd.Best(), words, words, words[:2], 0, 3) },
		"head too short": func() { p.Within(simd.Best(), words, words, words[:2], 0, 0) },
		"place beyond":   func() { p.Set(128, words) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}

func BenchmarkWithin(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	const count = 64
	for _, words := range []int{1, 13} {
		p := NewPanels(Width, words)
		fill(rng, p.data)
		queries, mask, limit := make([]uint64, count*words), make([]uint64, count), make([]uint64, count)
		fill(rng, queries)
		for _, l := range simd.Levels() {
			b.Run(fmt.Sprintf("%d/%v", words, l), func(b *testing.B) {
				b.SetBytes(8 * int64(count*Width*words))
				for b.Loop() {
					p.Within(l, mask, queries, limit, 0, words)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*count*Width), "ns/pair")
			})
		}
	}
}
