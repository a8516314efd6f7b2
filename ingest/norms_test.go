package ingest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/ingest"
	"unfold/internal/vec"
)

// Clouds, noise, images and counts do not look like embeddings of texts, although their lengths are
// similar.
func TestWhatLooksLikeText(t *testing.T) {
	const n = 400
	r := rand.New(rand.NewPCG(1, 2))
	made := func(cols int, value func(i, j int) float64) vec.Matrix[float32] {
		x := vec.New[float32](n, cols)
		for i := range n {
			for j := range cols {
				x.Row(i)[j] = float32(value(i, j))
			}
		}
		return x
	}
	blobs := func(cols, centres int, apart float64) vec.Matrix[float32] {
		at := make([]float64, centres*cols)
		for k := range at {
			at[k] = apart * r.NormFloat64()
		}
		return made(cols, func(i, j int) float64 { return at[i%centres*cols+j] + r.NormFloat64() })
	}
	type data struct {
		name string
		x    vec.Matrix[float32]
		want bool
	}
	var all []data
	for _, cols := range []int{8, 32, 64, 384} {
		for _, centres := range []int{1, 3, 20} {
			for _, apart := range []float64{1, 3, 24 / math.Sqrt(2*float64(cols))} {
				all = append(all, data{fmt.Sprintf("%d clouds in %d columns, %.1f apart", centres, cols, apart), blobs(cols, centres, apart), false})
			}
		}
		all = append(all, data{fmt.Sprintf("noise in %d columns", cols), made(cols, func(int, int) float64 { return r.NormFloat64() }), false})
	}
	all = append(all,
		data{"counts", made(200, func(int, int) float64 { return float64(r.IntN(4)) }), false},
		data{"images", made(784, func(int, int) float64 { return max(0, 255*r.NormFloat64()) }), false},
		// Many directions with decreasing variance around a common direction, as in embeddings.
		data{"text", made(384, func(_, j int) float64 {
			return 0.5*math.Cos(float64(j)) + r.NormFloat64()*math.Sqrt(1/(1+float64(j)/40))
		}), true},
	)
	for _, c := range all {
		if deviation, like := ingest.LikeText(c.x); like != c.want {
			t.Errorf("%s, deviation %.3f: like text %v, want %v", c.name, deviation, like, c.want)
		}
	}
}
