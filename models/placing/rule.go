package placing

import (
	"fmt"
	"strings"

	"unfold/models"
	"unfold/sparse/knn/auto"
)

// Rule selects how an event's mean is computed from its neighbours. Each kind of map supports some
// of the rules.
type Rule int

const (
	// RuleAuto is the default of the kind of map.
	RuleAuto Rule = iota
	// Median is the coordinate-wise median of the neighbours' means, weighted by their edges with
	// the event.
	Median
	// EM is the estimate of the model with Gaussian tails: eq 20 for the new point, with all others
	// frozen.
	EM
	// Robust is the estimate of the model with heavy tails: the most likely place, with all others
	// frozen.
	Robust
	// LLE is Robust with weights of the sent edges that reconstruct the event's vector from its
	// neighbours (locally linear embedding).
	LLE
)

var rules = models.Names[Rule]{"auto", "median", "em", "robust", "lle"}

// String returns the rule's name on the command line.
func (r Rule) String() string { return rules.Word(r) }

// Known reports whether the rule exists.
func (r Rule) Known() bool { return rules.Known(r) }

// ParseRule is the inverse of String; the empty name is the default rule.
func ParseRule(name string) (r Rule, err error) {
	if name == "" {
		return RuleAuto, nil
	}
	if rules.Unmarshal(&r, []byte(name)) != nil {
		return 0, fmt.Errorf("unknown rule %q for placing: want %s", name, strings.Join(rules, ", "))
	}
	return r, nil
}

// Options are the options of placing on a map of any kind. A kind rejects options that it does not
// support. The zero value works.
type Options struct {
	// Rule selects how means are computed from neighbours. Default RuleAuto, which is Robust on maps
	// with heavy tails of up to three dimensions and LLE on those of more, and Median on maps with
	// Gaussian tails.
	Rule Rule
	// Neighbors is the number of reference points that the event sends an edge to. The default is
	// the model's own: its k, with Gaussian tails saul.DefaultPlaceNeighbors.
	Neighbors int
	// Received is the weight of an edge that the event receives, relative to one that it sends, on
	// maps with heavy tails. Default student.DefaultReceived.
	Received float64
	// RankDecay determines how fast the weights of the sent edges fall with the rank of the
	// neighbour (p of H22), on maps with heavy tails. Default 0: equal weights. The value with which
	// the map was learnt is best (docs/decisions/placing.md); fit.Open takes it from there.
	RankDecay float64
	// Threads bounds the goroutines of one call of Place; 0 means GOMAXPROCS.
	Threads int
	// Search selects the search for neighbours. The default is cells, or the snapshot's index with
	// its recall if cells are not suitable, or an exact search if the snapshot has neither. HNSW
	// uses the index and builds one if there is none. Exact, or a recall of 1, uses neither.
	Search auto.Settings
}
