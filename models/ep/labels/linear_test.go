package labels

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
)

// A column that hardly varies among the labelled events does not decide the class of an event that
// differs in it, to either side.
func TestRareColumn(t *testing.T) {
	const n = 60
	rnd := rand.New(rand.NewPCG(2, 5))
	e := Events{Mu: vec.New[float64](n, 2), Sigma: make([]float64, n), Class: make([]int32, n), Names: []string{"low", "high"}, Seen: vec.New[float32](n, 3)}
	rows := make([]int, n)
	for i := range n {
		rows[i], e.Class[i] = i, int32(i%2)
		e.Seen.Row(i)[0] = float32(float64(2*(i%2)-1) + .5*rnd.NormFloat64())
		e.Seen.Row(i)[1] = float32(rnd.NormFloat64())
		e.Seen.Row(i)[2] = float32(1e-3 * rnd.NormFloat64())
	}
	held := newOpinions(n, ofLinear+1, 2)
	l := e.take(rows).learnLinear(held, 1)
	if l == nil {
		t.Fatal("nothing is learnt")
	}
	p := make([]float64, 2)
	for _, odd := range []float32{-1, 1} {
		for class, x := range []float32{-1, 1} {
			l.predict(p, []float32{x, 0, odd})
			if got := math.Exp(p[class]); got < .8 {
				t.Errorf("with %g in the rare column class %q has the probability %.3g", odd, e.Names[class], got)
			}
		}
	}
}
