package identity_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
)

// dumbbell returns two groups at a distance from each other, and a third far away. Near each
// other they are one cluster by the excess of mass.
func dumbbell(distance float64) vec.Matrix[float64] {
	r := rand.New(rand.NewPCG(1, 7))
	x := vec.New[float64](900, 2)
	for i := range x.Rows {
		x.Row(i)[0], x.Row(i)[1] = r.NormFloat64(), r.NormFloat64()
		switch i % 3 {
		case 1:
			x.Row(i)[0] += distance
		case 2:
			x.Row(i)[1] += 40
		}
	}
	return x
}

// TestKeep moves two groups apart and together again. With Favour, clusters change later than
// without, in both directions.
func TestKeep(t *testing.T) {
	changes := func(favour float64) (apart, together float64) {
		w := &world{t: t, set: identity.Settings{Favour: favour}}
		count := func(distance float64) int {
			c, err := clusters.Find(context.Background(), dumbbell(distance), clusters.Settings{MinSize: 30})
			if err != nil {
				t.Fatal(err)
			}
			was := w.memory.Take(same(len(c.Label)), 4)
			if c, err = identity.Keep(c, w.state, was, w.set); err != nil {
				t.Fatal(err)
			}
			w.step(c.Label, same(len(c.Label)))
			return c.Count()
		}
		for apart = 2; count(apart) < 3; apart += .1 {
			if apart > 20 {
				t.Fatal("they never part")
			}
		}
		for together = apart + 2; count(together) > 2; together -= .1 {
			if together < 0 {
				t.Fatal("they never join")
			}
		}
		return apart, together
	}
	apart, together := changes(-1)
	later, nearer := changes(1)
	t.Logf("without favour they part at %.1f and join at %.1f, with it at %.1f and %.1f", apart, together, later, nearer)
	if later <= apart || nearer >= together {
		t.Errorf("with favour they part at %.1f and join at %.1f, without it at %.1f and %.1f", later, nearer, apart, together)
	}
}

// TestKeepOfNothing: clusters that were never matched are kept as found.
func TestKeepOfNothing(t *testing.T) {
	c, err := clusters.Find(context.Background(), dumbbell(9), clusters.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := identity.Keep(c, identity.State{}, identity.Memory{}, identity.Settings{})
	if err != nil || !reflect.DeepEqual(again.Label, c.Label) {
		t.Errorf("labels differ, %v", err)
	}
	if _, err := identity.Keep(c, identity.State{}, identity.Memory{}, identity.Settings{Overlap: 3}); err == nil {
		t.Error("an overlap of 3 is taken")
	}
}
