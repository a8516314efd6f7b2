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

// Monitor compares a window of the newest events with a sample of reference rows by both graphs. It
// is not safe for concurrent use.
type Monitor struct {
	set    Settings
	random *rand.Rand
	// reference is the sample, with its clusters; window is the number of events that it is
	// compared with.
	reference sample
	window    int
	// waiting are events that no look has included yet, until there are Window or Step of them.
	waiting sample
	seen    uint64

	// graph contains both samples once a window is full; it is nil before. newest and cluster are
	// by slot: whether the point is one of the newest events, and its cluster, -1 for none.
	graph   *live.Graph
	newest  []bool
	cluster []int32
	oldest  []int32 // slots of events, oldest first
	kept    kept
	rule    rule
}

// New returns a monitor against a sample of the reference rows, drawn without replacement from the
// events that the rows stand for. If these are fewer than ten windows, the window is shortened to a
// tenth of them. The error matches models.ErrBadInput if they are too few or not finite, or is a
// *models.SettingError.
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

// Window is the number of events that are tested together. Reference is the number of reference
// rows that they are compared with.
func (m *Monitor) Window() int    { return m.window }
func (m *Monitor) Reference() int { return m.reference.x.Rows }

// Look is the result of testing the window once.
type Look struct {
	// Event is the number of events received by then.
	Event uint64
	// Tree is the test of Friedman and Rafsky, Neighbors the test of Schilling.
	Tree, Neighbors Test
	// Level is the monitored statistic, and Bound the level above which an alarm is raised.
	Level, Bound float64
	// Alarm reports that the level exceeds its bound. Raised reports that it did not at the look
	// before.
	Alarm, Raised bool
}

// Add adds events, oldest first, and returns the looks that became due: none before the window is
// full, then one every Step events. If a row is not finite or has another dimension, all rows are
// rejected with an error. If ctx ends, the events wait for the next call.
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

// begin builds the graph of the first window. Slots are assigned to both samples at random and then
// stay, so that ties between equal distances are broken independently of the samples.
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

// slide replaces the oldest events of the window by the oldest waiting ones.
func (m *Monitor) slide(ctx context.Context, due int) error {
	gone := append([]int32(nil), m.oldest[:due]...)
	if err := m.graph.Delete(ctx, gone); err != nil {
		return fmt.Errorf("drift: %w", err)
	}
	m.kept.follow(m)
	for _, s := range gone {
		m.kept.point(m, -1, s)
	}
	// The graph has lost points and must get their replacements, so ctx no longer stops the update.
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

// seek assigns clusters to the events in slots that have none yet. An event gets the cluster of the
// nearest reference row in its list, or of the nearest of all if the list has only new events.
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

// look tests the current window and applies the alarm rule.
func (m *Monitor) look() Look {
	l := Look{Event: m.seen, Tree: m.kept.tree.all.Test(), Neighbors: m.kept.lists.all.Test()}
	m.rule.next(&l)
	return l
}

// Cluster is the result of testing one cluster: the tests use the edges with both ends in it.
type Cluster struct {
	// Label is the label of the cluster; Reference and Newest are the numbers of its points.
	Label             int32
	Reference, Newest int
	Tree, Neighbors   Test
}

// Clusters tests the current window within each cluster that has any points, ordered by label. The
// result is empty before the window is full.
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

// ends reports which of two slots are newest events. It also returns the cluster that contains
// both, -1 if none does.
func (m *Monitor) ends(i, j int32) (newest [2]bool, cluster int32) {
	cluster = -1
	if m.cluster[i] == m.cluster[j] {
		cluster = m.cluster[i]
	}
	return [2]bool{m.newest[i], m.newest[j]}, cluster
}
