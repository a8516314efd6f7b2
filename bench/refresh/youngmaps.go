package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"unfold/internal/vec"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/prior"
	"unfold/models/projection"
	"unfold/models/student"
	"unfold/stream/streamtest/conformance"
)

// youngMaps prints the figures by which the constants of package live for small maps were chosen:
// the largest useful weight of a fit, when a major is due and its prior's weight, and the anchor of
// gentle refreshes.
func (l *lab) youngMaps(ctx context.Context, w io.Writer) error {
	sets, most, err := l.youngSets(ctx)
	if err != nil {
		return err
	}
	if err := l.weights(ctx, w, slices.Clip(sets), most); err != nil {
		return err
	}
	if err := l.held(ctx, w, sets, most); err != nil {
		return err
	}
	return l.gentle(ctx, w, sets, most)
}

// youngSets returns the sets of events for choosing constants, and the largest number of points of
// their maps: 3,000, or less for a smaller reference set.
func (l *lab) youngSets(ctx context.Context) ([]*conformance.Set, int, error) {
	if l.dir == "" {
		return []*conformance.Set{conformance.Blobs(400, 8)}, 200, nil
	}
	most := min(3000, l.size)
	digits, err := conformance.Digits(ctx, filepath.Join(l.dir, "mnist"))
	if err != nil {
		return nil, 0, err
	}
	sentences, err := conformance.Glosses(ctx, filepath.Join(l.dir, "glosses"))
	if err != nil {
		return nil, 0, err
	}
	return []*conformance.Set{conformance.Readme(2 * most), conformance.Blobs(2*most, 32), digits.First(2 * most), sentences.First(2 * most)}, most, nil
}

// heldMaps prints only the table of method held.
func (l *lab) heldMaps(ctx context.Context, w io.Writer) error {
	sets, most, err := l.youngSets(ctx)
	if err != nil {
		return err
	}
	return l.held(ctx, w, sets, most)
}

// weights prints the effect of larger weights of dissimilar pairs on fits: the lowest and the
// highest difference from the default's figures, over sets of most points and of a third of them.
func (l *lab) weights(ctx context.Context, w io.Writer, sets []*conformance.Set, most int) error {
	times := []float64{3, 6, 12, 25, 50, 100, 400}
	if l.dir == "" {
		times = []float64{3, 400}
	}
	low, high := make([]conformance.Figures, len(times)), make([]conformance.Figures, len(times))
	for q, set := range append(sets, conformance.Blobs(most, 8), conformance.Blobs(most, 64)) {
		for _, n := range []int{most / 3, most} {
			x := set.First(n)
			usual, err := l.weighed(ctx, x, 1)
			if err != nil {
				return err
			}
			for k, c := range times {
				f, err := l.weighed(ctx, x, c)
				if err != nil {
					return err
				}
				f = conformance.Mark{Stage: usual, Fit: f}.Less() // f minus the usual
				if q == 0 && n == most/3 {
					low[k], high[k] = f, f
				}
				low[k], high[k] = each(math.Min, low[k], f), each(math.Max, high[k], f)
			}
		}
	}
	fmt.Fprint(w, "\n| weight | 1-NN, less the default's, lowest and highest | trustworthiness | R_NX |\n|---|---|---|---|\n")
	for k, c := range times {
		a, b := low[k], high[k]
		fmt.Fprintf(w, "| %g times | %+.4f to %+.4f | %+.4f to %+.4f | %+.4f to %+.4f |\n", c, a.Nearest, b.Nearest, a.Trust, b.Trust, a.RNX, b.RNX)
	}
	return nil
}

// weighed returns the figures of a fit with c times the default weight.
func (l *lab) weighed(ctx context.Context, x *conformance.Set, c float64) (f conformance.Figures, err error) {
	n, spec := x.X.Rows, l.spec()
	spec.LVM.Student.Weight = c * student.Weight(n, float64(n)*student.DefaultNeighbors, 0)
	s, r, err := fit.Fit(ctx, x.Vectors(), spec, nil)
	if err != nil {
		return f, err
	}
	return conformance.Judge(ctx, x, vec.Convert[float32](vec.Take(s.Mu, r.Row)))
}

// each applies f to the figures of a and b.
func each(f func(a, b float64) float64, a, b conformance.Figures) conformance.Figures {
	return conformance.Figures{Nearest: f(a.Nearest, b.Nearest), Trust: f(a.Trust, b.Trust), RNX: f(a.RNX, b.RNX)}
}

// spec returns the spec of the fits.
func (l *lab) spec() (spec fit.Spec) {
	spec.Threads, spec.Steps = l.threads, l.set.LVM.Steps
	return spec
}

