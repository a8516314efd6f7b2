package placing

import (
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
)

// A vector with missing values (NaN) is placed by its observed values. The missing values are then
// replaced by the model's predictions at the place, so that distances are defined: neighbours and
// novelty use the completed vectors.

// CheckEnough checks rows from which the kind gplvm, with or without labels, learns a map of some
// dimensions: their numbers of rows and elements, and their values (CheckObserved).
func CheckEnough(x vec.Matrix[float32], dims int) error {
	switch {
	case x.Cols < dims:
		return models.BadInputf("gplvm: vectors of %d elements for a map of %d dimensions: want at most as many dimensions as elements", x.Cols, dims)
	case x.Rows < dims+2:
		return models.BadInputf("gplvm: %d distinct rows are too few for a map of %d dimensions: at least %d are needed", x.Rows, dims, dims+2)
	}
	return CheckObserved(x, nil)
}

// CheckObserved is models.CheckRows for vectors in which some, but not all, values may be NaN.
func CheckObserved(x vec.Matrix[float32], names []string) error {
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

// AnyMissing reports whether some value is NaN.
func AnyMissing(values []float32) bool {
	return slices.ContainsFunc(values, func(v float32) bool { return v != v })
}

// Fill replaces missing values of z by the predictions of a guest at x, a place in the frame of
// learning.
func (l Learnt) Fill(g Guest, z []float32, x []float64) {
	y := make([]float64, len(z))
	g.Decode(y, x)
	for c, v := range z {
		if v != v {
			z[c] = float32(y[c]/l.Units.Scale + l.Units.Shift[c])
		}
	}
}

// Complete places z by its observed values and fills in the others. The guest must accept NaN. seen
// has the completed learnt rows. The guest owns mu and may overwrite it.
func (l Learnt) Complete(ctx context.Context, g Guest, z []float32, seen vec.Matrix[float32]) (mu []float64, sigma2 float64, err error) {
	if mu, sigma2, err = g.Place(ctx, z, nearestObserved(z, seen, l.Neighbors)); err != nil {
		return nil, 0, err
	}
	l.Fill(g, z, mu)
	return mu, sigma2, nil
}

// Completed is a row with missing values that was not learnt, with its place in the frame of learning.
type Completed struct {
	Row    int32
	Mu     []float64
	Sigma2 float64
}

// CompleteAll replaces the missing values of all rows of x by predictions: of learnt rows at their
// places, of others where they are placed by their observed values. It returns the places of the
// others.
func (l Learnt) CompleteAll(ctx context.Context, x vec.Matrix[float32]) ([]Completed, error) {
	if !AnyMissing(x.Data) {
		return nil, nil
	}
	g := l.Invite()
	for at, i := range l.Rows {
		l.Fill(g, x.Row(int(i)), l.X.Row(at))
	}
	seen, out := vec.Take(x, l.Rows), []Completed(nil)
	for i := range x.Rows {
		if AnyMissing(x.Row(i)) {
			out = append(out, Completed{Row: int32(i)})
		}
	}
	failed := make([]error, par.Pieces(len(out), piece))
	par.Ranges(l.Threads, len(out), piece, func(k, from, to int) {
		g := l.Invite()
		for i := from; i < to && failed[k] == nil && ctx.Err() == nil; i++ {
			var mu []float64
			mu, out[i].Sigma2, failed[k] = l.Complete(ctx, g, x.Row(int(out[i].Row)), seen)
			out[i].Mu = slices.Clone(mu)
		}
	})
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return out, ctx.Err()
}

// nearestObserved returns the rows of seen that are nearest to z in z's observed values, nearest
// first.
func nearestObserved(z []float32, seen vec.Matrix[float32], count int) []int32 {
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

// placedObserved is the place of a vector with missing values, in the frame of learning.
type placedObserved struct {
	mu     []float64
	sigma2 float64
}

// PlaceObserved implements PlaceMissing of models.Lenient for models whose guests accept NaN. Rows
// with missing values are placed by their observed values. Their novelty is that of the completed
// vectors. A learnt row is recognised and gets its own place.
func (p *Placer) PlaceObserved(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	if !AnyMissing(x.Data) || p.snap.CheckDim(x.Cols) != nil || p.snap.Components.Rows > 0 {
		return p.Place(ctx, x)
	}
	if err := CheckObserved(x, p.snap.Names); err != nil {
		return models.Placed{}, err
	}
	l := p.host.Learnt
	seen := vec.Take(p.snap.Reference, l.Rows)
	full, late := x.Clone(), make([]*placedObserved, x.Rows)
	failed := make([]error, par.Pieces(x.Rows, piece))
	par.Ranges(l.Threads, x.Rows, piece, func(k, from, to int) {
		w := p.host.borrow()
		defer p.host.guests.Put(w)
		for i := from; i < to && failed[k] == nil && ctx.Err() == nil; i++ {
			if AnyMissing(x.Row(i)) {
				late[i], failed[k] = l.placeObserved(ctx, w, full.Row(i), seen)
			}
		}
	})
	for _, err := range failed {
		if err != nil {
			return models.Placed{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return models.Placed{}, err
	}
	out, err := p.Place(ctx, full)
	if err != nil {
		return out, err
	}
	for i, c := range late {
		if c != nil {
			p.motion.Forth(c.mu)
			Publish(out, i, c.mu, c.sigma2, float64(out.NoveltyLocal[i]), float64(out.NoveltyGlobal[i]))
		}
	}
	return out, CheckPlaced(out)
}

// placeObserved completes z. If a learnt point has the same missing-value pattern and is otherwise
// equal, it copies that point's values and returns nil. Otherwise it returns the place of z.
func (l Learnt) placeObserved(ctx context.Context, g Guest, z []float32, seen vec.Matrix[float32]) (*placedObserved, error) {
	for _, j := range nearestObserved(z, seen, l.Neighbors) {
		if l.same(z, seen.Row(int(j)), int(j)) {
			copy(z, seen.Row(int(j)))
			return nil, nil
		}
	}
	mu, sigma2, err := l.Complete(ctx, g, z, seen)
	return &placedObserved{slices.Clone(mu), sigma2}, err
}

// same reports whether z has the missing-value pattern of learnt point j and otherwise the values
// of its completed row.
func (l Learnt) same(z, row []float32, j int) bool {
	for c, v := range z {
		absent := l.Missing != nil && l.Missing(j, c)
		if (v != v) != absent || v == v && v != row[c] {
			return false
		}
	}
	return true
}
