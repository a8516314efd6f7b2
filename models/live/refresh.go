package live

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/prior"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// Report describes a refresh.
type Report struct {
	Kind Kind
	// Version and Epoch are those of the resulting map.
	Version uint64
	Epoch   uint32
	// Points is the number of points on the map, Born that of new ones, Gone that of removed ones.
	Points, Born, Gone int
	// Loglik is L of the map, extrapolated from some thousands of points. LoglikPoint and
	// LoglikPair are L per point and per ordered pair. With Gaussian tails Loglik is exact and at
	// least LoglikBefore, which is L of the places and variances before the refresh.
	Loglik, LoglikPoint, LoglikPair, LoglikBefore float64
	// Diameter is that of the map. Moves are the moves of points that stayed. Drift are their
	// distances from their places when the epoch began, or at their first major refresh.
	Diameter     float64
	Moves, Drift Moves
	Alarm        Alarm
	// Steps counts EM steps, CGIterations those of their solver.
	Steps, CGIterations int
	// Seconds is the duration. CPUSeconds is the CPU time if Settings.CPU is set.
	Seconds, CPUSeconds float64
}

// Refresh continues learning after changes with the kind of refresh that is due. The result is a
// new version of the map. A major refresh in a frame of its own also begins a new epoch
// (Settings.Frame). The places are moved rigidly such that the points that stayed fit their old
// places best.
//
// If it fails, or ctx ends, the map and the kind that is due do not change. With fewer than two
// points it does nothing (Still).
func (m *Map) Refresh(ctx context.Context) (Report, error) {
	begin, cpu := time.Now(), m.cpu()
	slots, nb, parts := m.lists.compact()
	n := len(slots)
	r := Report{Version: m.snap.Version, Epoch: m.snap.Epoch, Points: n, Born: m.born, Gone: m.gone}
	if n < 2 {
		return r, nil
	}
	var alarm alarm
	alarm, r.Alarm = m.alarm.next(n, m.alarmLasts())
	policy, kind := m.policy.next(m.set, n, m.born, r.Alarm.Since)
	r.Kind, r.Version = kind, r.Version+1
	if m.set.begins(kind) {
		r.Epoch++
	}
	before, x := m.gather(slots), m.rows(slots)
	res, err := m.learn(ctx, &r, x, slots, nb, parts, before)
	if err != nil {
		return Report{}, fmt.Errorf("live: %v refresh of %d points: %w", kind, n, err)
	}
	s, err := m.aligned(ctx, res, &r, x, slots, before.Mu)
	if err != nil {
		return Report{}, err
	}
	m.adopt(s, slots, &r)
	m.alarm, m.policy, m.marked = alarm, policy, m.marks.state()
	r.Seconds, r.CPUSeconds = time.Since(begin).Seconds(), m.cpu()-cpu
	return r, nil
}

func (m *Map) cpu() float64 {
	if m.set.CPU == nil {
		return 0
	}
	return m.set.CPU()
}

// alarmLasts returns the largest Alarm.Since.
func (m *Map) alarmLasts() int {
	if len(m.set.AfterAlarm) == 0 {
		return m.set.Alarm.Blocks
	}
	return slices.Max(m.set.AfterAlarm) + 1
}

// gather returns the places and variances of slots.
func (m *Map) gather(slots []int32) *student.State {
	st := &student.State{Mu: vec.New[float64](len(slots), m.dims), Sigma2: make([]float64, len(slots))}
	for i, s := range slots {
		copy(st.Mu.Row(i), m.place(s))
		st.Sigma2[i] = m.sigma2[s]
	}
	return st
}

// learn continues learning of the points x from the state before, which it does not modify. It adds
// its times and steps to the report.
func (m *Map) learn(ctx context.Context, r *Report, x vec.Matrix[float32], slots []int32, nb *knn.Neighbors, parts *graph.Parts, before *student.State) (*lvm.Result, error) {
	set := m.set.fit()
	if set.Tails == lvm.Gaussian {
		return m.gaussian(ctx, r, x, slots, nb, parts, before, set)
	}
	set.Labels = m.labelled(slots)
	if r.Kind != Major {
		set.Student.Weight = m.weight(len(slots), student.Intrinsic(nb, set.Distance))
	}
	long, err := m.longer(ctx, r.Kind, x, nb, set.ForStudent())
	if err != nil {
		return nil, err
	}
	h, err := student.NewLearner(x, long, set.ForStudent(), m.unit())
	if err != nil {
		return nil, err
	}
	st := m.natural(before)
	var learnt student.Report
	switch r.Kind {
	case Ordinary:
		learnt, err = h.Model.Refine(ctx, st, m.set.Ordinary.refinement())
	case Gentle:
		learnt, err = h.Model.Refine(ctx, st, m.set.gentle(len(slots)).refinement())
	case Major:
		if st, err = m.frame(ctx, h, x, slots, nb, st); err == nil {
			learnt, err = h.Model.Learn(ctx, st, nil)
		}
	}
	if err != nil {
		return nil, err
	}
	r.Steps, r.CGIterations, r.Loglik = learnt.Iterations, learnt.CGIterations, learnt.Loglik
	res := lvm.OfStudent(h.Result(nb, st))
	res.Report.Iterations = learnt.Iterations
	stayed := m.stayed(slots)
	m.publish(res, r.Kind, vec.Take(before.Mu, stayed), vec.Take(res.Mu, stayed))
	return res, nil
}

// mostSearched is the largest number of points for which a major refresh searches for the
// neighbours of further edges. For more points the search takes a larger part of its time.
const mostSearched = 10_000

