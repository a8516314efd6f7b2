package identity

import (
	"context"
	"fmt"
	"slices"

	"unfold/internal/vec"
	"unfold/models/clusters"
)

// Tree keeps the clusters of the rows from which maps are learnt while rows are added and removed
// from map to map. They equal the result of clusters.Find for the same rows. Use NewTree to make
// one. A Tree is not safe for concurrent use.
type Tree struct {
	set  clusters.Settings
	live *clusters.Live // nil before the first map
	dim  int
	// slots are the slots of the copies of each row of the last map.
	slots [][]int32
}

// NewTree returns a Tree without rows. The error is a *models.SettingError.
func NewTree(set clusters.Settings) (*Tree, error) {
	set, err := set.Filled()
	if err != nil {
		return nil, err
	}
	return &Tree{set: set}, nil
}

// Len returns the number of rows, including copies.
func (t *Tree) Len() int {
	if t.live == nil {
		return 0
	}
	return t.live.Len()
}

// Bytes returns the memory in use in bytes.
func (t *Tree) Bytes() int64 {
	if t.live == nil {
		return 0
	}
	return t.live.Bytes() + int64(28*len(t.slots)+4*t.Len())
}

// TreeBytes estimates the peak memory of a tree of n points of dim values in bytes, in addition to
// Bytes: for the points with their lists, and for the copies from which clusters are computed.
func TreeBytes(n, dim int, set clusters.Settings) int64 {
	return int64(n) * int64(clusters.RowBytes(dim, set)+1024+12*dim)
}

// Follow updates the clusters to the rows x (n x dim) of a map. copies is the number of copies of
// each row, at least one. Row i was row stayed[i] of the last map, or negative. Only the
// differences are applied.
//
// It returns the clusters, and the row of each of their points. The copies of a row are consecutive
// and in the same cluster. The errors are those of clusters.Live. After an error, the next call
// applies the remaining differences.
func (t *Tree) Follow(ctx context.Context, x vec.Matrix[float32], copies []uint32, stayed []int32) (c *clusters.Clusters, row []int32, err error) {
	if t.live == nil || t.dim != x.Cols { // the projection has changed
		if t.live, err = clusters.NewLive(x.Cols, t.set); err != nil {
			return nil, nil, err
		}
		t.dim, t.slots = x.Cols, nil
	}
	next, gone, fresh := t.plan(x, copies, stayed)
	if err := t.live.Delete(ctx, gone); err != nil {
		return nil, nil, fmt.Errorf("clusters of rows: %w", err)
	}
	t.slots = slices.DeleteFunc(slices.Clone(next), func(s []int32) bool { return len(s) == 0 }) // the present rows, even if the insertion fails
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

// plan determines the slots that rows keep, the slots to delete, and the rows to insert, once for
// each copy. A row keeps the slots of its previous row if that has the same values.
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
