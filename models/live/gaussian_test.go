package live

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/models/lvm"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// paper returns settings of the paper's model, with landmarks for any number of points.
func paper() Settings {
	set := quick()
	set.LVM.Tails, set.LVM.Saul.Level, set.LVM.Neighbors = lvm.Gaussian, 1, 5
	return set
}

// batch continues the map of the last refresh as a refresh of that kind would. It builds lists,
// graph, tree and groups of landmarks from the rows alone.
func batch(t *rapid.T, m *Map, kind Kind) (*graph.Graph, *saul.Result) {
	t.Helper()
	ctx := context.Background()
	slots := m.lists.Slots(nil)
	x, before := m.rows(slots), m.gather(slots)
	lists, err := knn.Graph(ctx, x, min(m.set.lists(), x.Rows-1), knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	k := min(m.set.neighbors(), x.Rows-1)
	g, err := graph.Build(ctx, x, lists.First(k), graph.Settings{Core: m.set.LVM.Saul.Core, Components: m.set.LVM.Saul.Components})
	if err != nil {
		t.Fatal(err)
	}
	set, schedule := m.set.LVM, m.set.Ordinary
	if kind == Gentle {
		schedule = m.set.Gentle
	}
	from := saul.Warm{
		State: &saul.State{Mu: before.Mu, Sigma2: before.Sigma2}, Refit: kind == Major,
		Pairs: func(ctx context.Context, g *graph.Graph, s landmark.Settings) (*landmark.Pairs, error) {
			marks := m.marks
			if marks == nil || marks.level != s.Level {
				if marks, err = newLandmarks(ctx, slots, x, s, nil); err != nil {
					return nil, err
				}
			}
			s.Choose = marks.Choose
			return landmark.New(ctx, x, g, s)
		},
	}
	if kind == Major {
		set.Saul.Prior = prior.Settings{Frame: prior.Given, Given: m.held(slots, before.Mu, old), Schedule: m.hold(len(slots))}
	} else {
		set.Steps, set.Saul.Momentum, from.Anchor = schedule.Steps, schedule.Momentum, schedule.Anchor
	}
	res, err := saul.Continue(ctx, x, lists, from, set.ForSaul())
	if err != nil {
		t.Fatal(err)
	}
	return g, res
}

// TestGaussianIsTheBatchs: after any changes the graph of the paper's model equals one built from
// scratch. A refresh then gives the same map and likelihood, bit for bit, and does not lower the
// likelihood.
func TestGaussianIsTheBatchs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		set := paper()
		set.LVM.Steps, set.Ordinary.Steps, set.Gentle.Steps = 5, 3, 4
		set.LVM.Saul.Core = rapid.IntRange(1, 3).Draw(t, "core")
		set.LVM.Saul.Components = rapid.SampledFrom([]saul.Components{saul.Connect, saul.Largest}).Draw(t, "components")
		set.NoveltyK = rapid.SampledFrom([]int{3, 9}).Draw(t, "novelty k")
		set.LVM.Threads = rapid.IntRange(1, 3).Draw(t, "threads")
		set.GentleEvery, set.Backstop, set.Growth = 3, 5, -1
		m, slots := fitted(t, blobs(rapid.IntRange(20, 60).Draw(t, "rows"), 3, r.Uint64()), set)
		refresh(t, m)
		for range rapid.IntRange(1, 7).Draw(t, "changes") {
			r.Shuffle(len(slots), func(i, j int) { slots[i], slots[j] = slots[j], slots[i] })
			out := r.IntN(min(25, max(1, len(slots)-6)))
			came := change(t, m, slots[:out], blobs(r.IntN(20), 3, r.Uint64()))
			slots = append(slots[out:], came...)
			_, kind := m.policy.next(m.set, m.Len(), 0, 0)
			g, want := batch(t, m, kind)
			_, nb, parts := m.lists.compact()
			if parts != nil {
				mine, err := graph.Join(context.Background(), m.rows(m.lists.Slots(nil)), nb.First(set.LVM.Neighbors), *parts,
					graph.Settings{Core: set.LVM.Saul.Core, Components: set.LVM.Saul.Components})
				if err != nil || !reflect.DeepEqual(mine, g) {
					t.Fatalf("E is %+v, want %+v; %v", mine, g, err)
				}
			} else if m.Len() > set.LVM.Neighbors && set.LVM.Saul.Core <= mostCore {
				t.Fatalf("the parts of %d points are not kept", m.Len())
			}
			before := m.gather(m.lists.Slots(nil))
			var stayed []int32
			for i, s := range m.lists.Slots(nil) {
				if m.age[s] != newborn {
					stayed = append(stayed, int32(i))
				}
			}
			got := refresh(t, m)
			if got.Kind != kind || got.Loglik != want.Report.Loglik || got.Steps != want.Report.Iterations || got.Loglik < got.LoglikBefore {
				t.Fatalf("a %v refresh from %v to %v in %d steps, want %v, to %v in %d", got.Kind, got.LoglikBefore, got.Loglik, got.Steps,
					kind, want.Report.Loglik, want.Report.Iterations)
			}
			Align(want.Mu, vec.Take(want.Mu, stayed), vec.Take(before.Mu, stayed))
			s := m.Snapshot()
			if !slices.Equal(s.Mu.Data, want.Mu.Data) || !slices.Equal(s.Sigma2, want.Sigma2) || !slices.Equal(s.Bandwidth2, want.Bandwidth2) {
				t.Fatalf("a %v refresh makes another map than that of the batch", kind)
			}
		}
	})
}

