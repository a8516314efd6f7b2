package cli

import (
	"fmt"
	"io"

	"unfold/cmd/internal/humanize"
	"unfold/models/score"
)

// scoreReport is what score has to say; parts that were not asked for are nil.
type scoreReport struct {
	Points   int            `json:"points"`
	Dims     int            `json:"dims"`
	Labelled *accuracyPart  `json:"leave_one_out,omitempty"`
	HeldOut  *heldOutPart   `json:"held_out,omitempty"`
	Data     *structurePart `json:"structure,omitempty"`
	Targets  *targetPart    `json:"regression,omitempty"`
	Truth    *truthPart     `json:"truth,omitempty"`
	Novelty  *noveltyPart   `json:"novelty,omitempty"`
}

type accuracyPart struct {
	K        []int     `json:"k"`
	Accuracy []float64 `json:"accuracy"`
	Points   int       `json:"points"`
	Classes  int       `json:"classes"`
}

type heldOutPart struct {
	K     []int     `json:"k"`
	Error []float64 `json:"error"`
	Train int       `json:"train"`
	Test  int       `json:"test"`
}

type structurePart struct {
	K               int     `json:"k"`
	Trustworthiness float64 `json:"trustworthiness"`
	Continuity      float64 `json:"continuity"`
	Recall          float64 `json:"recall"`
	Shepard         float64 `json:"shepard"`
	Exact           bool    `json:"exact"`
	Sample          int     `json:"sample,omitempty"`
	Seed            uint64  `json:"seed,omitempty"`
	// Triplets is the share of TripletCount random triples whose order is kept.
	Triplets     float64 `json:"triplets"`
	TripletCount int     `json:"triplet_count"`
	// Centroids is there if there are three classes.
	Centroids *float64 `json:"centroids,omitempty"`
}

// targetPart holds a row of errors, one for each of K, for every column.
type targetPart struct {
	K       []int       `json:"k"`
	Columns []string    `json:"columns"`
	Error   [][]float64 `json:"error"`
	Points  int         `json:"points"`
}

type truthPart struct {
	Columns  []string `json:"columns"`
	Spearman float64  `json:"spearman"`
	Exact    bool     `json:"exact"`
	Sample   int      `json:"sample"`
	Seed     uint64   `json:"seed,omitempty"`
}

type noveltyPart struct {
	Normal  string  `json:"normal"`
	Local   float64 `json:"auc_local"`
	Global  float64 `json:"auc_global"`
	Normals int     `json:"normals"`
	Others  int     `json:"others"`
}

func newStructurePart(s *score.Structure) *structurePart {
	return &structurePart{K: s.K, Trustworthiness: s.Trustworthiness, Continuity: s.Continuity, Recall: s.Recall,
		Shepard: s.Shepard, Exact: s.Exact, Sample: s.Sample, Seed: s.Seed,
		Triplets: s.Triplets, TripletCount: s.TripletCount}
}

func (r *scoreReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s in %d dimensions\n", humanize.Plural(r.Points, "point"), r.Dims)
	if a := r.Labelled; a != nil {
		fmt.Fprintf(w, "\nleave-one-out accuracy of the class (%s, %s)\n", humanize.Plural(a.Points, "point"), classCount(a.Classes))
		for i, k := range a.K {
			fmt.Fprintf(w, "  %-18s %.4f\n", fmt.Sprintf("%d-NN", k), a.Accuracy[i])
		}
	}
	if h := r.HeldOut; h != nil {
		fmt.Fprintf(w, "\nerror of the class (%s training points, %s test points)\n", humanize.Count(h.Train), humanize.Count(h.Test))
		for i, k := range h.K {
			fmt.Fprintf(w, "  %-18s %.4f\n", fmt.Sprintf("%d-NN", k), h.Error[i])
		}
	}
	if s := r.Data; s != nil {
		fmt.Fprintf(w, "\nagainst the data (%d neighbours, %s)\n", s.K, scope(s.Exact, s.Sample, s.Seed))
		for _, v := range []struct {
			name  string
			value float64
		}{{"trustworthiness", s.Trustworthiness}, {"continuity", s.Continuity}, {"neighbour recall", s.Recall}, {"Shepard", s.Shepard}} {
			fmt.Fprintf(w, "  %-18s %.4f\n", v.name, v.value)
		}
		fmt.Fprintf(w, "  %-18s %.4f of %s\n", "triplets", s.Triplets, humanize.Count(s.TripletCount))
		if s.Centroids != nil {
			fmt.Fprintf(w, "  %-18s %.4f\n", "centroids", *s.Centroids)
		}
	}
	if t := r.Targets; t != nil {
		fmt.Fprintf(w, "\nerror of numbers by their neighbours, relative to their deviation (%s)\n", humanize.Plural(t.Points, "point"))
		for c, name := range t.Columns {
			for i, k := range t.K {
				fmt.Fprintf(w, "  %-18s %.4f\n", fmt.Sprintf("%s, %d-NN", name, k), t.Error[c][i])
			}
		}
	}
	if t := r.Truth; t != nil {
		fmt.Fprintf(w, "\nagainst the true places (%s)\n  %-18s %.4f\n", scope(t.Exact, t.Sample, t.Seed), "rank correlation", t.Spearman)
	}
	if n := r.Novelty; n != nil {
		fmt.Fprintf(w, "\nnovelty of %s points against %s of class %s (AUC)\n", humanize.Count(n.Others), humanize.Count(n.Normals), n.Normal)
		fmt.Fprintf(w, "  %-18s %.4f\n  %-18s %.4f\n", "novelty_global", n.Global, "novelty_local", n.Local)
	}
}

func classCount(n int) string {
	if n == 1 {
		return "1 class"
	}
	return humanize.Count(n) + " classes"
}

// scope says which points entered a figure.
func scope(exact bool, sample int, seed uint64) string {
	if exact {
		return "all points"
	}
	return fmt.Sprintf("a sample of %s points, seed %d", humanize.Count(sample), seed)
}
