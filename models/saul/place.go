package saul

import (
	"context"
	"fmt"
	"math"
	"strings"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/knn/auto"
)

// PlaceRule says how an event's mean follows from its neighbours'.
type PlaceRule int

const (
	// RuleAuto is Median with Gaussian tails; with heavy tails Robust for up to
	// three dimensions and LLE for more.
	RuleAuto PlaceRule = iota
	// Median is the coordinate-wise median of the neighbours' means, each counted
	// once for every edge between it and the event.
	Median
	// EM is the model's own answer with Gaussian tails: eq 20 for the one new
	// point, all others frozen.
	EM
	// Robust is the model's own answer with heavy tails: the most likely place,
	// all others frozen.
	Robust
	// LLE is Robust with the edges sent weighted by how the event's vector is a
	// combination of its neighbours'.
	LLE
)

var placeRules = []string{RuleAuto: "auto", Median: "median", EM: "em", Robust: "robust", LLE: "lle"}

// Resolve returns what a rule stands for on a map with such tails and so many
// dimensions, or a *SettingError if it does not go with them.
func (r PlaceRule) Resolve(tails Tails, dims int) (PlaceRule, error) {
	switch {
	case r == RuleAuto && tails == Gaussian:
		return Median, nil
	case r == RuleAuto && dims <= 3:
		return Robust, nil
	case r == RuleAuto:
		return LLE, nil
	case tails != Gaussian && r == EM:
		return r, &SettingError{"place", "em goes with Gaussian tails; this map has heavy ones: take auto, robust, lle or median"}
	case tails == Gaussian && (r == Robust || r == LLE):
		return r, &SettingError{"place", fmt.Sprintf("%v goes with heavy tails; this map has Gaussian ones: take auto, median or em", r)}
	}
	return r, nil
}

// String is the rule's name on the command line.
func (r PlaceRule) String() string {
	if r < 0 || int(r) >= len(placeRules) {
		return fmt.Sprintf("PlaceRule(%d)", int(r))
	}
	return placeRules[r]
}

// ParsePlaceRule is the inverse of String; the empty name is the default rule.
func ParsePlaceRule(name string) (PlaceRule, error) {
	for r, n := range placeRules {
		if name == n || name == "" {
			return PlaceRule(r), nil
		}
	}
	return 0, fmt.Errorf("unknown rule %q for placing: want %s", name, strings.Join(placeRules, ", "))
}

// PlaceSettings of a Placer. The zero value works.
type PlaceSettings struct {
	// Rule is how means follow from neighbours. Default RuleAuto.
	Rule PlaceRule
	// Neighbors is how many reference points the event sends an edge to. Default
	// the model's k with heavy tails, else DefaultPlaceNeighbors.
	Neighbors int
	// Received is the weight of an edge that the event receives, of one that it
	// sends being 1 (heavy tails only). Default DefaultReceived.
	Received float64
	// Threads bounds the goroutines of one call of Place; 0 means GOMAXPROCS.
	// The result does not depend on it.
	Threads int
	// Search says how neighbours are found. By default it is by the snapshot's index
	// and with its recall, exactly if there is none. HNSW makes one if there is none,
	// which takes a second for 60,000 points; Exact, or a recall of 1, ignores it.
	Search auto.Settings
}

// Placer places events against one snapshot of this model. It implements
// models.Placer.
type Placer struct {
	*placing.Frame
	snap  *snapshot.Snapshot
	set   PlaceSettings
	works par.Lender[placeWork]
}

var _ models.Placer = (*Placer)(nil)

// NewPlacer prepares placing against s, which it validates and then shares.
func NewPlacer(s *snapshot.Snapshot, set PlaceSettings) (*Placer, error) {
	if err := s.Validate(); err != nil {
		return nil, models.BadInputf("lvm: the snapshot does not fit: %w", err)
	}
	n := s.Reference.Rows
	switch {
	case set.Neighbors < 0:
		return nil, fmt.Errorf("lvm: placing by %d neighbours, want at least 1", set.Neighbors)
	case set.Rule < 0 || int(set.Rule) >= len(placeRules):
		return nil, fmt.Errorf("lvm: unknown rule for placing: %v", set.Rule)
	case !(set.Received >= 0) || math.IsInf(set.Received, 0) || s.Student == nil && set.Received != 0:
		return nil, fmt.Errorf("lvm: a weight of %v for edges received (with heavy tails; with Gaussian ones it is 1)", set.Received)
	case n < 2:
		return nil, models.BadInputf("lvm: a map of %d reference point cannot place events: want at least 2", n)
	}
	tails := TailsOf(s)
	var err error
	if set.Rule, err = set.Rule.Resolve(tails, s.Mu.Cols); err != nil {
		return nil, err
	}
	switch {
	case set.Neighbors == 0 && tails == Student:
		set.Neighbors = s.Neighbors
	case set.Neighbors == 0:
		set.Neighbors = DefaultPlaceNeighbors
	}
	if set.Received == 0 {
		set.Received = DefaultReceived
	}
	set.Neighbors = min(set.Neighbors, n-1)
	if err := checkSearch(set.Search); err != nil {
		return nil, err
	}
	frame, err := placing.New(s, Reach(tails, set.Neighbors, s.NoveltyK, n), placing.Settings{Threads: set.Threads, Search: set.Search})
	if err != nil {
		return nil, fmt.Errorf("lvm: %w", err)
	}
	return &Placer{Frame: frame, snap: s, set: set}, nil
}

// TailsOf says which tails a map was learnt with.
func TailsOf(s *snapshot.Snapshot) Tails {
	if s.Student != nil {
		return Student
	}
	return Gaussian
}

// Place returns the places of the rows of x; see models.Placer. An event that
// equals a reference point gets that point's own mean, scale and leave-one-out
// novelty.
func (p *Placer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	return p.Frame.Place(ctx, x, func(b placing.Block) error {
		w := p.works.Get()
		defer p.works.Put(w)
		w.fit(p.Dims(), p.set.Neighbors)
		for i := b.From; i < b.To; i++ {
			z, index, dist2 := b.Event(i)
			sigma2 := p.one(w, z, index, dist2)
			b.Publish(i, w.mu, sigma2)
		}
		return nil
	})
}

// one sets w.mu to the place of the event z with the given nearest reference
// points and returns the square of its scale.
func (p *Placer) one(w *placeWork, z []float32, index []int32, dist2 []float64) (sigma2 float64) {
	if p.snap.Student != nil {
		return p.heavyPoint(w, z, index, dist2)
	}
	return p.point(w, index, dist2)
}