// TestGaussianStationary: in a stationary stream, points that stay hardly move. They move less the
// more firmly they are held, and the likelihood never falls.
func TestGaussianStationary(t *testing.T) {
	var moved []float64
	for _, anchor := range []float64{-1, 1, 0} {
		set := paper()
		set.LVM.Steps, set.Ordinary.Anchor, set.Backstop = 200, anchor, -1
		m, slots := fitted(t, blobs(400, 6, 1), set)
		fresh := blobs(100, 6, 2)
		var sum float64
		for b := range 10 {
			slots = append(slots, change(t, m, slots[8*b:8*b+8], fresh.Slice(8*b, 8*b+8))...)
			r := refresh(t, m)
			if r.Loglik < r.LoglikBefore || r.LoglikBefore >= 0 || r.Epoch != 1 || r.Steps < 5 {
				t.Errorf("anchor %v, refresh %d: %+v", anchor, b+1, r)
			}
			if r.Kind == Ordinary {
				sum += r.Moves.Median
			}
			if r.Moves.Points != 392 || r.Moves.Median <= 0 || r.Moves.Median > 3 {
				t.Errorf("anchor %v, refresh %d, %v: moves %+v", anchor, b+1, r.Kind, r.Moves)
			}
		}
		moved = append(moved, sum)
	}
	t.Logf("moves without an anchor, with one of 1 and with the default: %.3f", moved)
	if !(moved[0] > moved[1] && moved[1] > moved[2]) {
		t.Errorf("moves without an anchor, with one of 1 and with the default: %v", moved)
	}
}

// TestGaussianMajorsStay: if four fifths of the points stay, a major refresh in the old frame moves
// them far less than one in a new frame.
func TestGaussianMajorsStay(t *testing.T) {
	var moves [2]Moves
	for _, frame := range []MajorFrame{KeepFrame, NewFrame} {
		set := paper()
		set.LVM.Steps, set.Frame, set.Growth = 200, frame, 1.2
		m, slots := fitted(t, blobs(300, 6, 1), set)
		change(t, m, slots[:60], blobs(60, 6, 2))
		r := refresh(t, m)
		if r.Kind != Major || r.Loglik < r.LoglikBefore || (r.Epoch == 1) != (frame == KeepFrame) {
			t.Fatalf("frame %v: %+v", frame, r)
		}
		moves[frame] = r.Moves
	}
	t.Logf("%+v", moves)
	if keep, fresh := moves[KeepFrame], moves[NewFrame]; keep.Points != 240 || keep.Median > fresh.Median/2 || keep.P99 > fresh.P90 {
		t.Errorf("points that stay move by %+v, in a new frame by %+v", keep, fresh)
	}
}

