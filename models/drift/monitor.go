package drift

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
	"unfold/sparse/graph/live"
)

// Monitor keeps both counts of a window of newest events against a sample of reference rows.
// It is not safe for concurrent use.
type Monitor struct {
	set    Settings
	random *rand.Rand
	// reference is the sample, with its clusters; window how many events it is held against.
	reference sample
	window    int
	// waiting are events that no look has seen yet, until there are Window or Step of them.
	waiting sample
	seen    uint64

	// graph is of both samples once a window is full, nil before. By slot: whether it is the
	// newest events' and the cluster of its point, -1 for none.
	graph   *live.Graph
	newest  []bool
	cluster []int32
	oldest  []int32 // slots of events, oldest first
	kept    kept
	rule    rule
}

// New returns a monitor against a sample of the reference rows, drawn without replacement
// among the events that they stand for. There must be ten windows' worth of these, or the
// window is shortened to a tenth of them. The error matches models.ErrBadInput if they
// are too few or not finite, or is a *models.SettingError.
func New(reference Rows, s Settings) (*Monitor, error) {
	s, err := s.Filled()
	if err != nil {
		return nil, err
	}
	if err := reference.check(); err != nil {
		return nil, err
	}
	m := &Monitor{set: s, random: rand.New(rand.NewPCG(s.Seed, 0xd21f7))}
	m.reference = draw(reference, share*s.Window, m.random)
	m.window = m.reference.x.Rows / share
	if m.window < leastWindow || m.window <= s.Neighbors {
		return nil, models.BadInputf("drift: %d reference events are too few; give at least %d", m.reference.x.Rows, share*max(leastWindow, s.Neighbors+1))
	}
	m.rule.bound = BoundFor(float64(s.Events) / float64(m.window))
	return m, nil
}

// Window is the number of events that are looked at together, and Reference that of the
// reference rows they are held against.
func (m *Monitor) Window() int    { return m.window }
func (m *Monitor) Reference() int { return m.reference.x.Rows }

// Look is what a look at the window has found.
type Look struct {
	// Event is the number of events that had come by then.
	Event uint64
	// Tree is the test of Friedman and Rafsky, Neighbors that of Schilling.
	Tree, Neighbors Test
	// Level is the statistic that is watched, and Bound what raises an alarm.
	Level, Bound float64
	// Alarm: the level is above its bound. Raised: it was not at the look before.
	Alarm, Raised bool
}

// Add takes events, oldest first, and returns what was found at the looks that they made
// due: none before the window is full, then one every Step events. Rows that are not finite
// or of another dimension are refused, all of them. If ctx ends, events wait for the next
// call.
func (m *Monitor) Add(ctx context.Context, events Rows) ([]Look, error) {
	if err := events.check(); err != nil {
		return nil, err
	}
	if events.X.Rows > 0 && events.X.Cols != m.reference.x.Cols {
		return nil, models.BadInputf("drift: events of %d values for reference rows of %d", events.X.Cols, m.reference.x.Cols)
	}
	m.waiting.add(events, 0, events.X.Rows, sought)
	var looks []Look
	for {
		due := m.set.Step
		if m.graph == nil {
			due = m.window
		}
		due = min(due, m.window)
		if m.waiting.x.Rows < due {
			return looks, nil
		}
		next := m.begin
		if m.graph != nil {
			next = m.slide
		}
		if err := next(ctx, due); err != nil {
			return looks, err
		}
		looks = append(looks, m.look())
	}
}