// turnover is a change of a small map: of every of points the first gone are removed, and those up
// to row to are added.
type turnover struct{ to, gone, of int }

// turnovers is a sequence of changes of a small map that begins with first points.
type turnovers struct {
	name  string
	first int
	then  []turnover
}

// held prints the quality of maps after large changes, for several rules for major refreshes. Of
// several sequences of changes it prints the largest loss relative to a fit, and the largest moves.
func (l *lab) held(ctx context.Context, w io.Writer, sets []*conformance.Set, most int) error {
	six := most / 6
	courses := []turnovers{
		{fmt.Sprintf("%d, %d, %d", six, six*3/2, 2*six), six, []turnover{{to: six * 3 / 2}, {to: 2 * six}}},
		{fmt.Sprintf("%d, %d", 4*six, most), 4 * six, []turnover{{to: most}}},
		{fmt.Sprintf("%d, half of them", most), most, []turnover{{to: most, gone: 1, of: 2}}},
		{fmt.Sprintf("%d, half of them in two parts", most), most, []turnover{{to: most, gone: 3, of: 7}, {to: most, gone: 1, of: 8}}},
		{fmt.Sprintf("%d, two thirds replaced", most), most, []turnover{{to: most + most*2/3, gone: 2, of: 3}}},
	}
	fixed := func(from, to float64) live.Settings {
		return live.Settings{Growth: 1.2, Prior: prior.Schedule{From: from, To: to}}
	}
	rules := []struct {
		name string
		set  live.Settings
	}{
		{"as it is", live.Settings{}},
		{"major by half alone", live.Settings{Growth: 1.5}},
		{"weight from 10 to 0.1", fixed(10, 0.1)},
		{"weight from 100 to 0.1", fixed(100, 0.1)},
		{"weight from 100 to 0.01", fixed(100, 0.01)},
	}
	fmt.Fprint(w, "\n| events | rule | 1-NN, less a fit's | trustworthiness | R_NX | largest moves, median / p90 / p99 |\n|---|---|---|---|---|---|\n")
	for _, set := range sets {
		for _, rule := range rules {
			var worst conformance.Figures
			var m live.Moves
			for k, c := range courses {
				if k > 0 && rule.set.Growth == 1.5 {
					continue // a major is due by either rule
				}
				less, moved, err := l.follows(ctx, set, c, rule.set)
				if err != nil {
					return err
				}
				l.say("%s, %s, %s: less %.4f", set.Name, rule.name, c.name, less)
				if k == 0 {
					worst = less
				}
				worst, m = each(math.Max, worst, less), most3(m, moved)
			}
			fmt.Fprintf(w, "| %s | %s | %+.4f | %+.4f | %+.4f | %.2f / %.2f / %.2f |\n", set.Name, rule.name, -worst.Nearest, -worst.Trust, -worst.RNX, m.Median, m.P90, m.P99)
		}
	}
	return nil
}

// follows returns the loss of quality relative to a fit after a sequence of changes, and the
// largest moves.
func (l *lab) follows(ctx context.Context, set *conformance.Set, c turnovers, rule live.Settings) (less conformance.Figures, m live.Moves, err error) {
	f, err := l.begin(ctx, set, c.first, rule)
	if err != nil {
		return less, m, err
	}
	for _, ch := range c.then {
		if err := f.change(ctx, ch); err != nil {
			return less, m, err
		}
		m = most3(m, f.last.Moves)
	}
	less, err = f.less(ctx)
	return less, m, err
}

// most3 returns the elementwise maximum of the three figures.
func most3(a, b live.Moves) live.Moves {
	return live.Moves{Median: max(a.Median, b.Median), P90: max(a.P90, b.P90), P99: max(a.P99, b.P99)}
}

// gentle prints the quality of maps with 1% of their points replaced before each of 24 refreshes,
// by the anchor of gentle ones.
func (l *lab) gentle(ctx context.Context, w io.Writer, sets []*conformance.Set, most int) error {
	const refreshes = 24
	fmt.Fprint(w, "\n| events | anchor of gentle refreshes | 1-NN, less a fit's | trustworthiness | R_NX | moves in gentle ones, median / p90 / p99 |\n|---|---|---|---|---|---|\n")
	for _, set := range sets {
		for _, anchor := range []float64{0.01, 0.1, 0.3, 1} {
			rule := live.Settings{}
			rule.Gentle.Anchor = anchor
			f, err := l.begin(ctx, set, most, rule)
			if err != nil {
				return err
			}
			var sum [3]float64
			count := 0.0
			for range refreshes {
				if err := f.replace(ctx, most/100); err != nil {
					return err
				}
				if f.last.Kind == live.Gentle {
					count++
					for q, v := range moves(f.last.Moves) {
						sum[q] += v
					}
				}
			}
			less, err := f.less(ctx)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "| %s | %g | %+.4f | %+.4f | %+.4f | %.2f / %.2f / %.2f |\n", set.Name, anchor, -less.Nearest, -less.Trust, -less.RNX, sum[0]/count, sum[1]/count, sum[2]/count)
		}
	}
	return nil
}

