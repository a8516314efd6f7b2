package describe

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// Column describes a column of numbers.
type Column struct {
	// Name is the column's name for people.
	Name string
	// Indicator is true for the indicator column of a category, which is above 0 for rows of that
	// category. Category is the category. Other columns are numeric.
	Category  string
	Indicator bool
}

// Settings bound the length and the basis of descriptions. The zero value works.
type Settings struct {
	// Traits is the largest number of traits per cluster. Default 5.
	Traits int
	// Least is the least effect, (1) or (3), of a trait. Default 0.8.
	Least float64
	// Rows bounds the number of rows of each cluster, and of noise, that are evaluated, evenly
	// spaced. Default 1000.
	Rows int
	// Threads bounds the goroutines; 0 means all processors.
	Threads int
}

func (s Settings) filled() Settings {
	s.Traits, s.Least, s.Rows = cmp.Or(s.Traits, 5), cmp.Or(s.Least, 0.8), cmp.Or(s.Rows, 1000)
	return s
}

// Trait is a column in which a cluster differs from the rest.
type Trait struct {
	Column   string `json:"column"`
	Category string `json:"category,omitempty"`
	// Effect is (1) or (3).
	Effect float64 `json:"effect"`
	// In and Out are the medians inside the cluster and outside, or the shares of a category.
	In  float64 `json:"in"`
	Out float64 `json:"out"`
}

// String describes the trait: "bytes high", "service=http".
func (t Trait) String() string {
	switch {
	case t.Category != "":
		return t.Column + "=" + t.Category
	case t.Effect > 0:
		return t.Column + " high"
	}
	return t.Column + " low"
}

// Vote is the number of rows with a label.
type Vote struct {
	Label string `json:"label"`
	Rows  int    `json:"rows"`
}

// Description describes a cluster.
type Description struct {
	// Traits are ordered by descending effect, Labels by descending frequency. Each has at most
	// Settings.Traits entries.
	Traits []Trait `json:"traits,omitempty"`
	Labels []Vote  `json:"labels,omitempty"`
	// Labelled is the number of rows with a label.
	Labelled int `json:"labelled,omitempty"`
	// Label is the most frequent label if its effect (3) is as large as that of traits must be.
	Label string `json:"label,omitempty"`
	// Mixture has the two or three labels that together name a cluster without a Label.
	Mixture []Vote `json:"mixture,omitempty"`
}

// namedBy is the number of traits in a name.
const namedBy = 2

// Name returns a short name of the cluster: its Label, or a mixture of labels such as
// "4 / 9 (50 %, 50 %)", or else the largest traits. It is empty if there are none. Shares are
// rounded to tenths, so that the names of a stream's clusters do not change with every event.
func (d Description) Name() string {
	if d.Label != "" {
		return d.Label
	}
	if len(d.Mixture) > 0 {
		labels, shares := make([]string, len(d.Mixture)), make([]string, len(d.Mixture))
		for i, v := range d.Mixture {
			labels[i], shares[i] = v.Label, fmt.Sprintf("%.0f0 %%", 10*float64(v.Rows)/float64(d.Labelled))
		}
		return strings.Join(labels, " / ") + " (" + strings.Join(shares, ", ") + ")"
	}
	words := make([]string, 0, namedBy)
	for _, t := range d.Traits[:min(namedBy, len(d.Traits))] {
		words = append(words, t.String())
	}
	return strings.Join(words, ", ")
}

// Data are the rows whose clusters are described.
type Data struct {
	// X is n x len(Columns). NaN is a missing value. Without columns (X.Cols 0) there are no
	// traits.
	X       vec.Matrix[float32]
	Columns []Column
	// Label is the label of each row as text, "" for none. It is nil if there are no labels.
	Label []string
	// Cluster is the cluster of each row, 0 <= c < Count, or negative for noise.
	Cluster []int32
	Count   int
}

