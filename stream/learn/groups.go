package learn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/live"
	"unfold/models/snapshot"
	"unfold/stream"
)

// groupNotes are the facts about the clusters of a map apart from their ids. They are stored with
// them as JSON.
type groupNotes struct {
	// Living are the living clusters in ascending order of ids, including those that are missing
	// for now.
	Living []groupNote `json:"living,omitempty"`
	// Ended are clusters whose end may not have been emitted yet, with their last notes and the
	// kind of their end.
	Ended []groupNote `json:"ended,omitempty"`
}

// groupNote are the facts about a cluster.
type groupNote struct {
	ID identity.ID `json:"id"`
	// Name describes the cluster at its last event in a few words; "" if nothing distinguished it.
	Name string `json:"name,omitempty"`
	// First and Last are the times when the first and the last map that contained it were learnt.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
	// Event is its last event, with the other cluster and the map version.
	Event   identity.Kind `json:"event"`
	Other   identity.ID   `json:"other,omitempty"`
	Version uint64        `json:"version"`
	// Centre is the mean of its points at the last event while it was present, on the map of
	// version On in the frame Epoch. Earlier programs omitted On.
	Centre []float64 `json:"centre"`
	Epoch  uint32    `json:"epoch"`
	On     uint64    `json:"on,omitempty"`
}

// on returns the version of the map of the centre. It is the version of the last event unless the
// cluster has ended.
func (n *groupNote) on() uint64 { return cmp.Or(n.On, n.Version) }

// groupMoved is the event of a cluster whose centre has moved by more than the threshold of moves
// since its last event.
const groupMoved identity.Kind = "moved"

// notesOf decodes the notes of clusters g, which may be nil.
func notesOf(g *identity.Groups) (n groupNotes, err error) {
	if g != nil && g.Notes != nil {
		err = json.Unmarshal(g.Notes, &n)
	}
	return n, err
}

// findClusters finds the clusters of a map that is about to be published, with ids from those of
// the previous map. Row i of the new map was row stayed[i] there, or negative.
func (p *publisher) findClusters(ctx context.Context, next *published, stayed []int32) error {
	if !p.set.grouped() {
		return nil
	}
	begin := time.Now()
	var before *identity.Groups
	var was stream.ClusterStats
	var notes groupNotes
	if cur := p.current.Load(); cur != nil {
		before, was, notes = cur.at.Clusters(), cur.Stats.Clusters, cur.groups
	}
	g, err := p.groupsOf(ctx, next.snapshot, before, stayed)
	if err != nil {
		return fmt.Errorf("finding the clusters of map version %d: %w", next.snapshot.Version, err)
	}
	if !p.groupsPending {
		notes.Ended = nil
	}
	next.groups = p.note(next, g, notes)
	next.at = next.at.WithClusters(g)
	next.Map = next.at
	if err := p.nameGroups(ctx, next); err != nil {
		return fmt.Errorf("describing the clusters of map version %d: %w", next.snapshot.Version, err)
	}
	if g.Notes, err = json.Marshal(next.groups); err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	f := clusterStats(g, was)
	f.Took = time.Since(begin)
	next.Stats.Clusters = f
	parts, err := g.Parts()
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	next.snapshot.Parts = slices.Concat(next.snapshot.Parts, parts)
	return nil
}

// nameGroups names the clusters that have a new event by their distinguishing properties.
func (p *publisher) nameGroups(ctx context.Context, next *published) (err error) {
	changed := func(n groupNote) bool { return n.Version == next.snapshot.Version }
	if !slices.ContainsFunc(next.groups.Living, changed) {
		return nil
	}
	if next.about, err = p.in.aboutGroups(ctx, next, p.set.spec().Threads); err != nil {
		return err
	}
	label := labelsOf(next.at.Clusters())
	for i := range next.groups.Living {
		if n := &next.groups.Living[i]; changed(*n) {
			if l, there := label[n.ID]; there {
				n.Name = next.about[l].Name()
			}
		}
	}
	return nil
}