// longer returns the neighbour lists for a refresh. For a major refresh of few points they contain
// the targets of further edges, as in a fit. Walks along the shorter lists nb would find other
// targets, and points that stay would move further.
func (m *Map) longer(ctx context.Context, kind Kind, x vec.Matrix[float32], nb *knn.Neighbors, s student.Settings) (*knn.Neighbors, error) {
	k := min(s.SearchLists(x.Rows), x.Rows-1)
	if kind != Major || x.Rows > mostSearched || k <= nb.K {
		return nb, nil
	}
	return knn.Graph(ctx, x, k, knn.Settings{Threads: s.Threads, Distance: s.Distance})
}

// frame sets the model's prior for a major refresh and returns the start state. With the previous
// map as the frame, new points are free, and without a budget all points that have not had a major.
func (m *Map) frame(ctx context.Context, h *student.Learner, x vec.Matrix[float32], slots []int32, nb *knn.Neighbors, st *student.State) (*student.State, error) {
	if m.set.Frame == NewFrame {
		return h.Begin(ctx, prior.Points{X: x, Neighbors: nb, Distance: m.set.LVM.Distance, Seed: m.set.LVM.Seed, Threads: m.set.LVM.Threads})
	}
	budget, since := m.set.budget(min(len(slots), m.policy.majorPoints), m.leaps(len(slots))), old
	if budget != (prior.Budget{}) {
		since = young
	}
	h.Model.SetPrior(prior.New(m.held(slots, st.Mu, since)), m.hold(len(slots)))
	h.Model.SetBudget(budget)
	prior.Scale(st.Mu, m.set.Spread)
	return st, nil
}

// held returns the frame of a major refresh that stays near the previous map. mu are the places of
// the points of slots. Points younger than since are free, because they have not found their place.
//
// A budget bounds the moves of all points that readers have seen, so it also holds points that have
// not had a major. Free, some of them moved by more than a tenth of the diameter.
func (m *Map) held(slots []int32, mu vec.Matrix[float64], since age) vec.Matrix[float64] {
	frame := mu.Clone()
	for i, slot := range slots {
		if m.age[slot] < since {
			frame.Row(i)[0] = math.NaN()
		}
	}
	return frame
}

// leaps reports whether this map of n points or the previous one has more than 1.5 times as many
// points as they share.
func (m *Map) leaps(n int) bool {
	stayed := 1.5 * float64(n-m.born)
	return float64(n) > stayed || float64(n-m.born+m.gone) > stayed
}

// hold returns the weight of the prior in a major refresh of n points.
func (m *Map) hold(n int) prior.Schedule { return m.set.hold(min(n, m.policy.majorPoints)) }

// rows returns the rows of slots.
func (m *Map) rows(slots []int32) vec.Matrix[float32] {
	x := vec.New[float32](len(slots), m.dim)
	for i, s := range slots {
		copy(x.Row(i), m.lists.Row(s))
	}
	return x
}

// stayed returns the rows of slots that were on the previous map.
func (m *Map) stayed(slots []int32) (rows []int32) {
	for i, s := range slots {
		if m.age[s] != newborn {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

// aligned moves the new places onto the old ones and makes a snapshot of them.
func (m *Map) aligned(ctx context.Context, res *lvm.Result, r *Report, x vec.Matrix[float32], slots []int32, before vec.Matrix[float64]) (*snapshot.Snapshot, error) {
	stayed := m.stayed(slots)
	from := vec.Take(before, stayed)
	Align(res.Mu, vec.Take(res.Mu, stayed), from)
	if i := beyond(res.Mu); i >= 0 {
		return nil, models.BadInputf("live: point %d has the place %v, beyond single precision: the values are too large, scale or standardize the columns", i, res.Mu.Row(i))
	}
	n := float64(len(slots))
	r.LoglikPoint, r.LoglikPair = r.Loglik/n, r.Loglik/(n*(n-1))
	r.Diameter = Diameter(res.Mu)
	r.Moves = Measure(from, vec.Take(res.Mu, stayed), r.Diameter)
	res.Count = make([]uint32, len(slots))
	for i, s := range slots {
		res.Count[i] = m.count[s]
	}
	s, err := shot(x, res, m.set)
	if err != nil {
		return nil, err
	}
	if err := m.carryIndex(ctx, s, slots); err != nil {
		return nil, err
	}
	s.Version, s.Epoch = r.Version, r.Epoch
	if r.Kind != Major {
		s.Steps += m.snap.Steps
	}
	return s, nil
}

// adopt replaces the current map by a snapshot.
func (m *Map) adopt(s *snapshot.Snapshot, slots []int32, r *Report) {
	m.snap, m.slots, m.placer, m.born, m.gone = s, slots, nil, 0, 0
	var from, to []float64
	for i, slot := range slots {
		copy(m.place(slot), s.Mu.Row(i))
		m.sigma2[slot] = s.Sigma2[i]
		switch {
		case m.set.begins(r.Kind), r.Kind == Major && m.age[slot] != old:
			m.age[slot] = old
			copy(m.begun(slot), s.Mu.Row(i))
		case m.age[slot] == newborn:
			m.age[slot] = young
		}
		if m.age[slot] == old {
			from, to = append(from, m.begun(slot)...), append(to, s.Mu.Row(i)...)
		}
	}
	m.origins = m.originBytes(slots)
	n := len(from) / m.dims
	r.Drift = Measure(vec.Of(n, m.dims, from), vec.Of(n, m.dims, to), r.Diameter)
}
