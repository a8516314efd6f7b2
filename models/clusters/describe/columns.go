package describe

import (
	"math"
	"slices"

	"unfold/internal/quantile"
)

// column returns the difference of each cluster from the rest in column k, measured on the given
// rows. of are their clusters.
func (d *Data) column(k int, rows, of []int32) []Trait {
	values, cluster := make([]float64, 0, len(rows)), make([]int32, 0, len(rows))
	for j, i := range rows {
		if v := float64(d.X.Row(int(i))[k]); !math.IsNaN(v) {
			values, cluster = append(values, v), append(cluster, of[j])
		}
	}
	c := d.Columns[k]
	out := make([]Trait, d.Count)
	if c.Indicator {
		categories(out, values, cluster)
	} else {
		numbers(out, values, cluster)
	}
	for i := range out {
		out[i].Column, out[i].Category = c.Name, c.Category
	}
	return out
}

// categories computes (3) for clusters in which the category is more frequent than elsewhere.
func categories(out []Trait, values []float64, cluster []int32) {
	in, n := make([]float64, len(out)), make([]float64, len(out))
	var all, rows float64
	for i, v := range values {
		is := 0.0
		if v > 0 {
			is = 1
		}
		if c := cluster[i]; c >= 0 {
			in[c], n[c] = in[c]+is, n[c]+1
		}
		all, rows = all+is, rows+1
	}
	for c := range out {
		a, b, others := in[c], all-in[c], rows-n[c]
		// Without the first condition, the added halves of (2) alone would cause an effect for a
		// category with hardly any rows.
		if e := effect(a, n[c], b, others); a*others > b*n[c] && e > 0 {
			out[c] = Trait{Effect: e, In: a / n[c], Out: b / others}
		}
	}
}

// effect returns (3) for a of n rows against b of m.
func effect(a, n, b, m float64) float64 {
	odds := math.Log((a+.5)/(n-a+.5)) - math.Log((b+.5)/(m-b+.5))
	return odds * math.Sqrt(3) / math.Pi
}

// numbers computes (1).
func numbers(out []Trait, values []float64, cluster []int32) {
	scale := spread(values)
	if scale == 0 {
		return
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if values[a] != values[b] {
			if values[a] < values[b] {
				return -1
			}
			return 1
		}
		return a - b
	})
	size := make([]int, len(out))
	for _, c := range cluster {
		if c >= 0 {
			size[c]++
		}
	}
	for c := range out {
		if size[c] == 0 || size[c] == len(values) {
			continue
		}
		in, rest := medians(values, cluster, order, int32(c), size[c])
		out[c] = Trait{Effect: (in - rest) / scale, In: in, Out: rest}
	}
}

// medians returns the medians of the values of cluster c, which has size values, and of all others.
// order sorts the values.
func medians(values []float64, cluster []int32, order []int, c int32, size int) (in, rest float64) {
	var mine, others middle
	mine.n, others.n = size, len(values)-size
	for _, i := range order {
		if cluster[i] == c {
			mine.add(values[i])
		} else {
			others.add(values[i])
		}
	}
	return mine.sum / float64(mine.taken), others.sum / float64(others.taken)
}

// middle computes the median of n values that are added in ascending order: the mean of the one or
// two in the middle.
type middle struct {
	n, seen, taken int
	sum            float64
}

func (m *middle) add(v float64) {
	if m.seen == (m.n-1)/2 || m.seen == m.n/2 {
		m.sum += v
		m.taken++
	}
	m.seen++
}

// spread returns a robust scale: 1.4826 times the median absolute deviation or, if that is 0,
// 1.2533 times the mean absolute deviation.
func spread(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	centre, mean := quantile.Middle(slices.Clone(values)), 0.0
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - centre)
		mean += away[i] / float64(len(values))
	}
	if mad := 1.4826 * quantile.Middle(away); mad > 0 {
		return mad
	}
	return math.Sqrt(math.Pi/2) * mean
}