// begin makes the graph of the first window. Slots are dealt to both samples at random, and
// stay with them: so what equal distances are decided by has nothing to do with the samples.
func (m *Monitor) begin(ctx context.Context, due int) error {
	n := m.reference.x.Rows + due
	var all sample
	all.x = vec.New[float32](n, m.reference.x.Cols)
	all.cluster = make([]int32, n)
	slot, newest := m.random.Perm(n), make([]bool, n)
	oldest := make([]int32, 0, due)
	for i, s := range slot {
		from, at := &m.reference, i
		if i >= m.reference.x.Rows {
			from, at = &m.waiting, i-m.reference.x.Rows
			newest[s], oldest = true, append(oldest, int32(s))
		}
		copy(all.x.Row(s), from.x.Row(at))
		all.cluster[s] = from.cluster[at]
	}
	g, err := live.New(all.x.Cols, live.Settings{Neighbors: m.set.Neighbors, Parts: live.Tree, Distance: m.set.Distance, Threads: m.set.Threads})
	if err != nil {
		return fmt.Errorf("drift: %w", err)
	}
	if _, err := g.Insert(ctx, all.x); err != nil {
		return fmt.Errorf("drift: %w", err)
	}
	m.graph, m.newest, m.cluster, m.oldest = g, newest, all.cluster, oldest
	m.seek(oldest)
	m.seen += uint64(due)
	m.waiting.cut(due)
	m.kept = kept{}
	m.kept.begin(m)
	return nil
}

// slide puts the oldest events that wait into the window in the place of its oldest.
func (m *Monitor) slide(ctx context.Context, due int) error {
	gone := append([]int32(nil), m.oldest[:due]...)
	if err := m.graph.Delete(ctx, gone); err != nil {
		return fmt.Errorf("drift: %w", err)
	}
	m.kept.follow(m)
	for _, s := range gone {
		m.kept.point(m, -1, s)
	}
	// What the graph has lost it gets: ctx ends nothing any more.
	next := m.waiting.cut(due)
	slots, err := m.graph.Insert(context.WithoutCancel(ctx), next.x)
	if err != nil {
		return fmt.Errorf("drift: %w", err)
	}
	for r, s := range slots {
		m.cluster[s] = next.cluster[r]
	}
	m.seek(slots)
	for _, s := range slots {
		m.kept.point(m, 1, s)
	}
	m.kept.follow(m)
	m.oldest = append(append(m.oldest[:0], m.oldest[due:]...), slots...)
	m.seen += uint64(due)
	return nil
}

// seek gives events in slots whose cluster is sought that of the nearest reference row: the
// first in their list, or of all where the list has newest events alone.
func (m *Monitor) seek(slots []int32) {
	for _, s := range slots {
		if m.cluster[s] != sought {
			continue
		}
		index, _ := m.graph.Known(s)
		at := slices.IndexFunc(index, func(j int32) bool { return !m.newest[j] })
		if at >= 0 {
			m.cluster[s] = m.cluster[index[at]]
			continue
		}
		x, least := m.graph.Row(s), math.Inf(1)
		for r, c := range m.reference.cluster {
			if d := distance.Between(m.set.Distance, x, m.reference.x.Row(r)); d < least {
				least, m.cluster[s] = d, c
			}
		}
	}
}

// look tests the window as it is, and asks the rule.
func (m *Monitor) look() Look {
	l := Look{Event: m.seen, Tree: m.kept.tree.all.Test(), Neighbors: m.kept.lists.all.Test()}
	m.rule.next(&l)
	return l
}

// Cluster is what a look at one cluster has found: the tests of the parts of both graphs
// that are within it.
type Cluster struct {
	// Label is the cluster's, Reference and Newest are its points.
	Label             int32
	Reference, Newest int
	Tree, Neighbors   Test
}

// Clusters tests the window as it is within each cluster that has points of both samples, or
// of one, in order of their labels. There are none before the window is full.
func (m *Monitor) Clusters() (all []Cluster) {
	for c, counts := range m.kept.tree.each {
		if counts.Reference+counts.Newest > 0 {
			all = append(all, Cluster{
				Label: int32(c), Reference: counts.Reference, Newest: counts.Newest,
				Tree: counts.Test(), Neighbors: m.kept.lists.each[c].Test(),
			})
		}
	}
	return all
}

// ends says which of two slots are the newest events', and in which cluster both points are,
// -1 if in none.
func (m *Monitor) ends(i, j int32) (newest [2]bool, cluster int32) {
	cluster = -1
	if m.cluster[i] == m.cluster[j] {
		cluster = m.cluster[i]
	}
	return [2]bool{m.newest[i], m.newest[j]}, cluster
}
