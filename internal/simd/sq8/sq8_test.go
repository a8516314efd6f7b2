package sq8

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/vec"
)

// Scores and their base are the squared distances of codes, which are the rounded
// elements, at every level.
func TestScores(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n, dim := rapid.IntRange(2, 70).Draw(t, "n"), rapid.IntRange(1, 70).Draw(t, "dim")
		size := math.Pow(10, rapid.Float64Range(-30, 30).Draw(t, "exponent"))
		x := vec.New[float32](n, dim)
		for i := range x.Data {
			x.Data[i] = float32(size * (3 + r.NormFloat64()))
		}
		s := NewScale(x)
		if s == nil {
			t.Fatal("no scale")
		}
		panels := s.NewPanels((n + Side - 1) / Side)
		work := make([]int8, s.Width())
		for i := range n {
			s.Row(work, x.Row(i))
			panels.Set(i, work)
		}
		q := make([]float32, dim)
		for k := range q {
			q[k] = float32(size * (3 + r.NormFloat64()))
		}
		code := make([]int8, s.Width())
		base, ok := s.Query(code, q)
		if !ok {
			return
		}
		round := func(v float32, k int) int32 {
			return int32(math.RoundToEven(float64((v - s.center[k]) * (1 / s.step))))
		}
		out := make([]int32, len(panels.norm))
		for _, l := range simd.Levels() {
			panels.scoresAt(l, out, code, 0, panels.Len())
			for i, score := range out {
				if i >= n {
					if score < Nowhere {
						t.Fatalf("%v: place %d without a row has score %d", l, i, score)
					}
					continue
				}
				var want int32
				for k, v := range x.Row(i) {
					d := round(v, k) - round(q[k], k)
					want += d * d
				}
				if score+base != want {
					t.Fatalf("%v: row %d is at %d, want %d", l, i, score+base, want)
				}
			}
		}
	})
}

// Every level gives what the twin gives, for all widths, numbers of panels and the
// largest codes, writes nothing beside its output and reads nothing beside its input.
func TestKernelsAgreeWithTwin(t *testing.T) {
	const canary = -77
	rng := rand.New(rand.NewPCG(1, 2))
	for _, l := range simd.Levels() {
		for width := group; width <= 257; width += group {
			n := rng.IntN(6)
			p := &Panels{groups: width / group, data: make([]uint8, 6*width*Side), norm: make([]int32, 6*Side)}
			code := make([]int8, width)
			for i := range p.data {
				if p.data[i] = uint8(rng.IntN(128)); width%8 == 0 {
					p.data[i] = 127
				}
			}
			for i := range code {
				if code[i] = int8(rng.IntN(255) - 127); width%8 == 0 {
					code[i] = -127
				}
			}
			for i := range p.norm {
				p.norm[i] = rng.Int32N(1 << 30)
			}
			from := rng.IntN(6 - n + 1)
			got, want := slices.Repeat([]int32{canary}, n*Side+2), make([]int32, n*Side)
			p.scoresAt(l, got[1:len(got)-1], code, from, n)
			scoresTwin(want, code, p.data[from*p.size():], p.norm[from*Side:], n)
			if got[0] != canary || got[len(got)-1] != canary || !slices.Equal(got[1:len(got)-1], want) {
				t.Fatalf("%v: width %d, %d panels: %v, want %v", l, width, n, got, want)
			}
		}
	}
}

// What has no codes is reported.
func TestRefusals(t *testing.T) {
	inf := float32(math.Inf(1))
	for name, x := range map[string]vec.Matrix[float32]{
		"no rows":    vec.New[float32](0, 3),
		"no columns": vec.New[float32](3, 0),
		"too many":   vec.New[float32](2, MostDim+1),
		"equal":      vec.Of(2, 2, []float32{1, 2, 1, 2}),
		"denormals":  vec.Of(2, 1, []float32{0, math.SmallestNonzeroFloat32}),
		"too large":  vec.Of(2, 1, []float32{-inf, inf}),
		"no numbers": vec.Of(2, 1, []float32{inf - inf, inf - inf}),
	} {
		if NewScale(x) != nil {
			t.Errorf("%s: a scale", name)
		}
	}
	s := NewScale(vec.Of(2, 2, []float32{-1, -1, 1, 1}))
	code := make([]int8, s.Width())
	for _, v := range []float32{2.5, -2.5, 1e30, math.MaxFloat32, inf, -inf, inf - inf} {
		if _, ok := s.Query(code, []float32{0, v}); ok {
			t.Errorf("%v has a code", v)
		}
	}
	if _, ok := s.Query(code, []float32{2, -2}); !ok {
		t.Error("no code beside the rows")
	}
}

// The largest scores are in range: those of the most columns, at the end of theirs.
func TestMostDim(t *testing.T) {
	x := vec.New[float32](2, MostDim)
	for k := range MostDim {
		x.Row(0)[k], x.Row(1)[k] = -1, 1
	}
	s := NewScale(x)
	p, code, out := s.NewPanels(1), make([]int8, s.Width()), make([]int32, Side)
	for i := range 2 {
		s.Row(code, x.Row(i))
		p.Set(i, code)
	}
	q := make([]float32, MostDim)
	for k := range q {
		q[k] = 2
	}
	base, ok := s.Query(code, q)
	p.Scores(out, code, 0, 1)
	if want := int32(MostDim * 63 * 63); !ok || out[1]+base > want*11/10 || out[0]+base < 9*want*9/10 || out[0] >= Nowhere {
		t.Errorf("distances %d and %d, base %d", out[0]+base, out[1]+base, base)
	}
}

// Mistakes of the caller panic before memory is read that is not theirs.
func TestPanics(t *testing.T) {
	s := NewScale(vec.Of(2, 5, []float32{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}))
	p, out, code := s.NewPanels(3), make([]int32, 48), make([]int8, 8)
	for name, call := range map[string]func(){
		"short output":  func() { p.Scores(out[:47], code, 0, 3) },
		"short code":    func() { p.Scores(out, code[:4], 0, 3) },
		"panels beyond": func() { p.Scores(out, code, 1, 3) },
		"panel before":  func() { p.Scores(out, code, -1, 2) },
		"place beyond":  func() { p.Set(48, code) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}

func BenchmarkScores(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{52, 784} {
		p := &Panels{groups: width / group, data: make([]uint8, 64*width*Side), norm: make([]int32, 64*Side)}
		code, out := make([]int8, width), make([]int32, 64*Side)
		for i := range p.data {
			p.data[i] = uint8(rng.IntN(128))
		}
		for _, l := range simd.Levels() {
			b.Run(fmt.Sprintf("%d/%v", width, l), func(b *testing.B) {
				for b.Loop() {
					p.scoresAt(l, out, code, 0, 64)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(out)), "ns/row")
			})
		}
	}
}
