package cli

import (
	"fmt"
	"io"

	"unfold/cmd/internal/humanize"
	"unfold/models/score"
)

// scoreReport is the result of score. Parts that were not requested are nil.
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

// structurePart compares the map with the data. Exact figures have no errors.
type structurePart struct {
	K int `json:"k"`
	structureFigures
	// RecallK are the numbers of neighbours of recall_at.
	RecallK []int             `json:"recall_k,omitempty"`
	Error   *structureFigures `json:"standard_error,omitempty"`
	Exact   bool              `json:"exact"`
	Sample  int               `json:"sample,omitempty"`
	Seed    uint64            `json:"seed,omitempty"`
	// Pairs is the number of pairs whose distances are compared. PairsExact is set if these are all
	// pairs.
	Pairs      int  `json:"pairs"`
	PairsExact bool `json:"pairs_exact"`
	// TripletCount is the number of triplets that were compared: all of them, if Exact is set.
	TripletCount int `json:"triplet_count"`
}

// structureFigures holds the figures, or their standard errors.
type structureFigures struct {
	Trustworthiness float64   `json:"trustworthiness"`
	Continuity      float64   `json:"continuity"`
	Recall          float64   `json:"recall"`
	RecallAt        []float64 `json:"recall_at,omitempty"`
	RNX             float64   `json:"rnx_auc"`
	Density         float64   `json:"density"`
	Shepard         float64   `json:"shepard"`
	Pearson         float64   `json:"pearson"`
	Triplets        float64   `json:"triplets"`
	// Centroids is set if there are at least three classes.
	Centroids *float64 `json:"centroids,omitempty"`
}

// targetPart has for every column a row of errors, one for each K.
type targetPart struct {
	K       []int       `json:"k"`
	Columns []string    `json:"columns"`
	Error   [][]float64 `json:"error"`
	Points  int         `json:"points"`
}

type truthPart struct {
	Columns  []string `json:"columns"`
	Spearman float64  `json:"spearman"`
	Error    float64  `json:"standard_error,omitempty"`
	Exact    bool     `json:"exact"`
	Pairs    int      `json:"pairs"`
	Seed     uint64   `json:"seed,omitempty"`
}

type noveltyPart struct {
	Normal  string  `json:"normal"`
	Local   float64 `json:"auc_local"`
	Global  float64 `json:"auc_global"`
	Normals int     `json:"normals"`
	Others  int     `json:"others"`
}

// newStructurePart converts the figures; centroids may be nil.
func newStructurePart(s *score.Structure, centroids *score.Correlation) *structurePart {
	part := &structurePart{
		K: s.K, RecallK: s.RecallK, Exact: s.Exact, Sample: s.Sample, Seed: s.Seed,
		Pairs: s.Shepard.Pairs, PairsExact: s.Shepard.Exact, TripletCount: s.Triplets.Count,
		structureFigures: ranked(&s.Ranked),
	}
	part.Shepard, part.Pearson, part.Triplets = s.Shepard.Spearman, s.Shepard.Pearson, s.Triplets.Share
	if !s.Shepard.Exact {
		part.Seed = s.Shepard.Seed
	}
	e := ranked(&s.Error)
	e.Shepard, e.Pearson, e.Triplets = s.Shepard.SpearmanError, s.Shepard.PearsonError, s.Triplets.Error
	exact := s.Exact && s.Shepard.Exact
	if centroids != nil {
		part.Centroids, e.Centroids = &centroids.Spearman, &centroids.SpearmanError
		exact = exact && centroids.Exact
	}
	if !exact {
		part.Error = &e
	}
	return part
}

func ranked(r *score.Ranked) structureFigures {
	return structureFigures{Trustworthiness: r.Trustworthiness, Continuity: r.Continuity, Recall: r.Recall, RecallAt: r.RecallAt, RNX: r.RNX, Density: r.Density}
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
	if r.Data != nil {
		r.Data.print(w)
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
		fmt.Fprintf(w, "\nagainst the true places (%s)\n", pairsOf(t.Exact, t.Pairs, t.Seed))
		fmt.Fprintf(w, "  %-18s %s\n", "rank correlation", figure(t.Spearman, t.Error))
	}
	if n := r.Novelty; n != nil {
		fmt.Fprintf(w, "\nnovelty of %s points against %s of class %s (AUC)\n", humanize.Count(n.Others), humanize.Count(n.Normals), n.Normal)
		fmt.Fprintf(w, "  %-18s %.4f\n  %-18s %.4f\n", "novelty_global", n.Global, "novelty_local", n.Local)
	}
}

// print prints the figures. Figures from sampled pairs and triplets are printed with their number.
func (s *structurePart) print(w io.Writer) {
	e := s.Error
	if e == nil {
		e = &structureFigures{RecallAt: make([]float64, len(s.RecallAt)), Centroids: new(float64)}
	}
	fmt.Fprintf(w, "\nagainst the data (%d neighbours, %s)\n", s.K, scope(s.Exact, s.Sample, s.Seed))
	line := func(name, figure string) { fmt.Fprintf(w, "  %-18s %s\n", name, figure) }
	line("trustworthiness", figure(s.Trustworthiness, e.Trustworthiness))
	line("continuity", figure(s.Continuity, e.Continuity))
	line("neighbour recall", figure(s.Recall, e.Recall))
	for m, k := range s.RecallK {
		line(fmt.Sprintf("recall of %d", k), figure(s.RecallAt[m], e.RecallAt[m]))
	}
	line("R_NX", figure(s.RNX, e.RNX))
	line("density", figure(s.Density, e.Density))
	pairs := " of " + humanize.Count(s.Pairs) + " pairs"
	line("Shepard", figure(s.Shepard, e.Shepard)+pairs)
	line("Pearson", figure(s.Pearson, e.Pearson)+pairs)
	line("triplets", figure(s.Triplets, e.Triplets)+" of "+humanize.Count(s.TripletCount))
	if s.Centroids != nil {
		line("centroids", figure(*s.Centroids, *e.Centroids))
	}
}

// figure formats a figure and, if it is estimated from a sample, its standard error.
func figure(value, err float64) string {
	if err > 0 {
		return fmt.Sprintf("%.4f +- %.4f", value, err)
	}
	return fmt.Sprintf("%.4f", value)
}

func classCount(n int) string {
	if n == 1 {
		return "1 class"
	}
	return humanize.Count(n) + " classes"
}

// scope describes the points of a figure.
func scope(exact bool, sample int, seed uint64) string {
	if exact {
		return "all points"
	}
	return fmt.Sprintf("a sample of %s points, seed %d", humanize.Count(sample), seed)
}

// pairsOf describes the pairs of a figure.
func pairsOf(exact bool, pairs int, seed uint64) string {
	if exact {
		return "all pairs"
	}
	return fmt.Sprintf("%s random pairs, seed %d", humanize.Count(pairs), seed)
}
