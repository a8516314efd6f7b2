package cli

import (
	"errors"

	"unfold/cmd/internal/config"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/models"
	"unfold/models/clusters"
)

// clusterFlags define a cluster.
type clusterFlags struct {
	MinSize    int     `placeholder:"N" help:"Fewest points of a cluster. Default up to 50."`
	MinSamples int     `placeholder:"M" help:"The density at a point is measured to its M-th nearest other point: larger values smooth, and leave more noise. Default: the least size of a cluster."`
	Selection  string  `enum:"eom,leaf" default:"eom" placeholder:"eom|leaf" help:"Which clusters of the hierarchy are chosen: those that last longest (excess of mass), or the smallest. Default eom."`
	Epsilon    float64 `placeholder:"DISTANCE" help:"Clusters that part at a distance below it stay one. Default 0."`
}

// settings returns the checked settings of the flags, without defaults. A usage error names the flag, which starts with
// prefix. more sets further settings, or is nil.
func (c clusterFlags) settings(prefix string, threads int, more func(*clusters.Settings)) (clusters.Settings, error) {
	set := clusters.Settings{MinSize: c.MinSize, MinSamples: c.MinSamples, Selection: clusters.Selection(c.Selection), Epsilon: c.Epsilon, Threads: threads}
	if more != nil {
		more(&set)
	}
	_, err := set.Filled() // the default of MinSize depends on the number of points
	var wrong *models.SettingError
	if errors.As(err, &wrong) {
		return set, usagef("--%s%s: %s", prefix, flagName(wrong.Name), wrong.Problem)
	}
	return set, err
}

// clusterKeys selects the settings of columns that form vectors or pass through.
func clusterKeys(k config.Key) (name, group string, ok bool) {
	name, group, ok = fitKeys(k)
	return name, group, ok && group == "columns" && k.Path != "source.missing"
}

// clusterColumns returns the columns of cluster labels and probabilities.
func clusterColumns(label []int32, probability []float64) []table.Column {
	of, p := make([]int64, len(label)), make([]float32, len(label))
	for i, l := range label {
		of[i], p[i] = int64(l), float32(probability[i])
	}
	return []table.Column{table.Int64Column(emit.ClusterName, of), table.Float32Column(emit.ClusterProbabilityName, p)}
}

// checkClusterNames returns an error if a kept column has the name of a column of clusters.
func checkClusterNames(keep []string) error {
	if err := emit.CheckClusters(keep); err != nil {
		return &usageError{err: err}
	}
	return nil
}
