package saul

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
	"unfold/models/points"
	"unfold/models/snapshot"
)

// ResolveRule replaces placing.RuleAuto by the default rule. It returns a *models.SettingError for
// a rule that maps with Gaussian tails do not have.
func ResolveRule(r placing.Rule) (placing.Rule, error) {
	switch r {
	case placing.RuleAuto:
		return placing.Median, nil
	case placing.Robust, placing.LLE:
		return r, &models.SettingError{Name: "place", Problem: fmt.Sprintf("%v goes with heavy tails; this map has Gaussian ones: take auto, median or em", r)}
	}
	return r, nil
}

// Reach returns the number of neighbours to search for when an event is placed on a map of n
// reference points. It is the largest number that any step uses, plus one in case the event is
// itself a reference point.
func Reach(neighbors, noveltyK, n int) int {
	return min(n, max(neighbors, receiveRange, noveltyK)+1)
}

// Placer places events with one snapshot of this model. It implements models.Decoder.
type Placer struct {
	*placing.Searcher
	*placing.Regression
	snap *snapshot.Snapshot
	set  placing.Options
	// shared is the variance that all points and events share, or 0 if each has its own.
	shared float64
	works  par.Lender[placeWork]
}

var _ models.Decoder = (*Placer)(nil)

// NewPlacer returns a Placer for s. It validates s and keeps it without a copy.
func NewPlacer(s *snapshot.Snapshot, set placing.Options) (*Placer, error) {
	if err := placing.Check(points.Kind, s, set); err != nil {
		return nil, err
	}
	if s.Student != nil {
		return nil, models.BadInputf(points.Kind + ": the snapshot is no map with Gaussian tails")
	}
	var err error
	if set.Rule, err = ResolveRule(set.Rule); err != nil {
		return nil, err
	}
	n := s.Reference.Rows
	set.Neighbors = min(cmp.Or(set.Neighbors, DefaultPlaceNeighbors), n-1)
	frame, err := placing.New(s, Reach(set.Neighbors, s.NoveltyK, n), set)
	if err != nil {
		return nil, fmt.Errorf(points.Kind+": %w", err)
	}
	p := &Placer{Searcher: frame, Regression: placing.NewRegression(frame), snap: s, set: set}
	if first := s.Sigma2[0]; !slices.ContainsFunc(s.Sigma2, func(v float64) bool { return v != first }) {
		p.shared = first
	}
	return p, nil
}

// Place returns the positions of the rows of x; see models.Placer. An event that equals a reference
// point gets the position, variance and leave-one-out novelty of that point.
func (p *Placer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	return p.Searcher.Place(ctx, x, func(b placing.Block) error {
		w := p.works.Get()
		defer p.works.Put(w)
		w.fit(p.Dims())
		for i := b.From; i < b.To; i++ {
			_, index, dist2 := b.Event(i)
			sigma2 := p.point(w, index, dist2)
			b.Publish(i, w.mu, sigma2)
		}
		return nil
	})
}
