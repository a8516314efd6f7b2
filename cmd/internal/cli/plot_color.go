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

// noiseName is the legend's name for points in no cluster.
const noiseName = "noise"

// color selects the column that colours the points, and its scale or classes.
func (c *plotCmd) color(ctx context.Context, out *plot.Map, m *emit.Map) error {
	by := c.Color
	if by == "" && out.Value == nil {
		by = labelOf(m)
		if _, err := m.Column(emit.ClusterName); err == nil && by != ingest.LabelName {
			by = emit.ClusterName
		}
	}
	if by == "" {
		return nil
	}
	column, err := mapColumn(c.Map, m, by)
	if err != nil {
		return err
	}
	out.By, out.Value, out.Class, out.Thing, out.To = by, nil, nil, nil, 0
	if by == emit.ClusterName { // cluster numbers are classes, however many there are
		out.Unknown = noiseName
		out.Class, out.Thing, err = c.clusters(ctx, m, column)
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

// clustersByName reports whether a column's name suggests that it has cluster numbers.
func clustersByName(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "cluster") || strings.Contains(name, "dbscan")
}

// withoutNoise returns the classes with the class of noise, -1, cleared.
func withoutNoise(classes []string) []string {
	out := slices.Clone(classes)
	for i, of := range out {
		if of == strconv.Itoa(int(clusters.Noise)) {
			out[i] = ""
		}
	}
	return out
}

// By default numbers are drawn on a logarithmic scale if three conditions hold. No number is
// negative. The 99th percentile of the positive numbers is at least decades times the 1st. At least
// the share crowded of them lies below half the 99th percentile.
const (
	decades = 1000
	crowded = 0.9
)

// scaleOf returns the colour scale of numbers.
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

// clusters returns the cluster of each row as its number, with its distinguishing columns where the
// map has such columns, and the number alone by this text. Noise is "".
func (c *plotCmd) clusters(ctx context.Context, m *emit.Map, column table.Column) (text []string, number map[string]string, err error) {
	in := clustersIn(column)
	names, err := in.names(ctx, m.Kept)
	text, number = make([]string, len(in.of)), map[string]string{}
	for i, k := range in.of {
		if k >= 0 {
			text[i] = in.ids[k]
			if names[k] != "" {
				text[i] += ": " + names[k]
			}
			number[text[i]] = in.ids[k]
		}
	}
	return text, number, err
}

// fewWhole is the most distinct whole numbers that are drawn as classes.
const fewWhole = 20

// colorBy returns a column as numbers, with NaN for missing values, or as classes. Text and columns
// with few distinct whole numbers are classes.
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

// numbersOf returns a column's numbers, with NaN for missing values.
func numbersOf(c table.Column) []float64 {
	values, _ := c.Floats()
	for i := range values {
		if c.IsNull(i) {
			values[i] = math.NaN()
		}
	}
	return values
}
