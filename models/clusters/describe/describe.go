package describe

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"unfold/internal/par"
	"unfold/internal/vec"
)

// Column says what a column of numbers is.
type Column struct {
	// Name is the column's, for people.
	Name string
	// Category is the value that rows have in which the column is above 0; Indicator says
	// that it is such a column, else it is of numbers.
	Category  string
	Indicator bool
}

// Settings say how much is said. The zero value works.
type Settings struct {
	// Traits is how many a cluster has at most. Default 5.
	Traits int
	// Least is the smallest effect, (1) or (3), that is a trait. Default 0.8.
	Least float64
	// Rows bounds how many rows of each cluster, and of those in none, are looked at,
	// spread over all. Default 1000.
	Rows int
	// Threads bounds the goroutines. Default all processors.
	Threads int
}

func (s Settings) filled() Settings {
	s.Traits, s.Least, s.Rows = cmp.Or(s.Traits, 5), cmp.Or(s.Least, 0.8), cmp.Or(s.Rows, 1000)
	return s
}

// Trait is a column in which a cluster is unlike the rest.
type Trait struct {
	Column   string `json:"column"`
	Category string `json:"category,omitempty"`
	// Effect is (1) or (3).
	Effect float64 `json:"effect"`
	// In and Out are the medians in the cluster and outside, of a category the shares.
	In  float64 `json:"in"`
	Out float64 `json:"out"`
}

// String is the trait in words: "bytes high", "service=http".
func (t Trait) String() string {
	switch {
	case t.Category != "":
		return t.Column + "=" + t.Category
	case t.Effect > 0:
		return t.Column + " high"
	}
	return t.Column + " low"
}

// Vote is how many rows have a label.
type Vote struct {
	Label string `json:"label"`
	Rows  int    `json:"rows"`
}

// Description is what is said of a cluster.
type Description struct {
	// Traits are the largest first, Labels the most frequent first; no more than
	// Settings.Traits of each.
	Traits []Trait `json:"traits,omitempty"`
	Labels []Vote  `json:"labels,omitempty"`
	// Labelled rows have a label at all.
	Labelled int `json:"labelled,omitempty"`
	// Label is the one that most of those have, if by (3) it is as unlike the rest as traits
	// have to be.
	Label string `json:"label,omitempty"`
}

// namedBy is how many traits are in a name.
const namedBy = 2

// Name is the cluster in a few words: its Label, else the largest traits; "" if there is
// nothing to say.
func (d Description) Name() string {
	if d.Label != "" {
		return d.Label
	}
	words := make([]string, 0, namedBy)
	for _, t := range d.Traits[:min(namedBy, len(d.Traits))] {
		words = append(words, t.String())
	}
	return strings.Join(words, ", ")
}

// Data are the rows of which clusters are described.
type Data struct {
	// X is n x len(Columns), of which values may be NaN for missing. Without columns (X.Cols 0)
	// there are no traits.
	X       vec.Matrix[float32]
	Columns []Column
	// Label is the label of each row as text, "" for none; nil: there are none.
	Label []string
	// Cluster is that of each row, 0 <= c < Count, negative for none.
	Cluster []int32
	Count   int
}

// Describe describes each cluster. The error is the context's.
func Describe(ctx context.Context, data Data, s Settings) ([]Description, error) {
	s = s.filled()
	out := make([]Description, data.Count)
	data.label(out, s)
	if data.Count == 0 || len(data.Columns) == 0 {
		return out, ctx.Err()
	}
	rows, of := data.sample(s.Rows)
	traits := make([][]Trait, len(data.Columns)) // of each column, by cluster; effect 0: none
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

// label fills in what labels say. All rows with labels count, those in no cluster, too.
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
		if len(votes) == 0 || 2*votes[0].Rows <= of.Labelled {
			continue
		}
		a, n := float64(votes[0].Rows), float64(of.Labelled)
		if effect(a, n, float64(with[votes[0].Label])-a, float64(labelled)-n) >= s.Least || of.Labelled == labelled {
			of.Label = votes[0].Label
		}
	}
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

// sample returns at most so many rows of each cluster, and of those in none, and their
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
