package identity_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
)

// beside returns 300 points around the origin, as many far from them, and a small group at a
// distance from the first.
func beside(satellite int, distance float64) vec.Matrix[float64] {
	r := rand.New(rand.NewPCG(2, 7))
	x := vec.New[float64](600+satellite, 2)
	for i := range x.Rows {
		x.Row(i)[0], x.Row(i)[1] = r.NormFloat64(), r.NormFloat64()
		switch {
		case i >= 600:
			x.Row(i)[0] = distance + x.Row(i)[0]/2
			x.Row(i)[1] /= 2
		case i >= 300:
			x.Row(i)[1] += 40
		}
	}
	return x
}

// TestYoungPart: a cluster consists of two groups. If the points of the smaller group are new, it
// becomes a new cluster at once. If they have been there from the start, the one cluster is kept
// for longer.
func TestYoungPart(t *testing.T) {
	const satellite = 60
	count := func(young bool, distance, favour float64) (int, []identity.Event) {
		w := &world{t: t, set: identity.Settings{Favour: favour}}
		see := func(x vec.Matrix[float64], row []int32) (int, []identity.Event) {
			c, err := clusters.Find(context.Background(), x, clusters.Settings{MinSize: 30})
			if err != nil {
				t.Fatal(err)
			}
			was := w.memory.Take(row, 4)
			if c, err = identity.Keep(c, w.state, was, w.set); err != nil {
				t.Fatal(err)
			}
			m := w.step(c.Label, row)
			return c.Count(), m.Events
		}
		start := beside(satellite, 1) // within the first group
		if young {
			start = beside(0, 0)
		}
		row := same(start.Rows)
		for range 4 {
			see(start, row)
		}
		row = same(600 + satellite)
		for i := start.Rows; i < len(row); i++ {
			row[i] = -1
		}
		return see(beside(satellite, distance), row)
	}
	first := func(young bool, favour float64) (at float64, born identity.Kind) {
		for at = 1; at < 40; at += .2 {
			if n, events := count(young, at, favour); n > 2 {
				for _, e := range events {
					if e.Size <= satellite+5 {
						return at, e.Kind
					}
				}
				t.Fatalf("%d clusters, and of none is said that it is new: %v", n, events)
			}
		}
		t.Fatal("they never part")
		return 0, ""
	}
	free, _ := first(true, -1)
	young, kind := first(true, 1)
	old, _ := first(false, 1)
	t.Logf("apart at %.1f without favour, at %.1f if young, at %.1f if old", free, young, old)
	if young != free || old <= young {
		t.Errorf("apart at %.1f without favour, at %.1f if young, at %.1f if old", free, young, old)
	}
	if kind != identity.Born {
		t.Errorf("a cluster of young points is %s", kind)
	}
}
