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

// mostEvents bounds what is remembered of clusters.
const mostEvents = 500

// Course follows the clusters of a map from version to version. The zero value has seen none.
type Course struct {
	names  map[identity.ID]string
	events []view.ClusterEvent
}

// Follow takes the clusters of the next map, whose points are at mu, of that version, learnt at that
// time. It returns what a page shows of them. The error is about what the map says of its clusters.
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

// number is an id as the column of clusters has it.
func number(id identity.ID) string { return strconv.FormatUint(uint64(id), 10) }

// millis is a time in milliseconds since 1970, 0 if it is not known.
func millis(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli())
}

// clusters sends what is known of clusters.
func (h *Handler) clusters(w http.ResponseWriter, r *http.Request) {
	h.sendJSON(w, r, h.set.Hub.Clusters())
}
