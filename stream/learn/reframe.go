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

// reframe looks at the principal components again, with the reference set as it is now,
// where a major refresh is due and moves every point anyway: what has come into the stream
// may vary in directions that the first components do not see. New ones replace them if
// these keep clearly more of the neighbours (fit.Spec.Renew). Points keep their places.
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
		return nil // the components that there are will do
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
	s.Reference, s.Index, s.Cells, s.CellRecall = z, nil, nil, 0 // these are of other rows
	if !r.restore(ctx, s) {
		r.follow = nil // what was carried on has lost its slots
		if !r.resume(ctx) {
			return errors.Join(ctx.Err(), errors.New("the map cannot be carried on"))
		}
	}
	return nil
}

// rowVectors returns the vectors of the rows of the map that was published last: the
// reference set's, or what the projection has kept of those that are not there any more.
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
