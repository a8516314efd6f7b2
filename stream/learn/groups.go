package learn

import (
	"context"
	"fmt"
	"slices"
	"time"

	"unfold/models/clusters/identity"
	"unfold/stream"
)

// findClusters finds the clusters of a map that is about to be published, and gives them the
// ids of those of the map before: row i of the new map was row stayed[i] there, or negative.
func (p *publisher) findClusters(ctx context.Context, next *published, stayed []int32) error {
	if !p.set.grouped() {
		return nil
	}
	begin := time.Now()
	set := p.set.Clusters
	set.Threads = p.set.spec().Threads
	var before *identity.Groups
	var was stream.ClusterStats
	if cur := p.current.Load(); cur != nil {
		before, was = cur.at.Clusters(), cur.Stats.Clusters
	}
	g, _, err := identity.Follow(ctx, next.snapshot.Mu, before, stayed, set, identity.Settings{})
	if err != nil {
		return fmt.Errorf("finding the clusters of map version %d: %w", next.snapshot.Version, err)
	}
	f := clusterStats(g, was)
	f.Took = time.Since(begin)
	next.Stats.Clusters = f
	parts, err := g.Parts()
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	next.snapshot.Parts = slices.Concat(next.snapshot.Parts, parts)
	next.at = next.at.WithClusters(g)
	next.Map = next.at
	return nil
}

// clusterStats are what a map says of its clusters, after those of the map before.
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
