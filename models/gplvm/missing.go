package gplvm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/placing"
)

// A vector with missing values (NaN) is placed with the others. The missing values are then
// replaced by the model's predictions at the place, so that distances are defined: neighbours and
// novelty use the completed vectors.

// CheckRows is models.CheckRows for vectors in which some, but not all, values may be NaN.
func CheckRows(x vec.Matrix[float32], names []string) error {
	for i := range x.Rows {
		seen := false
		for j, v := range x.Row(i) {
			if math.IsInf(float64(v), 0) {
				e := &models.RowError{Row: i, Column: j, Value: float64(v)}
				if j < len(names) {
					e.Name = names[j]
				}
				return e
			}
			seen = seen || v == v
		}
		if !seen {
			return &models.RowError{Row: i, Column: -1, Value: math.NaN()}
		}
	}
	return nil
}

// anyMissing reports whether some value of x is NaN.
func anyMissing(x vec.Matrix[float32]) bool {
	return slices.ContainsFunc(x.Data, func(v float32) bool { return v != v })
}

// unitsOfObserved is newUnits for the observed values. The shift of a column without any is NaN.
func unitsOfObserved(x vec.Matrix[float32]) placing.Units {
	u := placing.Units{Shift: make([]float64, x.Cols), Scale: 1}
	count, sum, all := make([]float64, x.Cols), 0.0, 0.0
	each := func(f func(j int, v float64)) {
		for i := range x.Rows {
			for j, v := range x.Row(i) {
				if v == v {
					f(j, float64(v))
				}
			}
		}
	}
	each(func(j int, v float64) { u.Shift[j] += v; count[j]++ })
	for j, n := range count {
		u.Shift[j] /= n
		all += n
	}
	each(func(j int, v float64) { sum += (v - u.Shift[j]) * (v - u.Shift[j]) })
	if sum > 0 {
		u.Scale = math.Sqrt(all / sum)
	}
	return u
}

// completed is a row with missing values that was not learnt, with its place.
type completed struct {
	row    int32
	mu     []float64
	sigma2 float64
}

// complete replaces the missing values of the rows of x by the predictions at their places.
func (f *Fitted) complete(ctx context.Context, x vec.Matrix[float32]) error {
	if !anyMissing(x) {
		return nil
	}
	p, err := newPlacer(f)
	if err != nil {
		return err
	}
	w := p.invite()
	for l, i := range f.Learnt {
		w.fill(x.Row(int(i)), f.Point.X.Row(l))
	}
	seen := vec.Take(x, f.Learnt)
	for i := range x.Rows {
		if !anyMissing(x.Slice(i, i+1)) {
			continue
		}
		mu, sigma2, err := w.finish(ctx, x.Row(i), seen)
		if err != nil {
			return err
		}
		f.completed = append(f.completed, completed{int32(i), slices.Clone(mu), sigma2})
	}
	return ctx.Err()
}

// fill replaces missing values of z by the predictions at x.
func (w *guest) fill(z []float32, x []float64) {
	w.Decode(w.y, x)
	for c, v := range z {
		if v != v {
			z[c] = float32(w.y[c]/w.Units.Scale + w.Units.Shift[c])
		}
	}
}

// finish places z by its observed values and fills in the others. seen are the completed learnt
// rows.
func (w *guest) finish(ctx context.Context, z []float32, seen vec.Matrix[float32]) (mu []float64, sigma2 float64, err error) {
	if mu, sigma2, err = w.Place(ctx, z, nearest(z, seen, placeStarts)); err != nil {
		return nil, 0, err
	}
	w.fill(z, mu)
	return mu, sigma2, nil
}

// nearest returns the rows of seen that are nearest to z in z's observed values, nearest first.
func nearest(z []float32, seen vec.Matrix[float32], count int) []int32 {
	count = min(count, seen.Rows)
	rows, dist2 := make([]int32, 0, count+1), make([]float64, 0, count+1)
	for j := range seen.Rows {
		sum := 0.0
		for c, v := range seen.Row(j) {
			if d := float64(z[c]) - float64(v); d == d {
				sum += d * d
			}
		}
		at, _ := slices.BinarySearchFunc(dist2, sum, func(d, sum float64) int {
			if d <= sum {
				return -1
			}
			return 1
		})
		if at < count {
			rows, dist2 = slices.Insert(rows, at, int32(j)), slices.Insert(dist2, at, sum)
			rows, dist2 = rows[:min(len(rows), count)], dist2[:min(len(dist2), count)]
		}
	}
	return rows
}

// PlaceMissing implements models.Lenient. Rows with missing values are placed by their observed
// values. Their novelty is that of the completed vectors. A learnt row is recognised and gets its
// own place.
func (p *Placer) PlaceMissing(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	if !anyMissing(x) || p.snap.CheckDim(x.Cols) != nil || p.snap.Components.Rows > 0 {
		return p.Place(ctx, x)
	}
	if err := CheckRows(x, p.snap.Names); err != nil {
		return models.Placed{}, err
	}
	if err := p.checkEvents(x); err != nil {
		return models.Placed{}, err
	}
	seen := vec.Take(p.snap.Reference, p.by.Learnt)
	full, late := x.Clone(), make([]*completed, x.Rows)
	failed := make([]error, par.Pieces(x.Rows, missingPiece))
	par.Ranges(p.by.Settings.Threads, x.Rows, missingPiece, func(piece, from, to int) {
		w := p.by.invite()
		for i := from; i < to && failed[piece] == nil && ctx.Err() == nil; i++ {
			if anyMissing(x.Slice(i, i+1)) {
				late[i], failed[piece] = w.finishEvent(ctx, full.Row(i), seen)
			}
		}
	})
	for _, err := range failed {
		if err != nil {
			return models.Placed{}, fmt.Errorf("gplvm: %w", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return models.Placed{}, err
	}
	out, err := p.Placer.Place(ctx, full)
	if err != nil {
		return out, err
	}
	motion := p.Motion()
	for i, c := range late {
		if c != nil {
			motion.Forth(c.mu)
			placing.Publish(out, i, c.mu, c.sigma2, float64(out.NoveltyLocal[i]), float64(out.NoveltyGlobal[i]))
		}
	}
	return out, placing.CheckPlaced(out)
}

const missingPiece = 16

// finishEvent completes an event. If a learnt point has the same missing-value pattern and is
// otherwise equal, it copies that point's values. Otherwise it places the event and returns the
// place.
func (w *guest) finishEvent(ctx context.Context, z []float32, seen vec.Matrix[float32]) (*completed, error) {
	for _, l := range nearest(z, seen, placeStarts) {
		if w.Model.same(z, seen.Row(int(l)), int(l)) {
			copy(z, seen.Row(int(l)))
			return nil, nil
		}
	}
	mu, sigma2, err := w.finish(ctx, z, seen)
	return &completed{mu: slices.Clone(mu), sigma2: sigma2}, err
}

// same reports whether z has the missing-value pattern of row l and otherwise the values of the
// completed row.
func (m *Model) same(z, row []float32, l int) bool {
	for c, v := range z {
		absent := m.missing != nil && m.missing[l*m.y.Cols+c]
		if (v != v) != absent || v == v && v != row[c] {
			return false
		}
	}
	return true
}
