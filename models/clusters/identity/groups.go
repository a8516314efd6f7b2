package identity

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/clusters"
	"unfold/models/snapshot"
)

// Groups are the clusters of a map with their ids, and their part of a snapshot. They are immutable
// and safe for concurrent use.
type Groups struct {
	Matched
	// Set are the settings with which they were found.
	Set clusters.Settings
	// Notes are stored with the state for the caller, as JSON.
	Notes json.RawMessage

	hierarchy *clusters.Hierarchy
	predictor predictor
	of        []int32 // per clustered point: its row of the map; nil if the map's points were clustered
}

// OfRows reports whether the rows from which the map was learnt were clustered, rather than its
// places.
func (g *Groups) OfRows() bool { return g.of != nil }

// Follow finds the clusters of the rows of mu, the places of a map, and gives them ids. row[i] is
// the index of row i on the previous map, negative if it was not there. before may be nil. It also
// returns the selected clusters. The errors are those of clusters.Find.
func Follow(ctx context.Context, mu vec.Matrix[float64], before *Groups, row []int32, set clusters.Settings, s Settings) (*Groups, *clusters.Clusters, error) {
	c, err := clusters.Find(ctx, mu, set)
	if err != nil {
		return nil, nil, err
	}
	return Name(c, mu, before, row, set, s)
}

// Name is Follow for clusters c of the rows of mu that were found with set.
func Name(c *clusters.Clusters, mu vec.Matrix[float64], before *Groups, row []int32, set clusters.Settings, s Settings) (*Groups, *clusters.Clusters, error) {
	g, c, err := named(c, before, row, set, s)
	if err != nil {
		return nil, nil, err
	}
	g.predictor = onMap{clusters.PredictorOf(g.hierarchy, mu, g.Set)}
	return g, c, nil
}

// NameRows is Name for clusters c of the rows x (n x dim) from which a map of n points was learnt.
// Point i of c is a copy of row of[i], as in Tree.Follow. Points of the map with more copies have
// more weight.
func NameRows(c *clusters.Clusters, x vec.Matrix[float32], of []int32, before *Groups, row []int32, set clusters.Settings, s Settings) (*Groups, *clusters.Clusters, error) {
	was := make([]int32, len(of))
	for i, r := range of {
		if was[i] = -1; len(row) > 0 {
			was[i] = row[r]
		}
	}
	g, c, err := named(c, before, was, set, s)
	if err != nil {
		return nil, nil, err
	}
	g.of = of
	all := g.Memory
	g.Memory = Memory{Depth: all.Depth, ID: make([]ID, x.Rows*all.Depth), Maps: make([]uint8, x.Rows)}
	for i, r := range of { // copies have the same memory
		copy(g.Memory.Row(int(r)), all.Row(i))
		g.Memory.Maps[r] = all.Maps[i]
	}
	g.predictor = onRows{clusters.PredictorOf(g.hierarchy, vec.Take(x, of), g.Set)}
	return g, c, nil
}

// named gives ids to clusters. Point i had the index row[i] on the previous map.
func named(c *clusters.Clusters, before *Groups, row []int32, set clusters.Settings, s Settings) (*Groups, *clusters.Clusters, error) {
	set, err := set.Filled()
	if err != nil {
		return nil, nil, err
	}
	s.Least = cmp.Or(s.Least, set.MinSize)
	if s, err = s.Filled(); err != nil {
		return nil, nil, err
	}
	n := len(c.Label)
	state, was := State{}, Memory{Depth: s.Memory, ID: make([]ID, n*s.Memory), Maps: make([]uint8, n)}
	for i := range was.ID {
		was.ID[i] = Absent
	}
	if before != nil {
		state, was = before.State, before.Memory.Take(row, s.Memory)
		if c, err = Keep(c, state, was, s); err != nil {
			return nil, nil, err
		}
	}
	m, err := Match(state, was, c.Label, c.Count(), s)
	if err != nil {
		return nil, nil, err
	}
	return &Groups{Matched: *m, Set: set, hierarchy: c.Hierarchy()}, c, nil
}

