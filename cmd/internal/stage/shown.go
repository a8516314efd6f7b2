package stage

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"sync"

	"unfold/cmd/internal/viewer"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/view"
)

// shown is the state of the page after the last map. The next map is sent as the difference to it.
type shown struct {
	seed maphash.Seed
	id   string
	base view.Base
	// keys are the keys of base. byID maps its ids to keys.
	keys map[uint64]bool
	byID map[uint64]uint64
	// course tracks the clusters. clusters are those of the last map, and changed are their
	// changes.
	course   viewer.Course
	clusters view.Clusters
	changed  changes
}

// NewMap implements embed.Watcher. It puts all points on the map before any event is placed on it.
// So events that are later placed on an earlier map are recognized as late.
func (d *display) NewMap(p *stream.Published) {
	m, ok := p.Map.(*embed.Map)
	if !ok {
		return
	}
	s := &d.shown
	before, id := s.base, s.id
	s.id, s.base = p.MapID, s.baseOf(m)
	move := view.Carry(before, s.base)
	if move == nil && len(before.Keys) > 0 || id != "" && id != p.MapID {
		d.hub.Clear() // places on another map are not comparable
		move, s.changed = nil, changes{}
	}
	state := view.MapState{ID: p.MapID, Epoch: p.Epoch, Version: p.Version}
	d.hub.Refresh(state, s.base, move)
	if m.Clusters() == nil {
		d.grouped.Store(nil)
		return
	}
	at := p.Stats.At
	if at.IsZero() {
		at = p.At
	}
	known, err := s.course.Follow(m.Clusters(), m.Snapshot().Mu, p.Version, at)
	if err != nil {
		return // not reached: a map with unreadable notes is not published
	}
	s.clusters = carried(known, s.clusters, move)
	d.hub.SetClusters(s.clusters)
	s.changed = s.changed.with(m.Clusters().Events, p.Version)
	d.grouped.Store(&grouping{m: m, state: state, nearest: sync.OnceValue(s.base.Nearest), since: s.changed})
	select {
	case d.regroup <- struct{}{}:
	default:
	}
}

// carried moves the centres of clusters that a map lacks along with the map, because no newer map
// has them.
func carried(now, before view.Clusters, move func(x, y float32) (float32, float32)) view.Clusters {
	if move == nil {
		return now
	}
	was := map[string]view.Cluster{}
	for _, c := range before.Living {
		was[c.ID] = c
	}
	for i := range now.Living {
		c := &now.Living[i]
		if old, there := was[c.ID]; there && c.Missing {
			c.X, c.Y = move(old.X, old.Y)
		}
	}
	return now
}

// baseOf returns the points of a map.
func (s *shown) baseOf(m *embed.Map) view.Base {
	mu := m.Snapshot().Mu
	byID := map[uint64]uint64{}
	var row []byte
	out := view.Base{Keys: make([]uint64, mu.Rows), X: make([]float32, mu.Rows), Y: make([]float32, mu.Rows)}
	for i := range mu.Rows {
		at := mu.Row(i)
		out.X[i] = float32(at[0])
		if len(at) > 1 {
			out.Y[i] = float32(at[1])
		}
		row = row[:0]
		for _, v := range m.Snapshot().Reference.Row(i) {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v+0)) // -0 becomes 0
		}
		out.Keys[i] = s.keyOf(m, i, maphash.Bytes(s.seed, row), byID)
	}
	s.byID, s.keys = byID, make(map[uint64]bool, mu.Rows)
	for _, k := range out.Keys {
		s.keys[k] = true
	}
	return out
}

// keyOf returns the key that identifies a reference point across maps: the hash of its row, which is
// key. If that row is new, it is the previous key of the point with the same id, because a new
// projection may have changed all rows. byID receives the keys of this map by id.
func (s *shown) keyOf(m *embed.Map, i int, key uint64, byID map[uint64]uint64) uint64 {
	ids := m.PointIDs()
	if ids == nil || ids[i] == "" {
		return key
	}
	id := maphash.String(s.seed, ids[i])
	if was, there := s.byID[id]; there && !s.keys[key] {
		key = was
	}
	byID[id] = key
	return key
}
