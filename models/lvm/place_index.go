package lvm

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"unfold/models/snapshot"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
	"unfold/sparse/knn/hnsw"
	"unfold/sparse/vec"
)

// Reach is how many neighbours are looked for to place an event that sends so many
// edges on a map of n reference points: the most that anything uses and one more, in
// case the event is a reference point.
func Reach(tails Tails, neighbors, noveltyK, n int) int {
	most := receiveRange
	if tails == Student {
		most = max(heavyRange, lleNeighbors(neighbors))
	}
	return min(n, max(neighbors, most, noveltyK)+1)
}

// NewIndex returns the index that events should be placed by, for Snapshot.Index:
// nil if there are so few reference points, or so much recall is wanted, that they
// are searched exactly. It is a function of the reference points and the settings.
func NewIndex(ctx context.Context, s *snapshot.Snapshot, set auto.Settings, threads int) (*hnsw.Index, error) {
	k := Reach(TailsOf(s), s.Neighbors, s.NoveltyK, s.Reference.Rows)
	if err := checkSearch(set); err != nil {
		return nil, err
	}
	if set.Index(s.Reference.Rows, s.Reference.Cols, k) != auto.HNSW {
		return nil, nil
	}
	return auto.Build(ctx, s.Reference, k, set, knn.Settings{Threads: threads})
}

// open chooses the index.
func (p *Placer) open() error {
	set, s := p.set.Search, p.snap
	if err := checkSearch(set); err != nil {
		return err
	}
	switch {
	case set.Recall == 1 || set.Method == auto.Exact || s.Index == nil && set.Method != auto.HNSW:
		p.index = knn.NewExact(s.Reference)
		return nil
	case s.Index != nil:
		p.index = auto.Tuned(s.Index, p.search, set)
	default:
		ix, err := auto.Build(context.Background(), s.Reference, p.search, set, knn.Settings{Threads: p.set.Threads})
		if err != nil {
			return fmt.Errorf("lvm: placing: %w", err)
		}
		p.index = ix
	}
	p.equal = newEquals(s.Reference)
	return nil
}

// equals finds the reference point that equals an event. An approximate search can
// miss it, and then the event would not have the place of that point.
type equals struct {
	slots []int32 // by hash, row+1 or 0
	shift int
}

// newEquals makes the table of the rows of x.
func newEquals(x vec.Matrix[float32]) *equals {
	log := bits.Len(uint(2 * x.Rows))
	e := &equals{slots: make([]int32, 1<<log), shift: 64 - log}
	for i := range x.Rows {
		at := e.hash(x.Row(i))
		for e.slots[at] != 0 {
			at = (at + 1) % len(e.slots)
		}
		e.slots[at] = int32(i) + 1
	}
	return e
}

// hash returns the slot of a row; 0 and -0 are the same.
func (e *equals) hash(row []float32) int {
	h := uint64(len(row))
	for _, v := range row {
		h = (h ^ uint64(math.Float32bits(v+0))) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return int(h * 0x9e3779b97f4a7c15 >> e.shift)
}

// first puts the row of x that equals z to the front of its neighbours, if there is
// one that is not there.
func (e *equals) first(x vec.Matrix[float32], z []float32, index []int32, dist2 []float64) {
	if e == nil || dist2[0] == 0 {
		return
	}
	for at := e.hash(z); e.slots[at] != 0; at = (at + 1) % len(e.slots) {
		if row := e.slots[at] - 1; vec.SquaredDistance(z, x.Row(int(row))) == 0 {
			copy(index[1:], index)
			copy(dist2[1:], dist2)
			index[0], dist2[0] = row, 0
			return
		}
	}
}
