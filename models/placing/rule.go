package placing

import (
	"fmt"
	"strings"

	"unfold/models"
	"unfold/sparse/knn/auto"
)

// Rule says how an event's mean follows from its neighbours'. Not every kind of map
// has every one.
type Rule int

const (
	// RuleAuto is the map's own default.
	RuleAuto Rule = iota
	// Median is the coordinate-wise median of the neighbours' means, each as often as
	// the edges between it and the event say.
	Median
	// EM is the answer of the model with Gaussian tails: eq 20 for the one new point,
	// all others frozen.
	EM
	// Robust is the answer of the model with heavy tails: the most likely place, all
	// others frozen.
	Robust
	// LLE is Robust with the edges sent weighted by how the event's vector is a
	// combination of its neighbours'.
	LLE
)

var rules = models.Names[Rule]{"auto", "median", "em", "robust", "lle"}

// String is the rule's name on the command line.
func (r Rule) String() string { return rules.Word(r) }

// Known reports whether there is such a rule.
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

// Options are what may be asked of placing on a map of any kind, which refuses what it
// does not have. The zero value works.
type Options struct {
	// Rule is how means follow from neighbours. Default RuleAuto.
	Rule Rule
	// Neighbors is how many reference points the event sends an edge to. Default the
	// model's own.
	Neighbors int
	// Received is the weight of an edge that the event receives, of one that it
	// sends being 1.
	Received float64
	// RankDecay is how fast the weights of the edges that the event sends fall with the rank
	// of their other ends. Default that of the model's settings.
	RankDecay float64
	// Threads and Search are those of Settings.
	Threads int
	Search  auto.Settings
}

// Settings are those of the options that all kinds of maps have.
func (o Options) Settings() Settings { return Settings{Threads: o.Threads, Search: o.Search} }
