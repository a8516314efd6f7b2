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

// PlaceSettings of a Placer. The zero value works.
type PlaceSettings struct {
	placing.Settings
	// Rule is how means follow from neighbours: placing.Median, the default, or
	// placing.EM.
	Rule placing.Rule
	// Neighbors is how many reference points the event sends an edge to. Default
	// DefaultPlaceNeighbors.
	Neighbors int
}

// ResolveRule returns what a rule stands for, or a *models.SettingError if there is no
// such rule for maps with Gaussian tails.
func ResolveRule(r placing.Rule) (placing.Rule, error) {
	switch r {
	case placing.RuleAuto:
		return placing.Median, nil
	case placing.Robust, placing.LLE:
		return r, &models.SettingError{Name: "place", Problem: fmt.Sprintf("%v goes with heavy tails; this map has Gaussian ones: take auto, median or em", r)}
	}
	return r, nil
}

// Reach is how many neighbours are looked for to place an event that sends so many
// edges on a map of n reference points: the most that anything uses and one more, in
// case the event is a reference point.
func Reach(neighbors, noveltyK, n int) int {
	return min(n, max(neighbors, receiveRange, noveltyK)+1)
}

// Placer places events against one snapshot of this model. It implements
// models.Placer.
type Placer struct {
	*placing.Frame
	snap *snapshot.Snapshot
	set  PlaceSettings
	// shared is the variance of a map whose points have one, and of its events; 0 if each
	// has its own.
	shared float64
	works  par.Lender[placeWork]
}

var _ models.Placer = (*Placer)(nil)

// NewPlacer prepares placing against s, which it validates and then shares.
func NewPlacer(s *snapshot.Snapshot, set PlaceSettings) (*Placer, error) {
	if err := placing.Check(points.Kind, s, set.Rule, set.Neighbors, set.Settings); err != nil {
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
	frame, err := placing.New(s, Reach(set.Neighbors, s.NoveltyK, n), set.Settings)
	if err != nil {
		return nil, fmt.Errorf(points.Kind+": %w", err)
	}
	p := &Placer{Frame: frame, snap: s, set: set}
	if first := s.Sigma2[0]; !slices.ContainsFunc(s.Sigma2, func(v float64) bool { return v != first }) {
		p.shared = first
	}
	return p, nil
}

// Place returns the places of the rows of x; see models.Placer. An event that
// equals a reference point gets that point's own mean, scale and leave-one-out
// novelty.
func (p *Placer) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	return p.Frame.Place(ctx, x, func(b placing.Block) error {
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
