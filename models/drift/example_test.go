package drift_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"unfold/internal/vec"
	"unfold/models/drift"
)

// Events are compared with reference rows. After 1,000 events a tenth are of a new kind.
func ExampleMonitor() {
	r := rand.New(rand.NewPCG(1, 2))
	rows := func(n int, strange float64) vec.Matrix[float32] {
		x := vec.New[float32](n, 5)
		for i := range n {
			at := 0.0
			if r.Float64() < strange {
				at = 3
			}
			for c := range x.Row(i) {
				x.Row(i)[c] = float32(r.NormFloat64() + at)
			}
		}
		return x
	}
	ctx := context.Background()
	m, err := drift.New(drift.Rows{X: rows(5000, 0)}, drift.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("a window of", m.Window(), "against", m.Reference(), "rows")
	for _, strange := range []float64{0, .1} {
		looks, err := m.Add(ctx, drift.Rows{X: rows(1000, strange)})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, l := range looks {
			if l.Raised {
				fmt.Printf("alarm at event %d: %.1f is above %.1f\n", l.Event, l.Level, l.Bound)
			}
		}
	}
	// Output:
	// a window of 200 against 2000 rows
	// alarm at event 1100: 2.6 is above 2.5
}