// TestGaussianNeverFalls: a refresh does not lower the likelihood, even if momentum overshoots. A
// major refresh that starts from scratch does not either.
func TestGaussianNeverFalls(t *testing.T) {
	set := paper()
	set.LVM.Steps = 3 // a refit of so few steps is worse than a map that was learnt longer
	set.Ordinary = Schedule{Steps: 30, Momentum: 0.999, Anchor: -1}
	set.GentleEvery, set.Backstop = -1, 4
	m, slots := fitted(t, blobs(150, 4, 1), set)
	for b := range 12 {
		slots = append(slots, change(t, m, slots[:5], blobs(5, 4, uint64(b+9)))...)[5:]
		if r := refresh(t, m); r.Loglik < r.LoglikBefore {
			t.Errorf("refresh %d, %v: from %v to %v", b+1, r.Kind, r.LoglikBefore, r.Loglik)
		}
	}
}

// TestGaussianRestored: a map restored from a file continues with the same bits, although its
// landmarks depend on its history.
func TestGaussianRestored(t *testing.T) {
	for _, level := range []saul.Level{1, 2} {
		set := paper()
		set.LVM.Saul.Level, set.GentleEvery, set.Backstop, set.Growth = level, 3, 7, -1
		m, slots := fitted(t, blobs(200, 4, 1), set)
		turn := func(m *Map, slots []int32, b int) []int32 {
			out := 10 + 10*(b%3)
			came := change(t, m, slots[:out], blobs(20, 4, uint64(50+b)))
			refresh(t, m)
			return append(slots[out:len(slots):len(slots)], came...)
		}
		for b := range 6 {
			slots = turn(m, slots, b)
		}
		var file bytes.Buffer
		bare := *m.Snapshot()
		if err := snapshot.Write(&file, &bare); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(m.State())
		if err != nil {
			t.Fatal(err)
		}
		s, err := snapshot.Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		var state State
		if err := json.Unmarshal(text, &state); err != nil {
			t.Fatal(err)
		}
		again, err := Restore(context.Background(), s, state, set)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(again.State(), m.State()) {
			t.Fatalf("level %d: the state is %+v, want %+v", level, again.State(), m.State())
		}
		old := state
		old.Landmarks = nil // as in older files, which lack them
		if m, err := Restore(context.Background(), s, old, set); err != nil || m.State().Landmarks != nil {
			t.Fatalf("level %d: landmarks %+v of a state without, %v", level, m.State().Landmarks, err)
		} else if turn(m, slots, 6); m.State().Landmarks == nil {
			t.Fatalf("level %d: a refresh has no landmarks", level)
		}
		mine, theirs := slots, slots
		for b := 6; b < 12; b++ {
			mine, theirs = turn(m, mine, b), turn(again, theirs, b)
			if !slices.Equal(m.Snapshot().Mu.Data, again.Snapshot().Mu.Data) || !reflect.DeepEqual(m.State(), again.State()) {
				t.Fatalf("level %d, refresh %d: the restored map is another", level, b+1)
			}
		}
	}
}

// TestLandmarksFloor: the floor of each refresh bounds the squared scales, and the landmarks stay.
func TestLandmarksFloor(t *testing.T) {
	m, _ := fitted(t, blobs(60, 3, 1), paper())
	refresh(t, m)
	marks, slots := m.marks, m.Slots()
	x := m.rows(slots)
	lists, err := knn.Graph(t.Context(), x, m.set.lists(), knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Build(t.Context(), x, lists.First(m.set.neighbors()), graph.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, floor := range []float64{1e6, 1e-9} {
		p, err := m.pairs(slots)(t.Context(), g, landmark.Settings{Level: marks.level, Floor: floor})
		if err != nil {
			t.Fatal(err)
		}
		if least := slices.Min(p.Bandwidth2); m.marks != marks || (least >= 1e6) != (floor == 1e6) {
			t.Errorf("a floor of %v: the least squared scale is %v, the same landmarks: %v", floor, least, m.marks == marks)
		}
	}
}

// TestGaussianWithoutSteps: with zero steps a refresh takes no step.
func TestGaussianWithoutSteps(t *testing.T) {
	set := paper()
	set.Ordinary.Steps = -1
	m, slots := fitted(t, blobs(60, 3, 1), set)
	change(t, m, slots[:2], none)
	if r := refresh(t, m); r.Kind != Ordinary || r.Steps != 0 || r.Points != 58 {
		t.Errorf("%+v", r)
	}
}