// followed is a small map: the rows of the set on it and their slots.
type followed struct {
	*fit.Followed
	l     *lab
	set   *conformance.Set
	rule  live.Settings
	x     vec.Matrix[float32]
	rows  []int
	slots []int32
	next  int // row
	r     *rand.Rand
	last  live.Report
}

// begin learns the first map of n points.
func (l *lab) begin(ctx context.Context, set *conformance.Set, n int, rule live.Settings) (*followed, error) {
	x := set.Vectors()
	m, first, err := fit.Follow(ctx, x.Slice(0, n), l.spec(), rule, nil)
	if err != nil {
		return nil, err
	}
	f := &followed{Followed: m, l: l, set: set, rule: rule, x: x, slots: first.Row, next: n, r: rand.New(rand.NewPCG(1, 0x70e6))}
	for i := range n {
		f.rows = append(f.rows, i)
	}
	return f, nil
}

// change applies a turnover and refreshes the map.
func (f *followed) change(ctx context.Context, c turnover) error {
	return f.exchange(ctx, func(i int) bool { return c.of > 0 && i%c.of < c.gone }, c.to-f.next)
}

// replace replaces n random points.
func (f *followed) replace(ctx context.Context, n int) error {
	gone := map[int]bool{}
	for _, i := range f.r.Perm(len(f.rows))[:n] {
		gone[i] = true
	}
	return f.exchange(ctx, func(i int) bool { return gone[i] }, n)
}

func (f *followed) exchange(ctx context.Context, goes func(i int) bool, come int) error {
	var gone, slots []int32
	var rows []int
	for i, s := range f.slots {
		if goes(i) {
			gone = append(gone, s)
		} else {
			rows, slots = append(rows, f.rows[i]), append(slots, s)
		}
	}
	for i := range come {
		rows = append(rows, f.next+i)
	}
	if f.Due(len(rows), come) == live.Major {
		if err := f.renew(ctx, rows); err != nil {
			return err
		}
	}
	more, err := f.Change(ctx, gone, f.x.Slice(f.next, f.next+come), vec.Matrix[float64]{})
	if err != nil {
		return err
	}
	f.rows, f.slots, f.next = rows, append(slots, more...), f.next+come
	f.last, err = f.Refresh(ctx)
	return err
}

// renew learns the principal components again from the rows that will be on the map, as a stage does
// before a major refresh.
func (f *followed) renew(ctx context.Context, rows []int) error {
	s, err := f.Followed.Snapshot()
	if err != nil {
		return err
	}
	spec, before := f.l.spec(), projection.Of(s)
	project, err := spec.Renew(ctx, vec.Take(f.x, rows), before)
	if err != nil || project == before || project.Identity() {
		return err
	}
	row := map[int32]int{}
	for i, slot := range f.slots {
		row[slot] = f.rows[i]
	}
	on := make([]int, 0, len(f.Slots()))
	for _, slot := range f.Slots() {
		on = append(on, row[slot])
	}
	if s.Reference, err = project.Learn(vec.Take(f.x, on), spec.Threads); err != nil {
		return err
	}
	project.Store(s)
	s.Index, s.Cells, s.CellRecall = nil, nil, 0 // these belong to other rows
	f.Followed, err = fit.Resume(ctx, s, f.State(), spec, f.rule)
	return err
}

// less returns the difference by which the map is worse than a fit of its points.
func (f *followed) less(ctx context.Context) (less conformance.Figures, err error) {
	row := map[int32]int{}
	for i, s := range f.Slots() {
		row[s] = i
	}
	order := make([]int, len(f.slots))
	for i, s := range f.slots {
		order[i] = row[s]
	}
	of := f.set.Take(f.rows)
	s, r, err := fit.Fit(ctx, of.Vectors(), f.l.spec(), nil)
	if err != nil {
		return less, err
	}
	m := conformance.Mark{}
	if m.Stage, err = conformance.Judge(ctx, of, vec.Convert[float32](vec.Take(f.Map.Snapshot().Mu, order))); err != nil {
		return less, err
	}
	m.Fit, err = conformance.Judge(ctx, of, vec.Convert[float32](vec.Take(s.Mu, r.Row)))
	return m.Less(), err
}
