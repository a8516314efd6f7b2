package cli

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/clusters"
	traits "unfold/models/clusters/describe"
)

// mostCategories is the most values of a text column that describes clusters. A column with more,
// such as an id, does not characterize a cluster.
const mostCategories = 100

// described has the rows of clusters and the columns that can describe them.
type described struct {
	traits.Data
	values []func(row int) float64
}

// describedBy starts a description with the cluster of each row, below count, and with its labels.
// A nil label means no labels.
func describedBy(cluster []int32, count int, label []string) *described {
	return &described{Data: traits.Data{Cluster: cluster, Count: count, Label: label}}
}

// add adds a numeric column with one value per row.
func (d *described) add(c traits.Column, value func(row int) float64) {
	d.Columns, d.values = append(d.Columns, c), append(d.values, value)
}

// elements adds the elements of encoded vectors, except map coordinates.
func (d *described) elements(data *ingest.Dataset) {
	for k, e := range data.Encoder.Elements() {
		if !strings.HasPrefix(e.Column, emit.EmbeddingName+"_") {
			d.add(traits.Column{Name: e.Column, Category: e.Category, Indicator: e.Text}, func(row int) float64 { return float64(data.X.Row(row)[k]) })
		}
	}
}

// columns adds numeric columns and text columns with few categories.
func (d *described) columns(all []table.Column, except ...string) {
	for _, c := range all {
		if slices.Contains(except, c.Name()) {
			continue
		}
		if c.Kind() == table.Number {
			d.add(traits.Column{Name: c.Name()}, func(row int) float64 {
				if v, there := c.Float(row); there {
					return v
				}
				return math.NaN()
			})
			continue
		}
		if c.Kind() != table.Text {
			continue
		}
		text := c.Strings()
		values := slices.Compact(slices.Sorted(slices.Values(text)))
		if len(values) > mostCategories {
			continue
		}
		for _, v := range values {
			d.add(traits.Column{Name: c.Name(), Category: v, Indicator: true}, func(row int) float64 {
				if text[row] == v {
					return 1
				}
				return 0
			})
		}
	}
}

// names returns the description of each cluster, "" if nothing distinguishes it.
func (d *described) names(ctx context.Context, threads int) ([]string, error) {
	d.X = vec.New[float32](len(d.Cluster), len(d.Columns))
	for i := range d.X.Rows {
		for k, value := range d.values {
			d.X.Row(i)[k] = float32(value(i))
		}
	}
	about, err := traits.Describe(ctx, d.Data, traits.Settings{Threads: threads})
	names := make([]string, len(about))
	for c := range about {
		names[c] = about[c].Name()
	}
	return names, err
}

// clustersOf are the clusters of rows, read from a column of a map.
type clustersOf struct {
	// ids are the distinct values of the column, in order of appearance. of has each row's index in
	// ids, clusters.Noise for none.
	ids []string
	of  []int32
}

// clustersIn reads a column of clusters.
func clustersIn(column table.Column) *clustersOf {
	text, number := column.Strings(), map[string]int32{}
	c := &clustersOf{of: make([]int32, len(text))}
	for i, id := range text {
		if id == strconv.Itoa(int(clusters.Noise)) || column.IsNull(i) {
			c.of[i] = clusters.Noise
			continue
		}
		k, known := number[id]
		if !known {
			k = int32(len(c.ids))
			number[id], c.ids = k, append(c.ids, id)
		}
		c.of[i] = k
	}
	return c
}

// names describes each cluster by the other columns of its rows, including labels.
func (c *clustersOf) names(ctx context.Context, kept []table.Column) ([]string, error) {
	var label []string
	for _, k := range kept {
		if k.Name() == ingest.LabelName {
			label = k.Strings()
		}
	}
	about := describedBy(c.of, len(c.ids), label)
	about.columns(kept, ingest.LabelName, emit.ClusterName, emit.ClusterProbabilityName, emit.ClusterOutlierName)
	return about.names(ctx, 0)
}