// Describe describes each cluster. The error is that of the context.
func Describe(ctx context.Context, data Data, s Settings) ([]Description, error) {
	s = s.filled()
	out := make([]Description, data.Count)
	data.label(out, s)
	if data.Count == 0 || len(data.Columns) == 0 {
		return out, ctx.Err()
	}
	rows, of := data.sample(s.Rows)
	traits := make([][]Trait, len(data.Columns)) // per column, by cluster; effect 0 means no trait
	par.Ranges(s.Threads, len(data.Columns), 1, func(_, from, to int) {
		for k := from; k < to && ctx.Err() == nil; k++ {
			traits[k] = data.column(k, rows, of)
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for c := range out {
		for k := range traits {
			if t := traits[k][c]; math.Abs(t.Effect) >= s.Least {
				out[c].Traits = append(out[c].Traits, t)
			}
		}
		slices.SortStableFunc(out[c].Traits, func(a, b Trait) int { return -cmp.Compare(math.Abs(a.Effect), math.Abs(b.Effect)) })
		out[c].Traits = out[c].Traits[:min(s.Traits, len(out[c].Traits))]
	}
	return out, nil
}

// label sets the label counts. All rows with labels count, including noise.
func (d *Data) label(out []Description, s Settings) {
	with, labelled := map[string]int{}, 0
	for _, label := range d.Label {
		if label != "" {
			with[label]++
			labelled++
		}
	}
	for c, votes := range d.votes() {
		of := &out[c]
		for _, v := range votes {
			of.Labelled += v.Rows
		}
		of.Labels = votes[:min(s.Traits, len(votes))]
		if len(votes) == 0 {
			continue
		}
		if 2*votes[0].Rows <= of.Labelled {
			of.Mixture = mixture(votes, of.Labelled, with, labelled, s)
			continue
		}
		a, n := float64(votes[0].Rows), float64(of.Labelled)
		if effect(a, n, float64(with[votes[0].Label])-a, float64(labelled)-n) >= s.Least || of.Labelled == labelled {
			of.Label = votes[0].Label
		}
	}
}

// Labels of a mixture together have at least mixedShare of a cluster's labelled rows, and each of
// them leastMixed.
const (
	mostMixed  = 3
	mixedShare = 0.8
	leastMixed = 0.15
)

// mixture returns the two or three labels that most of a cluster's n labelled rows have, or nil if
// they do not distinguish the cluster. with has the number of all labelled rows by label.
func mixture(votes []Vote, n int, with map[string]int, labelled int, s Settings) []Vote {
	in, all := 0, 0
	for k, v := range votes[:min(mostMixed, len(votes))] {
		if float64(v.Rows) < leastMixed*float64(n) {
			return nil
		}
		in, all = in+v.Rows, all+with[v.Label]
		if k > 0 && float64(in) >= mixedShare*float64(n) {
			if effect(float64(in), float64(n), float64(all-in), float64(labelled-n)) >= s.Least || n == labelled {
				return votes[:k+1]
			}
			return nil
		}
	}
	return nil
}

// votes counts the labels of each cluster, the most frequent first.
func (d *Data) votes() [][]Vote {
	counts := make([]map[string]int, d.Count)
	for i, label := range d.Label {
		if c := d.Cluster[i]; c >= 0 && label != "" {
			if counts[c] == nil {
				counts[c] = map[string]int{}
			}
			counts[c][label]++
		}
	}
	out := make([][]Vote, d.Count)
	for c, count := range counts {
		for label, n := range count {
			out[c] = append(out[c], Vote{label, n})
		}
		slices.SortFunc(out[c], func(a, b Vote) int { return cmp.Or(-cmp.Compare(a.Rows, b.Rows), cmp.Compare(a.Label, b.Label)) })
	}
	return out
}

// sample returns at most the given number of rows of each cluster, and of noise, with their
// clusters.
func (d *Data) sample(most int) (rows, of []int32) {
	size := make([]int, d.Count+1)
	for _, c := range d.Cluster {
		size[c+1]++
	}
	seen := make([]int, d.Count+1)
	for i, c := range d.Cluster {
		n, at := size[c+1], seen[c+1]
		seen[c+1]++
		if n <= most || at*most/n != (at+1)*most/n {
			rows, of = append(rows, int32(i)), append(of, c)
		}
	}
	return rows, of
}
