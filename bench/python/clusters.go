package main

import (
	"context"
	"strconv"
	"time"

	"unfold/internal/quantile"
)

// Clusters are the times of clusters by several packages, in turns in one process.
type Clusters struct {
	Day       time.Time
	Others    float64
	Rows, Dim int
	By        map[string]ClusterRuns
}

// ClusterRuns are the runs of one package: seconds of wall-clock and of processor time, and the
// number of clusters.
type ClusterRuns struct {
	Wall, CPU []float64
	Clusters  int
}

// clusterPeers are the packages beside ours, with the largest share of their time that ours is to
// take. fast_hdbscan is measured where it is installed.
var clusterPeers = []struct {
	module, name string
	wanted       float64
}{{"hdbscan", "hdbscan", .2}, {"fast_hdbscan", "fast_hdbscan", .5}}

func (l *lab) clusters(ctx context.Context) (*Clusters, error) {
	if err := l.rows(ctx); err != nil {
		return nil, err
	}
	l.say("clusters")
	c := &Clusters{Day: time.Now()}
	u, err := l.python(ctx, timesProgram, c, "clusters", l.out, strconv.Itoa(l.threads), strconv.Itoa(l.rounds))
	c.Others = u.Others
	return c, err
}

func (c *Clusters) page(p func(string, ...any)) {
	p("Measured on %s. %s rows of %d principal components of MNIST's images, `min_cluster_size=50` and as many `min_samples`, medians of %d runs in turns, after compilation.\n\n",
		where(c.Day, c.Others), count(float64(c.Rows)), c.Dim, len(c.By["unfold"].Wall))
	p("| by | seconds | processor time | clusters | time of `UnfoldClusters` to its | by processor time | wanted |\n|---|---|---|---|---|---|---|\n")
	ours := c.By["unfold"]
	wall, cpu := quantile.Median(ours.Wall), quantile.Median(ours.CPU)
	p("| unfold_live | %.2f | %.2f | %d | | | |\n", wall, cpu, ours.Clusters)
	for _, peer := range clusterPeers {
		r, measured := c.By[peer.module]
		if !measured {
			continue
		}
		p("| %s | %.2f | %.2f | %d | %.2f | %.2f | <= %.1f |\n", peer.name, quantile.Median(r.Wall), quantile.Median(r.CPU), r.Clusters,
			wall/quantile.Median(r.Wall), cpu/quantile.Median(r.CPU), peer.wanted)
	}
}
