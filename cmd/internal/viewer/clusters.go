package viewer

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"unfold/ingest/emit"
	"unfold/internal/vec"
	"unfold/models/clusters/identity"
	"unfold/stream/learn"
	"unfold/stream/view"
)

// mostEvents bounds the remembered cluster events.
const mostEvents = 500

// Course follows the clusters of a map from version to version. The zero value has no history.
type Course struct {
	names  map[identity.ID]string
	events []view.ClusterEvent
}

// Follow adds the clusters of the next map, with points at mu, the given version and time of
// learning. It returns the clusters for the page. It returns an error if the cluster data of the
// map is invalid.
func (c *Course) Follow(g *identity.Groups, mu vec.Matrix[float64], version uint64, at time.Time) (view.Clusters, error) {
	known, err := learn.ClustersOf(g, mu)
	if err != nil {
		return view.Clusters{}, err
	}
	names := map[identity.ID]string{}
	out := view.Clusters{Column: emit.ClusterName}
	for _, k := range known {
		names[k.ID] = k.Name
		v := view.Cluster{ID: number(k.ID), Name: k.Name, Size: k.Size, Missing: k.Missing, Since: millis(k.First)}
		if len(k.Centre) > 0 {
			v.X = float32(k.Centre[0])
		}
		if len(k.Centre) > 1 {
			v.Y = float32(k.Centre[1])
		}
		out.Living = append(out.Living, v)
	}
	for _, e := range g.Events {
		name, lives := names[e.ID]
		if !lives {
			name = c.names[e.ID]
		}
		v := view.ClusterEvent{Kind: string(e.Kind), ID: number(e.ID), Name: name, Size: e.Size, Before: e.Before, Version: version, At: millis(at)}
		if e.Other != identity.Noise {
			v.Other = number(e.Other)
		}
		c.events = append(c.events, v)
	}
	c.events = c.events[max(0, len(c.events)-mostEvents):]
	c.names = names
	out.Events = slices.Clone(c.events)
	return out, nil
}

// number returns an id as text, as in the column of clusters.
func number(id identity.ID) string { return strconv.FormatUint(uint64(id), 10) }

// millis returns a time in milliseconds since 1970, 0 if unknown.
func millis(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli())
}

func (h *Handler) clusters(w http.ResponseWriter, r *http.Request) {
	h.sendJSON(w, r, h.set.Hub.Clusters())
}
