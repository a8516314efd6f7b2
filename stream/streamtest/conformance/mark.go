package conformance

import (
	"context"
	"fmt"
	"slices"

	"unfold/internal/vec"
	"unfold/models/fit"
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
	return m, err
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
