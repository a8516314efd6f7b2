package live

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
	"unfold/sparse/knn/auto"
)

// StartAt returns the start places of new points for Change. mu are the places where a placer of s
// put them. If s does not search exactly, the result has no rows and Change places the points
// itself.
func StartAt(s *snapshot.Snapshot, mu vec.Matrix[float32]) vec.Matrix[float64] {
	if s.Approximate() {
		return vec.Matrix[float64]{}
	}
	return vec.Convert[float64](mu)
}

// Change removes one row for each slot of remove and inserts the rows of insert (n x dim). It
// returns the slots of the inserted rows. Equal rows share a slot. A point disappears with its last
// row.
//
// at (n x dims) are the start places of new points. If it has no rows, Change places them on the
// map with an exact search. An approximate index misses some neighbours, and a point with a bad
// start place does not recover (see the package comment).
//
// The snapshot's places do not change until Refresh. On an error, nothing has changed. Errors are a
// slot without a row, a value that is not finite, or the end of ctx.
func (m *Map) Change(ctx context.Context, remove []int32, insert vec.Matrix[float32], at vec.Matrix[float64]) ([]int32, error) {
	if err := m.checkChange(insert, at); err != nil {
		return nil, err
	}
	p, err := m.plan(remove, insert)
	if err != nil {
		return nil, err
	}
	if at.Rows == 0 && len(p.fresh) > 0 {
		placed, err := m.placed(ctx, vec.Take(insert, p.fresh))
		if err != nil {
			return nil, err
		}
		at = placed
	} else {
		at = vec.Take(at, p.fresh)
	}
	for i := range p.gone { // the change of the lists deletes these rows
		p.rows = append(p.rows, append([]float32(nil), m.lists.Row(p.gone[i])...))
	}
	slots, err := m.lists.change(ctx, p.gone, vec.Take(insert, p.fresh))
	if err != nil {
		return nil, err
	}
	// The lists have changed, so the landmarks must follow even if ctx ends.
	if err := m.marks.change(context.WithoutCancel(ctx), p.gone, slots, vec.Take(insert, p.fresh)); err != nil {
		m.marks = nil // the next refresh selects new landmarks
	}
	return m.commit(p, insert, at, slots), nil
}

func (m *Map) checkChange(insert vec.Matrix[float32], at vec.Matrix[float64]) error {
	if insert.Rows > 0 && insert.Cols != m.dim {
		return models.BadInputf("live: rows of %d values for a map of rows of %d", insert.Cols, m.dim)
	}
	if err := models.CheckRows(insert, nil); err != nil {
		return err
	}
	if err := distance.Check(m.set.LVM.Distance, insert); err != nil {
		return models.BadInputf("live: %w", err)
	}
	if at.Rows == 0 {
		return nil
	}
	if at.Rows != insert.Rows || at.Cols != m.dims {
		return fmt.Errorf("live: %d places in %d dimensions for %d rows on a map of %d dimensions", at.Rows, at.Cols, insert.Rows, m.dims)
	}
	if i := beyond(at); i >= 0 {
		return models.BadInputf("live: row %d has the place %v, which is none", i, at.Row(i))
	}
	return nil
}

// beyond returns the first row with a value that is not finite in single precision, or -1 if there
// is none.
func beyond(mu vec.Matrix[float64]) int {
	for i := range mu.Rows {
		for _, v := range mu.Row(i) {
			if r := float64(float32(v)); math.IsNaN(r) || math.IsInf(r, 0) {
				return i
			}
		}
	}
	return -1
}

// plan lists the effects of a change.
type plan struct {
	counts map[int32]uint32 // new counts of points that stay, where they change
	gone   []int32          // slots that become free, ascending
	rows   [][]float32      // the rows in these slots
	fresh  []int32          // rows that become new points
	slot   []int32          // per row: the slot, or -1 - its index in fresh
}

// plan determines the effects of a change without changing the map.
func (m *Map) plan(remove []int32, insert vec.Matrix[float32]) (*plan, error) {
	p := &plan{counts: map[int32]uint32{}, slot: make([]int32, insert.Rows)}
	left := func(s int32) uint32 {
		if c, changed := p.counts[s]; changed {
			return c
		}
		return m.count[s]
	}
	for _, s := range remove {
		if s < 0 || int(s) >= len(m.count) || left(s) == 0 {
			return nil, errSlot(s)
		}
		p.counts[s] = left(s) - 1
	}
	among := newEquals()
	for i := range insert.Rows {
		row := insert.Row(i)
		if s := m.equal.find(row, m.lists.Row); s >= 0 {
			p.slot[i], p.counts[s] = s, left(s)+1
			continue
		}
		f := among.find(row, func(f int32) []float32 { return insert.Row(int(p.fresh[f])) })
		if f < 0 {
			f = int32(len(p.fresh))
			p.fresh = append(p.fresh, int32(i))
			among.add(row, f)
		}
		p.slot[i] = -1 - f
	}
	for s := range m.count {
		if c, changed := p.counts[int32(s)]; changed && c == 0 {
			p.gone = append(p.gone, int32(s))
		}
	}
	return p, nil
}

// commit applies the plan after the lists have changed.
func (m *Map) commit(p *plan, insert vec.Matrix[float32], at vec.Matrix[float64], slots []int32) []int32 {
	sigma2 := m.usual()
	for s, c := range p.counts {
		m.count[s] = c
	}
	for i, s := range p.gone {
		m.equal.remove(p.rows[i], s)
		if m.age[s] == newborn {
			m.born--
		} else {
			m.gone++
		}
	}
	for f, s := range slots {
		m.reserve(s)
		m.equal.add(insert.Row(int(p.fresh[f])), s)
		copy(m.place(s), at.Row(f))
		m.sigma2[s], m.count[s], m.age[s], m.label[s] = sigma2, 0, newborn, ""
		m.born++
	}
	out := make([]int32, insert.Rows)
	for i, s := range p.slot {
		if out[i] = s; s < 0 {
			out[i] = slots[-1-s]
			m.count[out[i]]++
		}
	}
	return out
}

// usual returns the variance of new points: the mean variance of the last refresh. If all are
// equal, it is exactly their value.
func (m *Map) usual() float64 {
	all := m.snap.Sigma2
	var sum float64
	same := true
	for _, v := range all {
		sum += v
		same = same && v == all[0]
	}
	if same {
		return all[0]
	}
	return sum / float64(len(all))
}

// placed returns the places of rows on the map of the last refresh. Their neighbours are searched
// exactly.
func (m *Map) placed(ctx context.Context, x vec.Matrix[float32]) (vec.Matrix[float64], error) {
	if m.placer == nil {
		p, err := lvm.NewPlacer(m.snap, placing.Options{Threads: m.set.LVM.Threads, Search: auto.Settings{Method: auto.Exact}})
		if err != nil {
			return vec.Matrix[float64]{}, err
		}
		m.placer = p
	}
	placed, err := m.placer.Place(ctx, x)
	if err != nil {
		return vec.Matrix[float64]{}, err
	}
	return vec.Convert[float64](placed.Mu), nil
}
