package learn

import (
	"context"
	"encoding/binary"
	"errors"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/projection"
)

// reframe learns the principal components anew, from the reference set as it is now,
// where a major refresh is due and begins an epoch anyway: what has come into the stream
// may vary in directions that the first components do not see. Points keep their places.
func (l *Learner) reframe(ctx context.Context, cur *published) error {
	old := cur.snapshot
	if old.Components.Rows == 0 || l.changed {
		return nil
	}
	l.mu.Lock()
	n := l.ref.Len()
	l.mu.Unlock()
	if l.follow.Due(n) != live.Major {
		return nil
	}
	l.mu.Lock()
	x := l.ref.Matrix()
	l.mu.Unlock()
	spec := l.set.spec()
	project, err := fit.Projection(ctx, x, spec)
	if models.IsBadInput(err) {
		return nil // the components that there are will do
	}
	if err != nil {
		return err
	}
	z, err := project.Learn(l.rowVectors(cur), spec.LVM.Threads)
	if err != nil || project.Identity() || !distinct(z) {
		return nil
	}
	s := *old
	project.Store(&s)
	s.Reference, s.Index = z, nil // that is of other rows
	if !l.restore(ctx, s) {
		l.follow = nil // what was carried on has lost its slots
		if !l.resume(ctx) {
			return errors.Join(ctx.Err(), errors.New("the map cannot be carried on"))
		}
	}
	return nil
}

// rowVectors returns the vectors of the rows of the map that was published last: the
// reference set's, or what the projection has kept of those that are not there any more.
func (l *Learner) rowVectors(cur *published) vec.Matrix[float32] {
	s := cur.snapshot
	x := vec.New[float32](s.Reference.Rows, s.Dim)
	known := make([]bool, x.Rows)
	l.mu.Lock()
	for p := range l.ref.All() {
		if r := l.ref.Row(p); r >= 0 {
			copy(x.Row(int(r)), l.ref.Vector(p))
			known[r] = true
		}
	}
	l.mu.Unlock()
	project := projection.Of(s)
	for r, k := range known {
		if !k {
			project.Undo(x.Row(r), s.Reference.Row(r))
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
