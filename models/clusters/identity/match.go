package identity

import (
	"cmp"
	"math"
	"slices"
)

// Matched are the clusters of a map with their ids.
type Matched struct {
	// ID is the id of each cluster, by label.
	ID []ID
	// Memory is the memory of the map's points, with this map as the newest. State is the present
	// state.
	Memory Memory
	State  State
	// Events are the transitions of clusters: first of those that ended, then of the others, each
	// in ascending order of ids.
	Events []Event
}

// Point returns the id of a point's cluster, Noise if it is in none.
func (m *Matched) Point(i int) ID { return m.Memory.Row(i)[0] }

// Match gives ids to the clusters of a map. label is the cluster of each point, 0 <= label < count,
// or negative for noise. was is the memory of the same points (Memory.Take). The error is a
// *models.SettingError.
func Match(state State, was Memory, label []int32, count int, s Settings) (*Matched, error) {
	s, err := s.Filled()
	if err != nil {
		return nil, err
	}
	o := overlapsOf(state, was, label, count, s)
	m := &Matched{ID: make([]ID, count), State: State{Last: state.Last}}
	before := make([]int, count) // index in state.Clusters; -1 for a new cluster
	for b := range before {
		before[b] = -1
	}
	taken := make([]bool, len(state.Clusters))
	for _, p := range o.pairs(s) {
		if !taken[p.old] && before[p.new] < 0 {
			taken[p.old], before[p.new], m.ID[p.new] = true, p.old, state.Clusters[p.old].ID
		}
	}
	for b := range m.ID {
		if before[b] < 0 {
			m.State.Last++
			m.ID[b] = m.State.Last
		}
	}
	m.end(state, taken, o, s)
	m.goOn(state, before, o, s)
	m.remember(state, was, label, s.Memory)
	return m, nil
}

// end records which old clusters are missing, and ends those that have been missing for too long.
func (m *Matched) end(state State, taken []bool, o *overlaps, s Settings) {
	for a, c := range state.Clusters {
		if taken[a] {
			continue
		}
		if into := o.inside(a); c.Missing == 0 && into >= 0 {
			c.Into = m.ID[into]
		}
		c.Missing++
		if c.Missing <= s.Patience && o.left(a) >= s.Least {
			m.State.Clusters = append(m.State.Clusters, c)
			continue
		}
		e := Event{Kind: Died, ID: c.ID, Before: c.Noted}
		if c.Into != Noise {
			e.Kind, e.Other = Merged, c.Into
		}
		m.Events = append(m.Events, e)
	}
}

// goOn records the present clusters.
func (m *Matched) goOn(state State, before []int, o *overlaps, s Settings) {
	first := len(m.Events)
	for b, id := range m.ID {
		c := Cluster{ID: id, Size: o.size[b], Noted: o.size[b]}
		e := Event{Kind: Born, ID: id, Size: c.Size}
		if a := before[b]; a >= 0 {
			e.Before = state.Clusters[a].Noted
			switch change := float64(c.Size - e.Before); {
			case change > s.Growth*float64(e.Before):
				e.Kind = Grew
			case -change > s.Growth*float64(e.Before):
				e.Kind = Shrank
			default:
				e.Kind, c.Noted = "", e.Before
			}
		} else if from := o.origin(b); from >= 0 {
			e.Kind, e.Other = Split, state.Clusters[from].ID
		}
		if e.Kind != "" {
			m.Events = append(m.Events, e)
		}
		m.State.Clusters = append(m.State.Clusters, c)
	}
	slices.SortFunc(m.Events[first:], func(a, b Event) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(m.State.Clusters, func(a, b Cluster) int { return cmp.Compare(a.ID, b.ID) })
}

// remember adds this map to the points' memory. Points of the first clusters count as old.
func (m *Matched) remember(state State, was Memory, label []int32, depth int) {
	m.Memory = Memory{Depth: depth, ID: make([]ID, len(label)*depth), Maps: make([]uint8, len(label))}
	for i, b := range label {
		if m.Memory.Maps[i] = math.MaxUint8; state.Last > 0 && was.Maps[i] < math.MaxUint8 {
			m.Memory.Maps[i] = was.Maps[i] + 1
		}
		row := m.Memory.Row(i)
		if b >= 0 {
			row[0] = m.ID[b]
		}
		for l := 1; l < depth; l++ {
			if row[l] = Absent; l <= was.Depth {
				row[l] = was.Row(i)[l-1]
			}
		}
	}
}