// groupsOf finds the clusters of a map's places, or of its rows, and matches them with those of the
// previous map.
func (p *publisher) groupsOf(ctx context.Context, s *snapshot.Snapshot, before *identity.Groups, stayed []int32) (g *identity.Groups, err error) {
	set := p.set.Clusters
	set.Threads = p.set.spec().Threads
	if !p.set.ClustersOfRows {
		g, _, err = identity.Follow(ctx, s.Mu, before, stayed, set, identity.Settings{})
		return g, err
	}
	set.Distance = s.Distance
	if p.tree == nil {
		if p.tree, err = identity.NewTree(set); err != nil {
			return nil, err
		}
	}
	if stayed == nil {
		stayed = slices.Repeat([]int32{-1}, s.Reference.Rows)
	}
	c, of, err := p.tree.Follow(ctx, s.Reference, copiesOf(s.Count, set), stayed)
	if err != nil {
		return nil, err
	}
	g, _, err = identity.NameRows(c, s.Reference, of, before, stayed, set, identity.Settings{})
	return g, err
}

// copiesOf returns the number of copies of each row among which clusters are found. It is the
// number of the row's events, up to the least size of a cluster. The limit is lowered if all copies
// together would exceed mostCopies per row.
func copiesOf(counts []uint32, set clusters.Settings) []uint32 {
	out := make([]uint32, len(counts))
	for most := uint32(set.MinSize); ; most-- {
		all := 0
		for i, n := range counts {
			out[i] = max(1, min(n, most))
			all += int(out[i])
		}
		if all <= mostCopies*len(counts) || most <= 1 {
			return out
		}
	}
}

// mostCopies bounds the average number of copies per row, and so their memory.
const mostCopies = 2

// note derives the notes of the next map from those of the previous one.
func (p *publisher) note(next *published, g *identity.Groups, was groupNotes) groupNotes {
	events, old := map[identity.ID]identity.Event{}, map[identity.ID]groupNote{}
	for _, n := range was.Living {
		old[n.ID] = n
	}
	out := groupNotes{Ended: slices.Clone(was.Ended)}
	for _, e := range g.Events {
		events[e.ID] = e
		if n, known := old[e.ID]; known && e.Kind.Ends() && len(n.Centre) > 0 {
			n.On = n.on()
			n.Event, n.Other, n.Version = e.Kind, e.Other, next.snapshot.Version
			out.Ended = append(out.Ended, n)
		}
	}
	centres := centresOf(g, next.snapshot.Mu)
	limit := p.set.MovesThreshold * live.Diameter(next.snapshot.Mu)
	for _, c := range g.State.Clusters {
		n, known := old[c.ID]
		if !known {
			n = groupNote{ID: c.ID, First: next.Stats.At}
		}
		if c.Missing == 0 {
			n.Last = next.Stats.At
			at := centres[c.ID]
			e, happened := events[c.ID]
			switch {
			case happened:
				n.Event, n.Other = e.Kind, e.Other
			case n.Epoch != next.Epoch || len(n.Centre) != len(at) || math.Sqrt(vec.SquaredDistance(n.Centre, at)) > limit:
				n.Event, n.Other, happened = groupMoved, identity.Noise, true
			}
			if happened {
				n.Version, n.On, n.Centre, n.Epoch = next.snapshot.Version, next.snapshot.Version, at, next.Epoch
			}
		}
		out.Living = append(out.Living, n)
	}
	return out
}

// centresOf returns the mean place of each cluster of a map.
func centresOf(g *identity.Groups, mu vec.Matrix[float64]) map[identity.ID][]float64 {
	sum, n := map[identity.ID][]float64{}, map[identity.ID]float64{}
	for i := range mu.Rows {
		id := g.Point(i)
		if id == identity.Noise {
			continue
		}
		if sum[id] == nil {
			sum[id] = make([]float64, mu.Cols)
		}
		for k, v := range mu.Row(i) {
			sum[id][k] += v
		}
		n[id]++
	}
	for id, at := range sum {
		for k := range at {
			at[k] /= n[id]
		}
	}
	return sum
}

// clusterStats returns the cluster statistics of a map. was are those of the previous map.
func clusterStats(g *identity.Groups, was stream.ClusterStats) stream.ClusterStats {
	f := stream.ClusterStats{Clusters: len(g.ID), Noise: g.NoiseShare(), Births: was.Births, Deaths: was.Deaths}
	count := map[identity.Kind]*int{
		identity.Born: &f.Born, identity.Split: &f.Split, identity.Merged: &f.Merged, identity.Died: &f.Died,
		identity.Grew: &f.Grew, identity.Shrank: &f.Shrank,
	}
	for _, e := range g.Events {
		*count[e.Kind]++
	}
	f.Births += uint64(f.Born + f.Split)
	f.Deaths += uint64(f.Merged + f.Died)
	return f
}
