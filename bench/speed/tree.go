package main

import (
	"context"

	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

const (
	scipy    = "scipy"
	spanning = "tree"
)

func treeRow() row {
	return row{
		key: "tree", title: "Minimum spanning tree",
		about: `The minimum spanning tree (or forest) of the graph that joins two points if one has the other in its list, from the lists of the 10 nearest others of 70,000 points.
scipy takes a CSR matrix of the lists, its maximum with its transpose, and scipy.sparse.csgraph.minimum_spanning_tree. The weights are equal.`,
		targets: []target{{what: "time, of scipy's", value: share(scipy, spanning), bound: 1. / 3, format: "%.3f"}},
		measure: measureTree,
	}
}

func measureTree(ctx context.Context, b *bench, r *record) error {
	d, err := b.images(ctx)
	if err != nil {
		return err
	}
	nb, err := knn.Graph(ctx, d.z, 10, knn.Settings{Threads: b.threads})
	if err != nil {
		return err
	}
	var weight float64
	err = b.timed(r, spanning, func() error {
		edges, _ := graph.Symmetrize(nb)
		weight = 0
		for _, e := range graph.SpanningTree(nb.N, edges) {
			weight += edges[e].Dist2
		}
		return nil
	})
	if err != nil {
		return err
	}
	path := b.file("lists.npz")
	err = writeNPZ(path, array{"index", nb.Index, []int{nb.N, nb.K}}, array{"dist2", nb.Dist2, []int{nb.N, nb.K}}, array{"weight", []float64{weight}, []int{1}})
	if err != nil {
		return err
	}
	_, err = b.peer(ctx, r, scipy, "tree", path)
	return err
}
