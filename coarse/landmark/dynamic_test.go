package landmark_test

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/sparse/graph"
)

// crowd is a Dynamic with the points it should contain.
type crowd struct {
	d    *landmark.Dynamic
	rows map[int32][]float32 // by slot
	dim  int
	s    landmark.Settings
}

func newCrowd(t fataler, dim int, s landmark.Settings) *crowd {
	d, err := landmark.NewDynamic(dim, s)
	if err != nil {
		t.Fatal(err)
	}
	return &crowd{d: d, rows: map[int32][]float32{}, dim: dim, s: s}
}

type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// insert adds n points of a grid with side positions along an axis. It uses the lowest free slots
// or, with gaps, some above them.
func (c *crowd) insert(t fataler, r *rand.Rand, n, side int, gaps bool) {
	t.Helper()
	x, slots := vec.New[float32](n, c.dim), []int32{}
	for i := range x.Data {
		x.Data[i] = float32(r.IntN(side))
	}
	for slot := int32(0); len(slots) < n; slot++ {
		if c.rows[slot] == nil && !(gaps && r.IntN(3) == 0) {
			slots = append(slots, slot)
		}
	}
	r.Shuffle(n, func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	if err := c.d.Insert(context.Background(), slots, x); err != nil {
		t.Fatal(err)
	}
	for k, slot := range slots {
		c.rows[slot] = slices.Clone(x.Row(k))
	}
}

func (c *crowd) delete(t fataler, slots []int32) {
	t.Helper()
	if err := c.d.Delete(context.Background(), slots); err != nil {
		t.Fatal(err)
	}
	for _, slot := range slots {
		delete(c.rows, slot)
	}
}

// some returns up to n slots of a list, in random order.
func some(r *rand.Rand, slots []int32, n int) []int32 {
	slots = slices.Clone(slots)
	r.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
	return slots[:max(0, min(n, len(slots)))]
}

// remove deletes n points, any.
func (c *crowd) remove(t fataler, r *rand.Rand, n int) {
	t.Helper()
	c.delete(t, some(r, slices.Sorted(maps.Keys(c.rows)), n))
}

// compact returns the current points, in slot order, and a graph of them: each has edges to the
// next and to a few others.
func (c *crowd) compact(r *rand.Rand) (vec.Matrix[float32], *graph.Graph) {
	slots := make([]int32, 0, len(c.rows))
	for slot := range c.rows {
		slots = append(slots, slot)
	}
	slices.Sort(slots)
	n := len(slots)
	x := vec.New[float32](n, c.dim)
	for k, slot := range slots {
		copy(x.Row(k), c.rows[slot])
	}
	g := &graph.Graph{N: n, Start: make([]int, n+1)}
	for i := range n {
		to := map[int32]bool{}
		for range 3 {
			if j := (i + 1 + r.IntN(n)/3) % n; j != i {
				to[int32(j)] = true
			}
		}
		for j := range int32(n) {
			if to[j] {
				g.To, g.Dist2 = append(g.To, j), append(g.Dist2, vec.SquaredDistance(x.Row(i), x.Row(int(j))))
			}
		}
		g.Start[i+1] = len(g.To)
	}
	return x, g
}

// check compares the Dynamic with New on the current points, bit for bit.
func (c *crowd) check(t fataler, r *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	x, g := c.compact(r)
	got, err := c.d.Pairs(ctx, g)
	if err != nil {
		t.Fatal(err)
	}
	s := c.s
	s.Choose = func(g landmark.Group) []int32 {
		marks := c.d.Choose(g)
		checkNumber(t, len(marks), len(g.Nodes))
		return marks
	}
	want, err := landmark.New(ctx, x, g, s)
	if err != nil {
		t.Fatal(err)
	}
	if c.d.Len() != x.Rows || x.Rows > 2 && len(want.Landmarks) != len(c.d.Landmarks()) && s.Level > 0 {
		t.Fatalf("%d points and %d landmarks, want %d and %d", c.d.Len(), len(c.d.Landmarks()), x.Rows, len(want.Landmarks))
	}
	if !reflect.DeepEqual(got, want) {
		for name, pair := range map[string][2]any{
			"landmarks": {got.Landmarks, want.Landmarks}, "groups": {got.Of, want.Of}, "blocks": {got.Blocks, want.Blocks},
			"similar pairs": {got.Similar, want.Similar}, "weights": {got.Weight, want.Weight},
		} {
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Fatalf("%d points: %s are %v, want %v", x.Rows, name, pair[0], pair[1])
			}
		}
		t.Fatal("constants are not those of all at once")
	}
}

