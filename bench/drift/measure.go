package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models/drift"
)

// sizes are the sizes of the measurements.
type sizes struct {
	// Window events are compared with Reference rows, with a look every Step events. Coarse is the
	// step of the classifier, which is fitted anew each time.
	Window, Reference, Step, Coarse int
	// FalseAlarm is the number of events per false alarm.
	FalseAlarm int
	// Streams without a change: NullOwn streams of NullOwnEvents events measure our own rate, Null
	// streams of NullEvents events set the peers' bounds.
	NullOwn, NullOwnEvents, Null, NullEvents int
	// A stream changes at event Change and has After further events.
	Change, After int
	// Tests of single windows: Looks without a change and Changed with each change, with Rounds of
	// permutations, at Level.
	Looks, Changed, Rounds int
	Level                  float64
}

// method monitors a stream with one or several levels.
type method struct {
	Names []string
	// own is true if the first level's bound is the package's rather than calibrated on streams
	// without a change.
	own   bool
	watch func(ctx context.Context, reference, events vec.Matrix[float32], seed uint64) ([]trace, error)
}

// methods returns our method and the peers.
func (s sizes) methods() []method {
	one := func(t trace, err error) ([]trace, error) { return []trace{t}, err }
	return []method{
		{append([]string{"models/drift"}, statistics...), true, func(ctx context.Context, reference, events vec.Matrix[float32], seed uint64) ([]trace, error) {
			return watch(ctx, reference, events, drift.Settings{Window: s.Window, Step: s.Step, Events: s.FalseAlarm, Threads: 1, Seed: seed},
				func(l drift.Look) float64 { return l.Level }, func(l drift.Look) float64 { return l.Neighbors.Z }, func(l drift.Look) float64 { return l.Tree.Z },
				func(l drift.Look) float64 { return (l.Neighbors.Z + l.Tree.Z) / 2 })
		}},
		{[]string{"MMD"}, false, func(_ context.Context, reference, events vec.Matrix[float32], _ uint64) ([]trace, error) {
			return one(watchMMD(reference, events, s.Window, s.Step), nil)
		}},
		{[]string{"classifier"}, false, func(_ context.Context, reference, events vec.Matrix[float32], _ uint64) ([]trace, error) {
			return one(watchClassifier(reference, events, s.Window, s.Coarse))
		}},
	}
}

// result is the result for a data set.
type result struct {
	Name, Late string
	Dim        int
	// Alarms is the number of alarms in Events without a change.
	Alarms, Events float64
	Streams        []watched
	Looks          []looked
}

// watched is the result of a method on streams.
type watched struct {
	Method string
	Bound  float64
	// Delay is the median by change, or never if most streams end before an alarm.
	Delay []float64
	// Seconds is the processor time per event, of all levels of a method together.
	Seconds float64
}

// looked is the share of windows in which a test is below the level: without a change, and with
// each.
type looked struct {
	Test  string
	Size  float64
	Power []float64
}

// measure makes all measurements on one data set.
func (b *bench) measure(ctx context.Context, d *data) (*result, error) {
	s := b.sizes
	r := &result{Name: d.Name, Late: d.what, Dim: d.usual.Cols}
	if err := b.falseAlarms(ctx, d, r); err != nil {
		return nil, err
	}
	for _, m := range s.methods() {
		w, err := b.delays(ctx, d, m)
		if err != nil {
			return nil, fmt.Errorf("%s, %v: %w", d.Name, m.Names, err)
		}
		r.Streams = append(r.Streams, w...)
	}
	var err error
	r.Looks, err = b.looks(ctx, d)
	return r, err
}

// falseAlarms counts how often our level crosses its bound without a change. A stream counts until
// its first alarm, because a stage draws a new sample after an alarm.
func (b *bench) falseAlarms(ctx context.Context, d *data, r *result) error {
	s := b.sizes
	all, err := b.null(ctx, d, s.methods()[0], s.NullOwn, s.NullOwnEvents, 1000)
	if err != nil {
		return err
	}
	r.Alarms, r.Events = firsts(all[0], b.ownBound())
	b.say("%s: %.0f false alarms in %.0f events", d.Name, r.Alarms, r.Events)
	return nil
}

// ownBound returns the package's bound.
func (b *bench) ownBound() float64 {
	return drift.BoundFor(float64(b.sizes.FalseAlarm) / float64(b.sizes.Window))
}

// null returns traces of n streams without a change, by level.
func (b *bench) null(ctx context.Context, d *data, m method, n, events int, seed uint64) ([][]trace, error) {
	return b.streams(n, len(m.Names), func(i int) ([]trace, error) {
		reference, events := d.stream(seed+uint64(i), b.sizes.Reference, events, 0, nil)
		return m.watch(ctx, reference, events, uint64(i))
	})
}

