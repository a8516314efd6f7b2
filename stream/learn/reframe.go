package learn

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/live"
	"unfold/models/projection"
)

// reframe learns the principal components again from the present reference set when a major refresh
// is due, which moves every point anyway. New events may vary in directions outside the first
// components. New components replace the old ones if they preserve clearly more neighbours
// (fit.Spec.Renew). Points keep their places.
func (r *refresher) reframe(ctx context.Context, cur *published) error {
	old := cur.snapshot
	if old.Components.Rows == 0 || r.changed {
		return nil
	}
	ref := r.in.lock()
	n, born := ref.Len(), ref.Unmapped()
	r.in.unlock()
	if r.follow.Due(n, born) != live.Major {
		return nil
	}
	x := r.in.lock().Matrix()
	r.in.unlock()
	spec := r.set.spec()
	before := projection.Of(old)
	project, err := spec.Renew(ctx, x, before)
	if models.IsBadInput(err) {
		return nil // the present components suffice
	}
	if err != nil || project == before {
		return err
	}
	z, err := project.Learn(r.rowVectors(cur), spec.Threads)
	if err != nil || project.Identity() || !distinct(z) {
		return nil
	}
	s := *old
	project.Store(&s)
	s.Reference, s.Index, s.Cells, s.CellRecall = z, nil, nil, 0 // these belong to other rows
	if !r.restore(ctx, s) {
		r.follow = nil // the live map has lost its slots
		if !r.resume(ctx) {
			return errors.Join(ctx.Err(), errors.New("the map cannot be carried on"))
		}
	}
	return nil
}

// rowVectors returns the vectors of the rows of the last published map. They come from the
// reference set or, for points that are no longer there, from the inverse projection.
func (r *refresher) rowVectors(cur *published) vec.Matrix[float32] {
	s := cur.snapshot
	x := vec.New[float32](s.Reference.Rows, s.Dim)
	known := make([]bool, x.Rows)
	ref := r.in.lock()
	for p := range ref.All() {
		if row := ref.Row(p); row >= 0 {
			copy(x.Row(int(row)), ref.Vector(p))
			known[row] = true
		}
	}
	r.in.unlock()
	project := projection.Of(s)
	for row, k := range known {
		if !k {
			project.Undo(x.Row(row), s.Reference.Row(row))
		}
	}
	return x
}

// distinct reports whether no two rows are equal.
func distinct(x vec.Matrix[float32]) bool {
	seen := make(map[string]bool, x.Rows)
	var key []byte
	for i := range x.Rows {
		key = key[:0]
		for _, v := range x.Row(i) {
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v+0))
		}
		if seen[string(key)] {
			return false
		}
		seen[string(key)] = true
	}
	return true
}
