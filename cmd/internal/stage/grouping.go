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

// lateEvery is how often points that came late get the clusters of the map that is shown.
const lateEvery = time.Second

// predictedTogether is how many points are predicted at a time: few, so that it is the work of one
// processor, and the others place events.
const predictedTogether = 64

// noise is the value of the column of clusters of a point that is in none.
var noise = clusterValue(identity.Noise)

// clusterValue is the value of the column of a cluster.
func clusterValue(id identity.ID) string {
	if id == identity.Noise {
		return "-1"
	}
	return strconv.FormatUint(uint64(id), 10)
}

// grouping says in which clusters of a map points are that were placed before it.
type grouping struct {
	m     *embed.Map
	state view.MapState
	// nearest finds the point of the map that is nearest to a place; it is made when it is needed.
	nearest func() func(x, y float32) int
	since   changes
}

// changes has the versions of the last maps by which clusters have changed, by their values in the column.
// The zero value knows of none.
type changes struct {
	// gave is for clusters that have lost points, or are no more, and for noise; came for clusters that
	// are new.
	gave, came map[string]uint64
}

// with adds what the map of a version says became of clusters. It leaves c as it is.
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

// keepGrouped gives points the clusters of the map that is shown, until the context is done: points that
// are there with each new map, and those that come late a little later.
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
			// What fails here fails for all: points keep the clusters that they came with.
			_ = d.hub.Renew(g.state, emit.ClusterName, func(old view.Old) (view.Renewed, error) { return g.regroup(ctx, old) })
		}
	}
}

// regroup returns the points that are in another cluster now than when they were placed. Only those
// may be whose nearest point of the map is in another one. For them the cluster is predicted as for events.
// Where clusters are of rows, or of places of more dimensions than the page knows, that cannot be done:
// a point keeps its cluster unless this has changed since, or the nearest point's is new, which it gets then.
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
		id, _ := strconv.ParseInt(v, 10, 64) // ids are at most the largest of these
		out.Row, ids = append(out.Row, i), append(ids, id)
		sure, outlier = append(sure, float32(to.Probability[k])), append(outlier, float32(to.Outlier[k]))
	}
	out.Columns = []table.Column{
		table.Int64Column(emit.ClusterName, ids), table.Float32Column(emit.ClusterProbabilityName, sure), table.Float32Column(emit.ClusterOutlierName, outlier),
	}
	return out, nil
}

// predict predicts the clusters of some points by their places, a few at a time.
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
