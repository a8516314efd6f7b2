package stage

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/clusters/identity"
	"unfold/stream/embed"
	"unfold/stream/view"
)

// lateEvery is the interval at which late points get the clusters of the current map.
const lateEvery = time.Second

// predictedTogether is the number of points that are predicted in one call. It is small, so that
// one processor does the work and the others place events.
const predictedTogether = 64

// noise is the cluster column's value for points in no cluster.
var noise = clusterValue(identity.Noise)

// clusterValue returns the cluster column's value for a cluster.
func clusterValue(id identity.ID) string {
	if id == identity.Noise {
		return "-1"
	}
	return strconv.FormatUint(uint64(id), 10)
}

// grouping assigns points to the clusters of a map that is newer than their placement.
type grouping struct {
	m     *embed.Map
	state view.MapState
	// nearest returns a function for the map point nearest to a place. It is created on first use.
	nearest func() func(x, y float32) int
	since   changes
}

// changes has the map versions at which clusters last changed, by the clusters' column values. The
// zero value has no changes.
type changes struct {
	// gave is for clusters that lost points or disappeared, and for noise. came is for new
	// clusters.
	gave, came map[string]uint64
}

// with returns the changes after the map with the given version. It leaves c unchanged.
func (c changes) with(events []identity.Event, version uint64) changes {
	out := changes{maps.Clone(c.gave), maps.Clone(c.came)}
	if out.gave == nil {
		out = changes{map[string]uint64{}, map[string]uint64{}}
	}
	for _, e := range events {
		switch e.Kind {
		case identity.Born, identity.Split:
			out.came[clusterValue(e.ID)] = version
		case identity.Grew:
			out.gave[noise] = version
		default:
			out.gave[clusterValue(e.ID)] = version
		}
	}
	return out
}

// keepGrouped updates the clusters of points until the context is done: with each new map for all
// points, and periodically for late ones.
func (d *display) keepGrouped(ctx context.Context) {
	late := time.NewTicker(lateEvery)
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.regroup:
		case <-late.C:
		}
		if g := d.grouped.Load(); g != nil {
			// An error would recur for every point, so it is ignored: points keep their clusters.
			_ = d.hub.Renew(g.state, emit.ClusterName, func(old view.Old) (view.Renewed, error) { return g.regroup(ctx, old) })
		}
	}
}

// regroup returns the points whose cluster has changed since their placement. Only points whose
// nearest map point changed its cluster can be affected. Their clusters are predicted as for
// events. This is impossible for clusters of input vectors, or of places with more dimensions than
// the page stores. Then a point keeps its cluster unless that changed since, or the nearest point's
// cluster is new. In these cases it gets the nearest point's cluster.
func (g *grouping) regroup(ctx context.Context, old view.Old) (out view.Renewed, err error) {
	of, dims, nearest := g.m.Clusters(), g.m.Snapshot().Mu.Cols, g.nearest()
	exact := dims <= 2 && !of.OfRows()
	var to identity.Members
	for i, v := range old.Value {
		id := of.Point(nearest(old.X[i], old.Y[i]))
		c := clusterValue(id)
		if c != v && (exact || v == "" || old.Version[i] < max(g.since.gave[v], g.since.came[c])) {
			out.Row, to.ID = append(out.Row, i), append(to.ID, id)
		}
	}
	to.Probability = slices.Repeat([]float64{math.NaN()}, len(out.Row))
	to.Outlier = to.Probability
	if exact {
		if to, err = predict(ctx, of, old, out.Row, dims); err != nil {
			return out, err
		}
	}
	rows := out.Row
	out.Row = nil
	var ids []int64
	var sure, outlier []float32
	for k, i := range rows {
		v := clusterValue(to.ID[k])
		if v == old.Value[i] {
			continue
		}
		id, _ := strconv.ParseInt(v, 10, 64) // ids fit in an int64
		out.Row, ids = append(out.Row, i), append(ids, id)
		sure, outlier = append(sure, float32(to.Probability[k])), append(outlier, float32(to.Outlier[k]))
	}
	out.Columns = []table.Column{
		table.Int64Column(emit.ClusterName, ids), table.Float32Column(emit.ClusterProbabilityName, sure), table.Float32Column(emit.ClusterOutlierName, outlier),
	}
	return out, nil
}

// predict predicts the clusters of some points by their places, in small batches.
func predict(ctx context.Context, of *identity.Groups, old view.Old, rows []int, dims int) (out identity.Members, err error) {
	for some := range slices.Chunk(rows, predictedTogether) {
		at := vec.New[float32](len(some), dims)
		for k, i := range some {
			copy(at.Row(k), []float32{old.X[i], old.Y[i]})
		}
		m, err := of.Predict(ctx, at)
		if err != nil {
			return out, err
		}
		out.ID, out.Probability, out.Outlier = append(out.ID, m.ID...), append(out.Probability, m.Probability...), append(out.Outlier, m.Outlier...)
	}
	return out, nil
}
