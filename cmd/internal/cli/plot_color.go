package cli

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"unfold/cmd/internal/plot"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/quantile"
	"unfold/models"
	"unfold/models/clusters"
)

// noiseName is what points in no cluster are called in a legend.
const noiseName = "noise"

// color chooses the column that colours and how.
func (c *plotCmd) color(ctx context.Context, out *plot.Map, m *emit.Map) error {
	by := c.Color
	if by == "" && out.Value == nil {
		for _, name := range []string{ingest.LabelName, emit.ClusterName} {
			if _, err := m.Column(name); err == nil && by == "" {
				by = name
			}
		}
	}
	if by == "" {
		return nil
	}
	column, err := mapColumn(c.Map, m, by)
	if err != nil {
		return err
	}
	out.By, out.Value, out.Class, out.To = by, nil, nil, 0
	if by == emit.ClusterName { // however many there are, numbers of clusters are no scale
		out.Unknown = noiseName
		out.Class, err = c.clusters(ctx, m, column)
		return err
	}
	if millis := table.Millis(column); millis != nil {
		out.Value, out.Scale = millis, plot.Time
		return nil
	}
	values, classes := colorBy(column)
	if classes != nil {
		if out.Class = classes; clustersByName(by) {
			out.Unknown = noiseName
			out.Class = withoutNoise(classes)
		}
		return nil
	}
	out.Value = values
	if strings.HasPrefix(by, "novelty") {
		out.From, out.To = 0, 1
	}
	out.Scale, err = c.scaleOf(by, values)
	return err
}

// clustersByName reports whether a column seems to hold clusters' numbers, by its name alone.
func clustersByName(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cluster") || strings.Contains(name, "dbscan")
}

// withoutNoise returns classes without that of clustering's noise, -1.
func withoutNoise(classes []string) []string {
	out := slices.Clone(classes)
	for i, of := range out {
		if of == strconv.Itoa(int(clusters.Noise)) {
			out[i] = ""
		}
	}
	return out
}

// Numbers are shown by their logarithms unless asked otherwise if all are 0 or more, the 99th
// percentile is decades times the first above 0, and more than half of the even scale would
// hold few of them.
const (
	decades = 1000
	crowded = 0.9
)

// scaleOf says how numbers become colours.
func (c *plotCmd) scaleOf(by string, values []float64) (plot.Scale, error) {
	var sorted []float64
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sorted = append(sorted, v)
		}
	}
	slices.Sort(sorted)
	negative := len(sorted) > 0 && sorted[0] < 0
	switch {
	case c.Scale == "log" && negative:
		return plot.Linear, models.BadInputf("%s: column %q holds values below 0, which have no logarithm; take --scale linear", c.Map, by)
	case c.Scale == "log":
		return plot.Log, nil
	case c.Scale == "linear" || negative:
		return plot.Linear, nil
	}
	above, _ := slices.BinarySearch(sorted, math.SmallestNonzeroFloat64)
	if sorted = sorted[above:]; len(sorted) == 0 {
		return plot.Linear, nil
	}
	low, high := quantile.Of(sorted, 0.01), quantile.Of(sorted, 0.99)
	half, _ := slices.BinarySearch(sorted, high/2)
	if high >= decades*low && float64(half) >= crowded*float64(len(sorted)) {
		return plot.Log, nil
	}
	return plot.Linear, nil
}

// clusters are those of rows by their numbers, with what sets them apart where the map has
// columns that say so; "" for noise.
func (c *plotCmd) clusters(ctx context.Context, m *emit.Map, column table.Column) ([]string, error) {
	text := column.Strings()
	number, all := map[string]int32{}, []string{}
	cluster := make([]int32, len(text))
	for i, of := range text {
		if of == strconv.Itoa(int(clusters.Noise)) || column.IsNull(i) {
			cluster[i], text[i] = clusters.Noise, ""
			continue
		}
		k, known := number[of]
		if !known {
			k = int32(len(all))
			number[of], all = k, append(all, of)
		}
		cluster[i] = k
	}
	var label []string
	if l, err := m.Column(ingest.LabelName); err == nil {
		label = l.Strings()
	}
	about := describedBy(cluster, len(all), label)
	about.columns(m.Kept, ingest.LabelName, emit.ClusterName, emit.ClusterProbabilityName, emit.ClusterOutlierName)
	names, err := about.names(ctx, 0)
	for i, k := range cluster {
		if k >= 0 && names[k] != "" {
			text[i] = all[k] + ": " + names[k]
		}
	}
	return text, err
}

// fewWhole is the most distinct whole numbers that are taken for classes.
const fewWhole = 20

// colorBy returns a column's numbers, NaN where there is none, or its classes if it is no
// number or holds only few distinct whole ones.
func colorBy(c table.Column) (values []float64, classes []string) {
	if c.Kind() != table.Number {
		return nil, c.Strings()
	}
	values = numbersOf(c)
	var distinct []float64
	for _, v := range values {
		if math.IsNaN(v) {
			continue
		}
		if v != float64(int64(v)) {
			return values, nil
		}
		if !slices.Contains(distinct, v) {
			if distinct = append(distinct, v); len(distinct) > fewWhole {
				return values, nil
			}
		}
	}
	return nil, c.Strings()
}

// numbersOf returns a column's numbers, NaN where there is none.
func numbersOf(c table.Column) []float64 {
	values, _ := c.Floats()
	for i := range values {
		if c.IsNull(i) {
			values[i] = math.NaN()
		}
	}
	return values
}
