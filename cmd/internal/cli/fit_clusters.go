package cli

import (
	"context"
	"errors"
	"fmt"

	"unfold/cmd/internal/config"
	"unfold/ingest/emit"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/clusters"
)

// clusterPrefix starts the names of the cluster flags in commands other than clusters.
const clusterPrefix = "cluster-"

// fitClusterFlags are the cluster flags of a fit.
type fitClusterFlags struct {
	Clusters     bool `group:"clusters" help:"Find clusters of the map, as the command clusters does: the map gets columns cluster, -1 for noise, and cluster_probability."`
	clusterFlags `prefix:"cluster-" group:"clusters"`
}

// grouping has the clusters of a map. It is nil if clusters were not requested.
type grouping struct {
	set    clusters.Settings
	found  *clusters.Clusters
	report *clusterReport
}

// wanted checks the cluster flags, and the kept columns of a map written to path. It returns nil if
// clusters were not requested.
func (c fitClusterFlags) wanted(path string, settings *config.Config) (*grouping, error) {
	if !c.Clusters {
		if c.clusterFlags != (clusterFlags{Selection: string(clusters.ExcessOfMass)}) {
			return nil, usagef("--%smin-size and the like go with --clusters", clusterPrefix)
		}
		return nil, nil
	}
	if format, _, err := emit.FormatOf(path); path == "" || err == nil && format == input.NPY {
		return nil, &usageError{err: errors.New("--clusters: clusters are columns of the map; name a file for it by --map, other than .npy")}
	}
	set, err := c.settings(clusterPrefix, settings.Model.Threads, nil)
	if err != nil {
		return nil, err
	}
	columns := settings.Source.Columns
	return &grouping{set: set}, checkClusterNames(append([]string{columns.Label}, columns.Keep...))
}

// rowBytes returns the bytes a row that finding clusters needs in addition to the model.
func (g *grouping) rowBytes(m config.Model) int {
	if g == nil {
		return 0
	}
	return clusters.RowBytes(m.Dims[1], g.set)
}

// find returns the clusters of the given places.
func (g *grouping) find(ctx context.Context, p *program, inputs []string, at vec.Matrix[float32]) (err error) {
	if g == nil {
		return nil
	}
	p.progress.Stage("clusters", "", 0)
	if g.found, err = clusters.Find(ctx, at, g.set); err != nil {
		return fitError(inputs, fmt.Errorf("clusters: %w", err))
	}
	g.report = newClusterReport(g.found, g.set.Of(at.Rows), at.Cols)
	return nil
}

// columns returns the cluster columns of the map.
func (g *grouping) columns() []table.Column {
	if g == nil {
		return nil
	}
	return clusterColumns(g.found.Label, g.found.Probability)
}
