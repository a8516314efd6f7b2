package cli

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models/clusters"
)

// foundClusters are rows and their clusters.
type foundClusters struct {
	data      *ingest.Dataset
	found     *clusters.Clusters
	predictor func(ctx context.Context, added *ingest.Dataset) (clusters.Membership, error)
	names     []string // the description of each cluster; nil before describe
}

// describe sets the names. label is the name of the column of labels.
func (f *foundClusters) describe(ctx context.Context, label string, threads int) (err error) {
	if f.names != nil {
		return nil
	}
	about := describedBy(f.found.Label, f.found.Count(), f.data.Label)
	about.elements(f.data)
	about.columns(f.data.Kept, label, ingest.LabelName)
	f.names, err = about.names(ctx, threads)
	return err
}

// keptClusters are the clusters that a session found last. Commands with --new reuse them while
// inputs and settings stay the same.
type keptClusters struct {
	settings string
	seen     []fs.FileInfo
	clusters *foundClusters
}

// clustersOf returns the cached clusters of the same files and settings, nil if there are none.
func (k *keptMaps) clustersOf(settings string, paths []string) *foundClusters {
	if k == nil {
		return nil
	}
	seen, err := infos(paths)
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.grouped
	if err != nil || c.settings != settings || !slices.EqualFunc(seen, c.seen, unchanged) {
		return nil
	}
	return c.clusters
}

// keepClusters caches clusters. If the files have changed since seen was taken, the next call of
// find computes the clusters again.
func (k *keptMaps) keepClusters(settings string, seen []fs.FileInfo, c *foundClusters) {
	if k == nil || len(seen) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.grouped = keptClusters{settings: settings, seen: seen, clusters: c}
}

// infos returns the information about regular files. Other inputs, such as URLs, are an error.
func infos(paths []string) ([]fs.FileInfo, error) {
	var out []fs.FileInfo
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is no regular file (%w)", path, err)
		}
		out = append(out, info)
	}
	return out, nil
}

// find returns the clusters of the inputs, from the session's cache if possible.
func (c *clustersCmd) find(ctx context.Context, p *program, inputs []string, read ingest.ReadOptions, set clusters.Settings) (f *foundClusters, err error) {
	settings := fmt.Sprintf("%q %+v %v %+v %+v", inputs, set, c.Distances, c.textFlags, c.values())
	kept := keptOf(ctx)
	if f := kept.clustersOf(settings, inputs); f != nil {
		return f, nil
	}
	seen, _ := infos(inputs)
	f = &foundClusters{}
	if f.data, err = readAll(ctx, p, inputs, read); err != nil {
		return nil, err
	}
	set.Distance = f.data.Encoder.Metric().Distance()
	p.progress.Stage("clusters", "", 0)
	if f.found, err = findClusters(ctx, f.data, set, c.Distances); err != nil {
		return nil, fitError(inputs, err)
	}
	f.predictor = predictorOf(f.found, f.data, c.Distances)
	kept.keepClusters(settings, seen, f)
	return f, nil
}

// findClusters finds the clusters of rows or, if given is set, of distances. It uses double
// precision if the data needs it. Distances that a sparse matrix does not have are unknown.
func findClusters(ctx context.Context, data *ingest.Dataset, set clusters.Settings, given bool) (*clusters.Clusters, error) {
	switch wide := data.Wide.Rows > 0; {
	case given && data.Sparse != nil:
		return clusters.FindKnown(ctx, data.Sparse, set)
	case given && wide:
		return clusters.FindDistances(ctx, data.Wide, set)
	case given:
		return clusters.FindDistances(ctx, data.X, set)
	case wide:
		return clusters.Find(ctx, data.Wide, set)
	}
	return clusters.Find(ctx, data.X, set)
}

// predictorOf returns a function that predicts the clusters of new rows, in the precision of
// findClusters. It prepares the search at the first call.
func predictorOf(found *clusters.Clusters, data *ingest.Dataset, given bool) func(context.Context, *ingest.Dataset) (clusters.Membership, error) {
	if data.Wide.Rows > 0 {
		p := lazyPredictor(found, data.Wide, given)
		return func(ctx context.Context, added *ingest.Dataset) (clusters.Membership, error) {
			return p().Predict(ctx, added.Wide)
		}
	}
	p := lazyPredictor(found, data.X, given)
	return func(ctx context.Context, added *ingest.Dataset) (clusters.Membership, error) {
		return p().Predict(ctx, added.X)
	}
}

func lazyPredictor[T vec.Float](found *clusters.Clusters, x vec.Matrix[T], given bool) func() *clusters.Predictor[T] {
	return sync.OnceValue(func() *clusters.Predictor[T] {
		if given {
			return clusters.NewDistancePredictor[T](found)
		}
		return clusters.NewPredictor(found, x)
	})
}