// checkNumber fails if the number of landmarks differs by more than a tenth from the best number,
// after rounding.
func checkNumber(t fataler, got, nodes int) {
	t.Helper()
	best := math.Cbrt(float64(nodes) * float64(nodes) / 2)
	if got != landmark.Landmarks(nodes) && math.Abs(float64(got)-best) > best/10 {
		t.Fatalf("%d landmarks of %d nodes, want about %.2f", got, nodes, best)
	}
}

// After any sequence of insertions and deletions (ties, duplicates, landmarks, almost all points,
// more points than before) the constants equal those of New on the current points with the same
// landmarks.
func TestDynamicIsBatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := landmark.Settings{
			Level: rapid.IntRange(0, 3).Draw(t, "level"), Seed: rapid.Uint64().Draw(t, "seed"),
			Floor: rapid.SampledFrom([]float64{0, 1}).Draw(t, "floor"), Threads: rapid.IntRange(1, 2).Draw(t, "threads"),
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "points"), 0))
		side := rapid.SampledFrom([]int{1, 3, 10, 1000}).Draw(t, "side")
		all := newCrowd(t, 2, s)
		c := all.d
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			switch rapid.IntRange(0, 5).Draw(t, "change") {
			case 0:
				all.delete(t, some(r, c.Slots(), r.IntN(10)))
			case 1:
				all.delete(t, some(r, c.Landmarks(), r.IntN(4)))
			case 2:
				all.delete(t, some(r, c.Slots(), c.Len()-r.IntN(6)))
			case 3:
				all.insert(t, r, r.IntN(100), side, r.IntN(2) == 0)
			default:
				all.insert(t, r, r.IntN(8), side, r.IntN(2) == 0)
			}
			all.check(t, r)
		}
	})
}

// TestDynamicOfManyPoints: enough points that landmarks are found by an index, at once and in parts.
func TestDynamicOfManyPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	c := newCrowd(t, 8, landmark.Settings{Level: 2, Seed: 2})
	c.insert(t, r, 9000, 5, false)
	c.check(t, r)
	c.delete(t, some(r, c.d.Slots(), 3000))
	c.insert(t, r, 6000, 5, false)
	c.check(t, r)
}

// New points in a region of their own get their share of landmarks, and a change of few points
// changes few landmarks.
func TestDynamicLandmarksAreDrawnEvenly(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	c := newCrowd(t, 4, landmark.Settings{Level: 1, Seed: 5})
	c.insert(t, r, 4000, 1000, false)
	for range 40 {
		before := c.d.Landmarks()
		c.delete(t, some(r, c.d.Slots(), 40))
		c.insert(t, r, 40, 1000, false)
		stay := 0
		for _, a := range c.d.Landmarks() {
			if _, found := slices.BinarySearch(before, a); found {
				stay++
			}
		}
		if lost := len(before) - stay; lost > 20 {
			t.Errorf("%d of %d landmarks changed with 40 of 4000 points", lost, len(before))
		}
	}
	known := c.d.Len()
	c.insert(t, r, 1000, 1000, false)
	late := 0
	for _, a := range c.d.Landmarks() {
		if int(a) >= known {
			late++
		}
	}
	share := float64(late) / float64(len(c.d.Landmarks()))
	if sigma := math.Sqrt(0.2 * 0.8 / float64(len(c.d.Landmarks()))); math.Abs(share-0.2) > 4*sigma {
		t.Errorf("a fifth of the points has %.3f of the landmarks", share)
	}
}

// While the number of landmarks stays within the band, landmarks and groups do not depend on the
// order of changes or on threads.
func TestDynamicDependsOnSlotsAlone(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 7))
	x := vec.New[float32](500, 3)
	for i := range x.Data {
		x.Data[i] = r.Float32()
	}
	slots := make([]int32, x.Rows)
	for i := range slots {
		slots[i] = int32(i)
	}
	ctx := context.Background()
	var first []int32
	for threads := 1; threads <= 3; threads++ {
		c := newCrowd(t, 3, landmark.Settings{Level: 1, Seed: 8, Threads: threads})
		if err := c.d.Insert(ctx, slots, x); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			gone := some(r, slots, 1)
			row := vec.Matrix[float32]{Rows: 1, Cols: 3, Data: x.Row(int(gone[0]))}
			if err := c.d.Delete(ctx, gone); err != nil {
				t.Fatal(err)
			}
			if err := c.d.Insert(ctx, gone, row); err != nil {
				t.Fatal(err)
			}
		}
		if first == nil {
			first = slices.Clone(c.d.Landmarks())
		}
		if !slices.Equal(first, c.d.Landmarks()) {
			t.Error("landmarks differ")
		}
	}
}

func TestDynamicErrorsChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	c := newCrowd(t, 2, landmark.Settings{Level: 2})
	c.insert(t, r, 50, 9, false)
	ctx := context.Background()
	done, cancel := context.WithCancel(ctx)
	cancel()
	rows := func(n, dim int, v float32) vec.Matrix[float32] {
		x := vec.New[float32](n, dim)
		x.Data[0] = v
		return x
	}
	for name, f := range map[string]func() error{
		"dimension":       func() error { return c.d.Insert(ctx, []int32{60}, rows(1, 3, 0)) },
		"fewer slots":     func() error { return c.d.Insert(ctx, []int32{60}, rows(2, 2, 0)) },
		"slot in use":     func() error { return c.d.Insert(ctx, []int32{60, 7}, rows(2, 2, 0)) },
		"slot twice":      func() error { return c.d.Insert(ctx, []int32{60, 60}, rows(2, 2, 0)) },
		"slot below zero": func() error { return c.d.Insert(ctx, []int32{-1}, rows(1, 2, 0)) },
		"NaN":             func() error { return c.d.Insert(ctx, []int32{60}, rows(1, 2, float32(math.NaN()))) },
		"infinite":        func() error { return c.d.Insert(ctx, []int32{60}, rows(1, 2, float32(math.Inf(1)))) },
		"no insertion":    func() error { return c.d.Insert(done, []int32{60}, rows(1, 2, 0)) },
		"empty slot":      func() error { return c.d.Delete(ctx, []int32{1, 60}) },
		"deleted twice":   func() error { return c.d.Delete(ctx, []int32{1, 1}) },
		"no deletion":     func() error { return c.d.Delete(done, []int32{1}) },
		"graph":           func() error { _, err := c.d.Pairs(ctx, &graph.Graph{N: 49}); return err },
		"no dimension":    func() error { _, err := landmark.NewDynamic(0, landmark.Settings{}); return err },
		"level":           func() error { _, err := landmark.NewDynamic(1, landmark.Settings{Level: -1}); return err },
		"choice": func() error {
			_, err := landmark.NewDynamic(1, landmark.Settings{Choose: c.d.Choose})
			return err
		},
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	c.check(t, r)
}

// Points that are inserted again in their slots, with the saved bounds, have the same landmarks at
// every level, for any history and also after further changes.
func TestResume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		s := landmark.Settings{Level: rapid.IntRange(0, 3).Draw(t, "level"), Seed: 5, Threads: 2}
		c := newCrowd(t, 2, s)
		for range rapid.IntRange(1, 6).Draw(t, "changes before") {
			c.insert(t, r, 1+r.IntN(80), 9, false)
			c.remove(t, r, r.IntN(len(c.rows)))
		}
		text, err := json.Marshal(c.d.Bounds())
		if err != nil {
			t.Fatal(err)
		}
		var b *landmark.Bounds
		if err := json.Unmarshal(text, &b); err != nil {
			t.Fatal(err)
		}
		again := newCrowd(t, 2, s)
		again.d.Resume(b)
		again.rows = maps.Clone(c.rows)
		x, _ := c.compact(rand.New(rand.NewPCG(1, 1)))
		if err := again.d.Insert(context.Background(), c.d.Slots(), x); err != nil {
			t.Fatal(err)
		}
		seed := r.Uint64()
		for range 4 {
			if !reflect.DeepEqual(c.d.Bounds(), again.d.Bounds()) || !slices.Equal(c.d.Landmarks(), again.d.Landmarks()) {
				t.Fatalf("landmarks %v, resumed %v", c.d.Landmarks(), again.d.Landmarks())
			}
			again.check(t, rand.New(rand.NewPCG(seed, 1)))
			for _, c := range []*crowd{c, again} {
				r := rand.New(rand.NewPCG(seed, 2))
				c.insert(t, r, 12, 9, false)
				c.remove(t, r, 7)
			}
			seed++
		}
	})
}

// Bounds that do not belong to the points, as in a damaged file, only lead to another choice of
// landmarks.
func TestResumeWrong(t *testing.T) {
	for _, b := range []*landmark.Bounds{{}, {Bound: 1 << 62}, {Bound: math.MaxUint64, Top: &landmark.Bounds{}, Groups: map[int32]*landmark.Bounds{7: {}, -1: nil}}} {
		c := newCrowd(t, 2, landmark.Settings{Level: 2})
		c.d.Resume(b)
		r := rand.New(rand.NewPCG(1, 1))
		c.insert(t, r, 90, 9, false)
		c.check(t, r)
		c.remove(t, r, 60)
		c.check(t, r)
	}
}
