package identity

import (
	"context"
	"fmt"
	"slices"

	"unfold/internal/vec"
	"unfold/models/clusters"
)

// Tree keeps the clusters of the rows that maps are learnt from, while rows come and go from
// map to map. They are those that clusters.Find finds of the same rows. The zero value is not
// usable; see NewTree. It is not safe for concurrent use.
type Tree struct {
	set  clusters.Settings
	live *clusters.Live // nil before the first map
	dim  int
	// slots are where the copies of each row of the last map are.
	slots [][]int32
}

// NewTree returns one that holds no rows yet. The error is a *models.SettingError.
func NewTree(set clusters.Settings) (*Tree, error) {
	set, err := set.Filled()
	if err != nil {
		return nil, err
	}
	return &Tree{set: set}, nil
}

// Len is the number of rows that are held, copies included.
func (t *Tree) Len() int {
	if t.live == nil {
		return 0
	}
	return t.live.Len()
}

// Bytes returns how much memory is held.
func (t *Tree) Bytes() int64 {
	if t.live == nil {
		return 0
	}
	return t.live.Bytes() + int64(28*len(t.slots)+4*t.Len())
}

// TreeBytes is about what a tree of n points of dim values holds at its most, beside what Bytes
// says: the points with their lists, and the copies that clusters are made of.
func TreeBytes(n, dim int, set clusters.Settings) int64 {
	return int64(n) * int64(clusters.RowBytes(dim, set)+1024+12*dim)
}

// Follow takes the rows x (n x dim) of a map, of each so many copies, at least one: row i was
// row stayed[i] of the map that was taken last, or negative. Only what differs from there is
// changed. It returns the clusters, and of which row each of their points is; copies
// of a row are next to each other, and in the same cluster. The errors are those of
// clusters.Live; after one of them Follow takes up the rest.
func (t *Tree) Follow(ctx context.Context, x vec.Matrix[float32], copies []uint32, stayed []int32) (c *clusters.Clusters, row []int32, err error) {
	if t.live == nil || t.dim != x.Cols { // another projection
		if t.live, err = clusters.NewLive(x.Cols, t.set); err != nil {
			return nil, nil, err
		}
		t.dim, t.slots = x.Cols, nil
	}
	next, gone, fresh := t.plan(x, copies, stayed)
	if err := t.live.Delete(ctx, gone); err != nil {
		return nil, nil, fmt.Errorf("clusters of rows: %w", err)
	}
	t.slots = slices.DeleteFunc(slices.Clone(next), func(s []int32) bool { return len(s) == 0 }) // what is held, whatever comes
	into, err := t.live.Insert(ctx, vec.Take(x, fresh))
	if err != nil {
		return nil, nil, fmt.Errorf("clusters of rows: %w", err)
	}
	for k, i := range fresh {
		next[i] = append(next[i], into[k])
	}
	t.slots = next
	order := make([]int32, 0, t.live.Len())
	for i, s := range next {
		for range s {
			row = append(row, int32(i))
		}
		order = append(order, s...)
	}
	c, err = t.live.ClustersOf(order)
	return c, row, err
}

// plan says which slots rows keep, which of the others have to go, and which rows come, once
// for each copy. A row keeps those of the row that it was if that has the same values.
func (t *Tree) plan(x vec.Matrix[float32], copies []uint32, stayed []int32) (next [][]int32, gone, fresh []int32) {
	taken := make([]bool, len(t.slots))
	next = make([][]int32, x.Rows)
	for i := range next {
		want := max(1, int(copies[i]))
		if was := stayed[i]; was >= 0 && int(was) < len(taken) && !taken[was] && slices.Equal(t.live.Row(t.slots[was][0]), x.Row(i)) {
			taken[was] = true
			have := t.slots[was]
			next[i] = slices.Clone(have[:min(want, len(have))])
			gone = append(gone, have[len(next[i]):]...)
		}
		for range want - len(next[i]) {
			fresh = append(fresh, int32(i))
		}
	}
	for was, kept := range taken {
		if !kept {
			gone = append(gone, t.slots[was]...)
		}
	}
	slices.Sort(gone)
	return next, gone, fresh
}
