package cli

import (
	"cmp"
	"math"
	"slices"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/sparse/graph"
)

// clusterTreeFlags are flags of the command clusters that concern the hierarchy.
type clusterTreeFlags struct {
	AllowSingle bool    `help:"All rows may be one cluster, if no selection inside it is more stable."`
	MaxSize     int     `placeholder:"N" help:"Most points of a cluster, with --selection eom."`
	EpsilonMax  float64 `placeholder:"DISTANCE" help:"Clusters that appear at a larger distance are not chosen, with --selection eom."`
	Persistence float64 `placeholder:"RANGE" help:"Splits of a cluster of which a side lasts for less are undone, in units of 1/distance, as by hdbscan's cluster_selection_persistence. Default 0."`
	Ties        string  `enum:"together,apart" default:"together" placeholder:"together|apart" help:"How edges of equal length join clusters: all at once, or two parts at a time, the nearest points first, as in the Python package hdbscan. Default together."`
	Distances   bool    `help:"Each row has its distances from all rows, instead of values. Entries that a sparse matrix (.npz, .mtx) lacks are unknown; its values are in single precision."`
	Joins       bool    `help:"With --new: also the row that each new row joins, and the distance at which it does, columns joins and joins_distance."`
	Tree        string  `placeholder:"FILE" help:"Where the condensed hierarchy goes: a row for each point and for each cluster of it."`
	Spanning    string  `placeholder:"FILE" help:"Where the minimum spanning tree under mutual reachability goes: a row for each edge, the shortest first."`
}

// outputs returns the requested output files.
func (c *clusterTreeFlags) outputs() []named {
	return slices.DeleteFunc([]named{{"--tree", c.Tree}, {"--spanning", c.Spanning}}, func(n named) bool { return n.path == "" })
}

// write adds the requested files to a transaction.
func (c *clusterTreeFlags) write(outputs *transaction, found *clusters.Clusters, set clusters.Settings) error {
	if c.Tree != "" {
		if err := outputs.writeMap(c.Tree, columnsOnly(treeColumns(found))); err != nil {
			return err
		}
	}
	if c.Spanning != "" {
		return outputs.writeMap(c.Spanning, columnsOnly(spanningColumns(found, set)))
	}
	return nil
}

// columnsOnly returns an output without positions.
func columnsOnly(columns []table.Column) *emit.Output {
	return &emit.Output{Kept: columns, Embedding: vec.Matrix[float32]{Rows: columns[0].Len()}}
}

// treeColumns returns the condensed tree of n points: a row for each point and for each cluster.
// Clusters are numbered from n, the root, whose parent is -1. probability and outlier are those of
// points, and persistence is that of chosen clusters; otherwise they are NaN.
func treeColumns(c *clusters.Clusters) []table.Column {
	t, n := c.Tree, len(c.Tree.Of)
	rows := n + len(t.Parent)
	parent, child, size, label := make([]int64, rows), make([]int64, rows), make([]int64, rows), make([]int64, rows)
	lambda, probability, outlier, persistence := make([]float64, rows), make([]float64, rows), make([]float64, rows), make([]float64, rows)
	chosen := c.Chosen()
	for r := range rows {
		child[r] = int64(r)
		probability[r], outlier[r], persistence[r] = math.NaN(), math.NaN(), math.NaN()
		if r < n {
			parent[r], lambda[r], size[r], label[r] = int64(n)+int64(t.Of[r]), t.Lambda[r], 1, int64(c.Label[r])
			probability[r], outlier[r] = c.Probability[r], c.Outlier[r]
			continue
		}
		v := r - n
		if parent[r] = -1; v > 0 {
			parent[r] = int64(n) + int64(t.Parent[v])
		}
		lambda[r], size[r], label[r] = t.Birth[v], int64(t.Size[v]), int64(chosen[v])
		if chosen[v] >= 0 {
			persistence[r] = c.Persistence[chosen[v]]
		}
	}
	return []table.Column{
		table.Int64Column("parent", parent), table.Int64Column("child", child), table.Float64Column("lambda", lambda), table.Int64Column("size", size),
		table.Int64Column(emit.ClusterName, label), table.Float64Column("probability", probability), table.Float64Column("outlier", outlier),
		table.Float64Column("persistence", persistence),
	}
}

// spanningColumns returns the edges of the spanning tree, the shortest first.
func spanningColumns(c *clusters.Clusters, set clusters.Settings) []table.Column {
	edges := slices.Clone(c.Spanning)
	slices.SortStableFunc(edges, func(a, b graph.Edge) int { return cmp.Compare(a.Dist2, b.Dist2) })
	from, to, length := make([]int64, len(edges)), make([]int64, len(edges)), make([]float64, len(edges))
	for k, e := range edges {
		from[k], to[k], length[k] = int64(e.I), int64(e.J), set.Length(e.Dist2)
	}
	return []table.Column{table.Int64Column("from", from), table.Int64Column("to", to), table.Float64Column("distance", length)}
}

// joinColumns returns the row that each new row joins, and the distance.
func joinColumns(m clusters.Membership) []table.Column {
	row, far := make([]int64, len(m.Point)), make([]float64, len(m.Point))
	for i, j := range m.Point {
		row[i], far[i] = int64(j), 1/m.Lambda[i]
	}
	return []table.Column{table.Int64Column("joins", row), table.Float64Column("joins_distance", far)}
}