// predictor predicts clusters for float32 values of either kind of clusters.
type predictor interface {
	predict(ctx context.Context, at vec.Matrix[float32]) (clusters.Membership, error)
}

type onMap struct{ *clusters.Predictor[float64] }

func (p onMap) predict(ctx context.Context, at vec.Matrix[float32]) (clusters.Membership, error) {
	return p.Predict(ctx, vec.Convert[float64](at))
}

type onRows struct{ *clusters.Predictor[float32] }

func (p onRows) predict(ctx context.Context, at vec.Matrix[float32]) (clusters.Membership, error) {
	return p.Predict(ctx, at)
}

// Members are the clusters of placed points.
type Members struct {
	// ID is the cluster of each point, or Noise.
	ID                   []ID
	Probability, Outlier []float64
}

// Predict returns the clusters of places, n x d, or of projected rows if the clusters are OfRows.
// Its errors are those of clusters.Predictor.Predict.
func (g *Groups) Predict(ctx context.Context, at vec.Matrix[float32]) (Members, error) {
	p, err := g.predictor.predict(ctx, at)
	if err != nil {
		return Members{}, err
	}
	m := Members{ID: make([]ID, len(p.Label)), Probability: p.Probability, Outlier: p.Outlier}
	for i, l := range p.Label {
		if l >= 0 {
			m.ID[i] = g.ID[l]
		}
	}
	return m, nil
}

// Names of the parts of a snapshot.
const (
	partIDs    = "clusters.ids"    // 1 + number of clusters: Noise, then the id of each
	partMemory = "clusters.memory" // n x depth
	partMaps   = "clusters.maps"   // n: the number of maps of each point, up to 255
	partState  = "clusters.state"  // JSON
	partRows   = "clusters.rows"   // per point: the row that it is a copy of, if rows were clustered
)

// kept is the JSON of partState.
type kept struct {
	State
	Events    []Event            `json:"events,omitempty"`
	MinSize   int                `json:"min_size"`
	Samples   int                `json:"min_samples"`
	Selection clusters.Selection `json:"selection"`
	Epsilon   float64            `json:"epsilon,omitempty"`
	Notes     json.RawMessage    `json:"notes,omitempty"`
}

// Parts returns the groups as parts of a snapshot.
func (g *Groups) Parts() ([]snapshot.Part, error) {
	text, err := json.Marshal(kept{g.State, g.Events, g.Set.MinSize, g.Set.MinSamples, g.Set.Selection, g.Set.Epsilon, g.Notes})
	if err != nil {
		return nil, err
	}
	parts := g.hierarchy.Parts()
	if g.of != nil {
		of := make([]uint32, len(g.of))
		for i, r := range g.of {
			of[i] = uint32(r)
		}
		parts = append(parts, snapshot.Part{Name: partRows, Rows: len(of), Cols: 1, Data: of})
	}
	return append(parts,
		snapshot.Part{Name: partIDs, Rows: 1 + len(g.ID), Cols: 1, Data: plain(append([]ID{Noise}, g.ID...))},
		snapshot.Part{Name: partMemory, Rows: g.Memory.Rows(), Cols: g.Memory.Depth, Data: plain(g.Memory.ID)},
		snapshot.Part{Name: partMaps, Rows: len(g.Memory.Maps), Cols: 1, Data: g.Memory.Maps},
		snapshot.Part{Name: partState, Rows: len(text), Cols: 1, Data: text}), nil
}

func plain(ids []ID) []uint64 {
	out := make([]uint64, len(ids))
	for i, id := range ids {
		out[i] = uint64(id)
	}
	return out
}

func idsOf(numbers []uint64) []ID {
	out := make([]ID, len(numbers))
	for i, v := range numbers {
		out[i] = ID(v)
	}
	return out
}

