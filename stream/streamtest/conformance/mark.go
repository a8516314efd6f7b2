package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/score"
	"unfold/models/snapshot"
)

// Figures are quality measures of a map, computed from the original vectors.
type Figures struct {
	// Nearest is the share of points whose nearest point on the map has the same group.
	Nearest float64
	// Trust is trustworthiness, with 10 neighbours.
	Trust float64
	RNX   float64
}

// Mark is a comparison of the stage's map with a fit of the same events.
type Mark struct {
	// Events is the number of events that were not deleted. Points of them are on the stage's map.
	Events, Points int
	Stage, Fit     Figures
	// Again are the figures of other fits of the same events, with other seeds and the rows in other
	// orders. Moves are the distances between the places of the fit and of the last of them, like
	// those of a refresh.
	Again []Figures
	Moves live.Moves
	// At and Fitted are the points' places on the two maps, and Group their groups.
	At, Fitted vec.Matrix[float32] `json:"-"`
	Group      []int32             `json:"-"`
}

// judgedRows is the number of points whose neighbours are ranked, among all points.
const judgedRows = 1500

// mark evaluates the stage's newest map.
func (c *course) mark(ctx context.Context) (m Mark, err error) {
	s, err := snapshot.ReadFile(c.path(statePath))
	if err != nil {
		return m, err
	}
	rows, err := c.rows(s.IDs)
	if err != nil {
		return m, err
	}
	of := c.set.Take(rows)
	for _, there := range c.sent {
		if there {
			m.Events++
		}
	}
	x := of.Vectors()
	fresh, result, err := fit.Fit(ctx, x, fit.Spec{}, nil)
	if err != nil {
		return m, fmt.Errorf("a fit of %d events: %w", x.Rows, err)
	}
	m.Points, m.At, m.Group = len(rows), vec.Convert[float32](s.Mu), of.Group
	m.Fitted = vec.Convert[float32](vec.Take(fresh.Mu, result.Row))
	if m.Stage, err = Judge(ctx, of, m.At); err == nil {
		m.Fit, err = Judge(ctx, of, m.Fitted)
	}
	for k := range c.Again {
		if err == nil {
			err = m.again(ctx, of, uint64(k+1))
		}
	}
	return m, err
}

// again adds another fit of the events of a mark.
func (m *Mark) again(ctx context.Context, of *Set, seed uint64) error {
	order := rand.New(rand.NewPCG(seed, 0xf175)).Perm(of.X.Rows)
	fresh, result, err := fit.Fit(ctx, of.Take(order).Vectors(), fit.Spec{Common: models.Common{Seed: seed}}, nil)
	if err != nil {
		return fmt.Errorf("another fit of %d events: %w", of.X.Rows, err)
	}
	places := vec.New[float64](of.X.Rows, fresh.Mu.Cols)
	for i, row := range order {
		copy(places.Row(row), fresh.Mu.Row(int(result.Row[i])))
	}
	f, err := Judge(ctx, of, vec.Convert[float32](places))
	if err != nil {
		return err
	}
	first := vec.Convert[float64](m.Fitted)
	live.Align(places, places.Clone(), first)
	m.Again, m.Moves = append(m.Again, f), live.Measure(first, places, live.Diameter(first))
	return nil
}

// Spread returns how far the figures of the fits lie apart, the largest less the smallest.
func (m Mark) Spread() Figures {
	low, high := m.Fit, m.Fit
	for _, f := range m.Again {
		low = Figures{min(low.Nearest, f.Nearest), min(low.Trust, f.Trust), min(low.RNX, f.RNX)}
		high = Figures{max(high.Nearest, f.Nearest), max(high.Trust, f.Trust), max(high.RNX, f.RNX)}
	}
	return Figures{high.Nearest - low.Nearest, high.Trust - low.Trust, high.RNX - low.RNX}
}

// rows returns the set's rows for the map's points, by their ids.
func (c *course) rows(ids []string) (rows []int, err error) {
	for _, of := range ids {
		var row int
		if _, err := fmt.Sscanf(of, "e%d", &row); err != nil || row < 0 || row >= len(c.sent) {
			return nil, fmt.Errorf("a point has the id %q, of no event", of)
		}
		rows = append(rows, row)
	}
	if len(slices.Compact(slices.Sorted(slices.Values(rows)))) != len(rows) {
		return nil, fmt.Errorf("of %d points two have the same id", len(rows))
	}
	return rows, nil
}

// Judge returns the quality of a map of the set's events with the given places, one per row.
func Judge(ctx context.Context, s *Set, at vec.Matrix[float32]) (f Figures, err error) {
	a, err := score.LeaveOneOut(ctx, at, s.Group, []int{1}, score.Settings{})
	if err != nil {
		return f, err
	}
	n, err := score.Neighborhoods(ctx, s.Vectors(), at, score.Settings{K: 10, Sample: judgedRows, Seed: 1})
	if err != nil {
		return f, err
	}
	return Figures{a.Share[0], n.Trustworthiness, n.RNX}, nil
}
