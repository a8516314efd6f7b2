package vafile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd"
	"unfold/internal/simd/simdtest"
)

// random returns n rows and their norms; some integers are at the ends of their range.
func random(n int, rng *rand.Rand) (r *Rows, x [][Dims]uint8, norm []int32) {
	r, x, norm = NewRows(n), make([][Dims]uint8, n), make([]int32, n)
	for j := range n {
		for k := range x[j] {
			x[j][k] = uint8(min(Largest, rng.IntN(160)))
		}
		norm[j] = rng.Int32N(1<<17) - 1<<16
		r.Set(j, &x[j], norm[j])
	}
	return r, x, norm
}

// Every instruction set computes the definition.
func TestCompare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		r, x, norm := random(n, rng)
		var q [Dims]int8
		for k := range q {
			q[k] = int8(max(-128, min(127, rng.IntN(320)-160)))
		}
		for _, level := range simd.Levels() {
			dst, least := make([]int32, r.Blocks()*Width), make([]int32, r.Blocks())
			r.Compare(level, dst, least, &q)
			for j := range dst {
				if j >= n {
					if dst[j] < Never/2 {
						t.Fatalf("%v: place %d of %d rows has %d", level, j, n, dst[j])
					}
					continue
				}
				want := norm[j]
				for k, v := range x[j] {
					want -= int32(q[k]) * int32(v)
				}
				if dst[j] != want {
					t.Fatalf("%v: row %d has %d, want %d", level, j, dst[j], want)
				}
			}
			for b, v := range least {
				if want := slices.Min(dst[b*Width:][:Width]); v != want {
					t.Fatalf("%v: the smallest of block %d is %d, want %d", level, b, v, want)
				}
			}
		}
	})
}

// Kernels read and write nothing outside their slices, wherever these begin: at the end of memory,
// or unaligned between canaries.
func TestCompareKeepsWithin(t *testing.T) {
	const canary = 0x5a5a5a5a
	rng := rand.New(rand.NewPCG(1, 1))
	for _, level := range simd.Levels() {
		for blocks := 1; blocks <= 5; blocks++ {
			r, _, _ := random(blocks*Width-7, rng)
			q := simdtest.AtEnd[int8](t, Dims)
			for k := range q {
				q[k] = int8(rng.IntN(256) - 128)
			}
			data, norm := simdtest.AtEnd[uint8](t, len(r.data)), simdtest.AtEnd[int32](t, len(r.norm))
			copy(data, r.data)
			copy(norm, r.norm)
			dst, least := simdtest.AtEnd[int32](t, len(norm)), simdtest.AtEnd[int32](t, blocks)
			compare(level, dst, least, (*[Dims]int8)(q), data, norm)
			want, wantLeast := make([]int32, len(norm)), make([]int32, blocks)
			compareGeneric(want, wantLeast, (*[Dims]int8)(q), r.data, r.norm)
			if !slices.Equal(dst, want) || !slices.Equal(least, wantLeast) {
				t.Fatalf("%v: %d blocks at the end of memory differ from plain Go", level, blocks)
			}
			for shift := 1; shift < 4; shift++ {
				data := slices.Concat(make([]uint8, shift), r.data)[shift:]
				norm := slices.Concat(make([]int32, shift), r.norm)[shift:]
				dst, least := make([]int32, shift+len(norm)+shift), make([]int32, shift+blocks+shift)
				for _, s := range [][]int32{dst, least} {
					for k := range s {
						s[k] = canary
					}
				}
				compare(level, dst[shift:shift+len(norm)], least[shift:shift+blocks], (*[Dims]int8)(q), data, norm)
				if !slices.Equal(dst[shift:shift+len(norm)], want) || !slices.Equal(least[shift:shift+blocks], wantLeast) {
					t.Fatalf("%v: %d blocks, %d off, differ from plain Go", level, blocks, shift)
				}
				for k := range shift {
					for _, v := range []int32{dst[k], dst[len(dst)-1-k], least[k], least[len(least)-1-k]} {
						if v != canary {
							t.Fatalf("%v: %d blocks, %d off: a canary has died", level, blocks, shift)
						}
					}
				}
			}
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for name, set := range map[string]func(r *Rows){
		"row":         func(r *Rows) { r.Set(3, &[Dims]uint8{}, 0) },
		"number":      func(r *Rows) { r.Set(2, &[Dims]uint8{5: Largest + 1}, 0) },
		"wide row":    func(*Rows) { NewWide(3).Set(3, &[WideDims]uint8{}, 0) },
		"wide number": func(*Rows) { NewWide(3).Set(0, &[WideDims]uint8{7: Largest + 1}, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			set(NewRows(3))
		}()
	}
}

// Every instruction set computes the definition for wide rows, some of them listed twice, and
// accesses nothing beyond the ends.
func TestWide(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 100).Draw(rt, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		w, x, norm := NewWide(n), make([][WideDims]uint8, n), make([]int32, n)
		w.data, w.norm = simdtest.AtEnd[uint8](t, len(w.data)), simdtest.AtEnd[int32](t, n)
		for j := range n {
			for k := range x[j] {
				x[j][k] = uint8(min(Largest, rng.IntN(160)))
			}
			norm[j] = rng.Int32N(1<<19) - 1<<18
			w.Set(j, &x[j], norm[j])
		}
		q := (*[WideDims]int8)(simdtest.AtEnd[int8](t, WideDims))
		for k := range q {
			q[k] = int8(max(-128, min(127, rng.IntN(320)-160)))
		}
		rows := simdtest.AtEnd[int32](t, rapid.IntRange(0, 130).Draw(rt, "rows"))
		for i := range rows {
			rows[i] = rng.Int32N(int32(n))
		}
		for _, level := range simd.Levels() {
			const canary = 0x5a5a5a5a
			dst := slices.Repeat([]int32{canary}, len(rows)+2)
			w.Compare(level, dst[1:1+len(rows)], rows, q)
			if dst[0] != canary || dst[len(dst)-1] != canary {
				rt.Fatalf("%v: a canary has died", level)
			}
			for i, j := range rows {
				want := norm[j]
				for k, v := range x[j] {
					want -= int32(q[k]) * int32(v)
				}
				if dst[1+i] != want {
					rt.Fatalf("%v: row %d has %d, want %d", level, j, dst[1+i], want)
				}
			}
		}
	})
}

// Every instruction set passes exactly the values up to the limit, also at the ends of the range.
func TestPass(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		blocks := rapid.IntRange(0, 6).Draw(rt, "blocks")
		limit := rapid.SampledFrom([]int32{-1 << 31, -5, 0, 3, 1<<31 - 1}).Draw(rt, "limit")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		value := simdtest.AtEnd[int32](t, blocks*Width)
		for j := range value {
			value[j] = []int32{-1 << 31, 1<<31 - 1, limit, rng.Int32N(11) - 5}[rng.IntN(4)]
		}
		for _, level := range simd.Levels() {
			const canary = 0x5a5a5a5a
			mask := slices.Repeat([]uint64{canary}, blocks+2)
			Pass(level, mask[1:1+blocks], value, limit)
			if mask[0] != canary || mask[blocks+1] != canary {
				rt.Fatalf("%v: a canary has died", level)
			}
			for j, v := range value {
				if got := mask[1+j/Width]>>(j%Width)&1 == 1; got != (v <= limit) {
					rt.Fatalf("%v: %d passes a limit of %d: %v", level, v, limit, got)
				}
			}
		}
	})
}