// Open returns the groups in a snapshot, nil if there are none. threads bounds the goroutines of
// Predict; 0 means all processors. The error matches models.ErrBadInput.
func Open(s *snapshot.Snapshot, threads int) (*Groups, error) {
	h, err := clusters.HierarchyOf(s)
	if h == nil || err != nil {
		return nil, err
	}
	bad := func(err error) error { return models.BadInputf("the clusters of the map: %w", err) }
	ids, err := snapshot.PartOf[uint64](s, partIDs, 1+len(h.Death), 1)
	if err != nil {
		return nil, bad(err)
	}
	memory, err := snapshot.PartOf[uint64](s, partMemory, s.Mu.Rows, 0)
	if err != nil {
		return nil, bad(err)
	}
	text, err := snapshot.PartOf[byte](s, partState, 0, 1)
	if err != nil {
		return nil, bad(err)
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		return nil, bad(err)
	}
	g := &Groups{Set: clusters.Settings{MinSize: k.MinSize, MinSamples: k.Samples, Selection: k.Selection, Epsilon: k.Epsilon, Threads: threads}, Notes: k.Notes, hierarchy: h}
	g.ID, g.State, g.Events = idsOf(ids[1:]), k.State, k.Events
	g.Memory = Memory{Depth: len(memory) / s.Mu.Rows, ID: idsOf(memory)}
	if g.Memory.Maps, err = mapsOf(s); err != nil {
		return nil, bad(err)
	}
	for _, id := range g.ID {
		if id == Noise || id > g.State.Last || id > math.MaxInt64 {
			return nil, models.BadInputf("the clusters of the map: an id of %d, the last that was given is %d", id, g.State.Last)
		}
	}
	if _, there := s.Part(partRows); there {
		return g, g.openRows(s)
	}
	if len(h.Of) != s.Mu.Rows {
		return nil, models.BadInputf("the clusters of the map: %d points of %d", len(h.Of), s.Mu.Rows)
	}
	g.predictor = onMap{clusters.PredictorOf(h, s.Mu, g.Set)}
	return g, nil
}

// mapsOf returns the number of maps of each point of a snapshot. Earlier versions did not store it;
// all their points count as old.
func mapsOf(s *snapshot.Snapshot) ([]uint8, error) {
	if _, there := s.Part(partMaps); there {
		return snapshot.PartOf[uint8](s, partMaps, s.Mu.Rows, 1)
	}
	return slices.Repeat([]uint8{math.MaxUint8}, s.Mu.Rows), nil
}

// openRows reads the parts that only clusters of rows have.
func (g *Groups) openRows(s *snapshot.Snapshot) error {
	of, err := snapshot.PartOf[uint32](s, partRows, len(g.hierarchy.Of), 1)
	if err != nil {
		return models.BadInputf("the clusters of the map: %w", err)
	}
	g.of = make([]int32, len(of))
	for i, r := range of {
		if int64(r) >= int64(s.Reference.Rows) {
			return models.BadInputf("the clusters of the map: a point is a copy of row %d of %d", r, s.Reference.Rows)
		}
		g.of[i] = int32(r)
	}
	g.Set.Distance = s.Distance
	g.predictor = onRows{clusters.PredictorOf(g.hierarchy, vec.Take(s.Reference, g.of), g.Set)}
	return nil
}

// Points returns the number of clustered points, including copies.
func (g *Groups) Points() int { return len(g.hierarchy.Of) }

// NoiseShare returns the share of the map's points that are in no cluster.
func (g *Groups) NoiseShare() float64 {
	n := 0
	for i := range g.Memory.Rows() {
		if g.Point(i) == Noise {
			n++
		}
	}
	return float64(n) / float64(max(1, g.Memory.Rows()))
}

// Bytes estimates the peak memory of the groups of a map of n points in bytes, without the map:
// while they are computed, and for three maps.
func Bytes(n, dims int, set clusters.Settings, s Settings) int64 {
	if s, err := s.Filled(); err == nil {
		return int64(n) * int64(clusters.RowBytes(dims, set)+3*(8*s.Memory*2+1+2*(8+8+4)+8))
	}
	return 0
}