// streams returns traces of n streams, by level.
func (b *bench) streams(n, levels int, f func(i int) ([]trace, error)) ([][]trace, error) {
	all, err := each(b.threads, n, f)
	if err != nil {
		return nil, err
	}
	out := make([][]trace, levels)
	for _, traces := range all {
		for l, t := range traces {
			out[l] = append(out[l], t)
		}
	}
	return out, nil
}

// delays measures how soon a method detects each change with each of its levels.
func (b *bench) delays(ctx context.Context, d *data, m method) ([]watched, error) {
	s := b.sizes
	null, err := b.null(ctx, d, m, s.Null, s.NullEvents, 2000)
	if err != nil {
		return nil, err
	}
	out := make([]watched, len(m.Names))
	for l, name := range m.Names {
		out[l] = watched{Method: name, Bound: boundFor(null[l], float64(s.FalseAlarm))}
	}
	if m.own {
		out[0].Bound = b.ownBound()
	}
	cpu := harness.CPUSeconds()
	for c := range changes {
		all, err := b.streams(b.seeds, len(m.Names), func(i int) ([]trace, error) {
			reference, events := d.stream(uint64(3000+i), s.Reference, s.Change+s.After, s.Change, &changes[c])
			return m.watch(ctx, reference, events, uint64(i))
		})
		if err != nil {
			return nil, err
		}
		for l := range out {
			out[l].Delay = append(out[l].Delay, middle(all[l], out[l].Bound, float64(s.Change)))
		}
	}
	for l := range out {
		out[l].Seconds = (harness.CPUSeconds() - cpu) / float64(len(changes)*b.seeds*(s.Change+s.After))
		b.say("%s, %s: bound %.3g, delays %v", d.Name, out[l].Method, out[l].Bound, out[l].Delay)
	}
	return out, nil
}

// never is the delay of a change that is not detected.
const never = -1

// middle returns the median number of events from a change to the next crossing, or never.
func middle(all []trace, bound, change float64) float64 {
	found := make([]float64, len(all))
	for i, t := range all {
		at, ok := t.crossing(bound, change)
		if found[i] = at - change; !ok {
			found[i] = math.Inf(1)
		}
	}
	slices.Sort(found)
	if m := found[len(found)/2]; !math.IsInf(m, 1) {
		return m
	}
	return never
}

// tests lists the tests of a single window, in the order in which oneLook applies them.
var tests = []string{"neighbours", "neighbours, by permutation", "tree", "tree, by permutation", "MMD, by permutation", "classifier, by permutation"}

// oneLook applies all tests to one window.
func (b *bench) oneLook(ctx context.Context, reference, events vec.Matrix[float32], seed uint64) ([]float64, error) {
	s := b.sizes
	m, err := drift.New(drift.Rows{X: reference}, drift.Settings{Window: s.Window, Events: s.FalseAlarm, Seed: seed, Threads: 1})
	if err != nil {
		return nil, err
	}
	looks, err := m.Add(ctx, drift.Rows{X: events})
	if err != nil {
		return nil, err
	}
	p := m.Permute(s.Rounds, seed)
	c, err := testClassifier(reference, events, s.Rounds, seed)
	return []float64{looks[0].Neighbors.P, p.NeighborsP, looks[0].Tree.P, p.TreeP, testMMD(reference, events, s.Rounds, seed), c}, err
}

// looks measures how often single windows are reported as different, without a change and with each
// sudden change at half its strength.
func (b *bench) looks(ctx context.Context, d *data) ([]looked, error) {
	s := b.sizes
	share := func(c *change, n int, seed uint64) ([]float64, error) {
		all, err := each(b.threads, n, func(i int) ([]float64, error) {
			reference, events := d.stream(seed+uint64(i), s.Reference, s.Window, 0, c)
			return b.oneLook(ctx, reference, events, uint64(i))
		})
		below := make([]float64, len(tests))
		for _, ps := range all {
			for t, p := range ps {
				if p <= s.Level {
					below[t] += 1 / float64(n)
				}
			}
		}
		return below, err
	}
	out := make([]looked, len(tests))
	size, err := share(nil, s.Looks, 5000)
	if err != nil {
		return nil, err
	}
	for t := range out {
		out[t] = looked{Test: tests[t], Size: size[t]}
	}
	for _, c := range atOnce() {
		power, err := share(&c, s.Changed, 7000)
		if err != nil {
			return nil, err
		}
		for t := range out {
			out[t].Power = append(out[t].Power, power[t])
		}
	}
	return out, nil
}

// half is the strength at which single windows are tested.
const half = .5

// atOnce returns the sudden changes at half their strength.
func atOnce() (some []change) {
	for _, c := range changes {
		if c.gradual > 0 {
			continue
		}
		apply := c.apply
		c.apply = func(x []float32, strength float64, k *known, r *rand.Rand) { apply(x, half*strength, k, r) }
		some = append(some, c)
	}
	return some
}
