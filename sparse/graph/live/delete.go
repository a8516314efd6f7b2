package live

import (
	"context"
	"fmt"

	"unfold/internal/par"
	"unfold/sparse/knn"
)

// Delete removes points; their slots are given to later ones. All lists that
// named one of them lose it, and those that become too short are searched for
// again in one batch. It passes over all lists once, so many points at a time cost
// little more than one.
//
// If a slot is empty or named twice, or ctx ends, nothing is deleted.
func (g *Graph) Delete(ctx context.Context, slots []int32) error {
	dead := newSet(g.top)
	for _, slot := range slots {
		if !g.Has(slot) {
			return fmt.Errorf("live: delete: no point in slot %d", slot)
		}
		if dead.has(slot) {
			return fmt.Errorf("live: delete: slot %d is named twice", slot)
		}
		dead.add(slot)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("live: delete: %w", err)
	}
	if len(slots) == 0 {
		return nil
	}
	lose, short := g.losers(dead, g.n-len(slots))
	found, err := g.refill(ctx, slots, short)
	if err != nil {
		return fmt.Errorf("live: delete: %w", err)
	}
	g.n -= len(slots)
	changed := dead
	for _, slot := range slots {
		g.live[slot>>6] &^= 1 << (uint(slot) & 63)
		g.lists.clear(slot)
	}
	touched := newSet(g.top)
	for _, slot := range lose {
		if g.lists.drop(slot, dead) < g.lists.k {
			touched.add(slot)
		}
		g.lists.settle(slot, g.n)
	}
	for r, slot := range short {
		touched.add(slot)
		index, dist2 := found.Row(r)
		g.lists.replace(slot, index, dist2, g.n)
	}
	for w, word := range touched {
		changed[w] |= word
	}
	g.trim()
	g.follow(changed)
	return nil
}

// losers returns the slots, ascending, whose lists lose entries to the dead when n
// points stay: those that stay long enough, and those that are too short then.
func (g *Graph) losers(dead set, n int) (lose, short []int32) {
	const size = 4096
	pieces := make([][2][]int32, par.Pieces(g.top, size))
	enough := min(g.lists.least, n-1)
	par.Ranges(g.set.Threads, g.top, size, func(piece, from, to int) {
		for i := int32(from); i < int32(to); i++ {
			lost := g.lists.losses(i, dead)
			if lost == 0 || dead.has(i) {
				continue
			}
			which := 0
			if int(g.lists.count[i])-lost < enough {
				which = 1
			}
			pieces[piece][which] = append(pieces[piece][which], i)
		}
	})
	for _, p := range pieces {
		lose, short = append(lose, p[0]...), append(short, p[1]...)
	}
	return lose, short
}

// refill takes the rows of slots out of the search and returns new lists of the
// short ones. If it fails the rows are there again.
func (g *Graph) refill(ctx context.Context, slots, short []int32) (*knn.Neighbors, error) {
	back := g.copyRows(slots)
	g.rows.Remove(slots)
	if len(short) == 0 {
		return nil, nil
	}
	found, _, err := g.rows.SearchReverse(ctx, short, g.lists.most, nil, knn.Settings{Threads: g.set.Threads})
	if err != nil {
		if again := g.rows.Put(slots, back, g.set.Threads); again != nil {
			return nil, fmt.Errorf("%w; and then: %w", err, again)
		}
		return nil, err
	}
	return found, nil
}
