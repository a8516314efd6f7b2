package hnsw

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// Index is a hierarchical navigable small world graph. Searches may be concurrent; Insert and
// Delete are exclusive.
type Index struct {
	mu  sync.RWMutex
	set Settings
	dim int
	// stride is the distance between consecutive rows in values, rounded to whole cache lines if a
	// row fills several.
	stride int
	rows   []float32
	// level is the highest layer of a row, or twin or vacant if it is not a row of the graph.
	level []uint8
	// base has the links in the bottom layer, 2M slots a row, and kids the number of them that are
	// children; see links.
	base []int32
	kids []uint8
	// tower is the first block of a row, with one block for each layer above the bottom, in upper
	// (M slots a block) and upperKids.
	tower     []int32
	upper     []int32
	upperKids []uint8
	// roots has the root of each layer's tree; searches start at the last.
	roots []int32
	// lastTwin is, for rows with twins, the last of them.
	lastTwin map[int32]int32
	// vacant has the rows that can be reused, and the vacant towers by height; the last one is used
	// first.
	vacant       []int32
	vacantTowers [][]int32
	live         int
	// drawn counts the levels that were drawn.
	drawn uint64
	pool  par.Lender[work]
}

var _ knn.Dynamic = (*Index)(nil)

// Levels that are none.
const (
	levelTwin   = 255
	levelVacant = 254
	mostLevels  = 32
)

// none fills unused slots for links.
const none = -1

// New returns an empty index for rows of a dimension.
func New(dim int, s Settings) (*Index, error) {
	s, err := s.complete()
	if err != nil {
		return nil, err
	}
	if dim < 1 || dim > mostDim {
		return nil, fmt.Errorf("hnsw: rows of dimension %d, want 1 to %d", dim, mostDim)
	}
	return &Index{set: s, dim: dim, stride: strideOf(dim), lastTwin: map[int32]int32{}}, nil
}

const (
	mostDim = 1 << 20
	line    = 16
)

func strideOf(dim int) int {
	if dim < 2*line {
		return dim
	}
	return (dim + line - 1) / line * line
}

// Len returns the number of rows.
func (ix *Index) Len() int {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.live
}

// Dim returns the dimension of the rows.
func (ix *Index) Dim() int { return ix.dim }

// Settings returns the settings with their defaults filled in.
func (ix *Index) Settings() Settings { return ix.set }

// Has reports whether a row with that number exists.
func (ix *Index) Has(row int32) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.has(row)
}

func (ix *Index) has(row int32) bool {
	return row >= 0 && int(row) < len(ix.level) && ix.level[row] != levelVacant
}

// Row returns a copy of a row, or nil if none has that number.
func (ix *Index) Row(row int32) []float32 {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if !ix.has(row) {
		return nil
	}
	return slices.Clone(ix.vector(row))
}

// Holds reports whether no row is vacant and the rows from first on equal those of x.
func (ix *Index) Holds(x vec.Matrix[float32], first int) bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if x.Cols != ix.dim || ix.live != len(ix.level) || first < 0 || x.Rows > ix.live-first {
		return false
	}
	for i := range x.Rows {
		if !slices.Equal(ix.vector(int32(first+i)), x.Row(i)) {
			return false
		}
	}
	return true
}

// Bytes returns the memory of an index of n rows in bytes, without scratch memory; m is Settings.M.
func Bytes(n, dim, m int) int64 {
	if m == 0 {
		m = defaultM
	}
	rows, width := int64(n), int64(m)
	// One row in M has a block above the bottom, one in M of these has another, and so on.
	return rows*(4*int64(strideOf(dim))+1+8*width+1+4) + rows*(4*width+1)/(width-1)
}

// BytesFrom returns the memory, in bytes, that BuildFrom needs for lists of k neighbours besides
// the index of n rows: those lists, and the order of rows.
func BytesFrom(n, k int) int64 { return int64(n) * 4 * int64(k+1) }

// Bytes returns the memory of the index in bytes, scratch memory included.
func (ix *Index) Bytes() int64 {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	b := 4*cap(ix.rows) + cap(ix.level) + 4*cap(ix.base) + cap(ix.kids) + 4*cap(ix.tower) +
		4*cap(ix.upper) + cap(ix.upperKids) + 4*cap(ix.roots) + 4*cap(ix.vacant) + 16*len(ix.lastTwin)
	for _, t := range ix.vacantTowers {
		b += 4 * cap(t)
	}
	return int64(b) + ix.pool.Sum((*work).bytes)
}

func (ix *Index) vector(row int32) []float32 {
	at := int(row) * ix.stride
	return ix.rows[at : at+ix.dim : at+ix.dim]
}

// width returns the number of slots for links of a row in a layer.
func (ix *Index) width(layer int) int {
	if layer == 0 {
		return 2 * ix.set.M
	}
	return ix.set.M
}

// block returns the block of upper with a row's links in a layer above the bottom.
func (ix *Index) block(layer int, row int32) int { return int(ix.tower[row]) + layer - 1 }

// links returns all slots for links of a row in a layer:
//
//	[parent] children... others... none...
//
// The root of the layer's tree has no parent.
func (ix *Index) links(layer int, row int32) []int32 {
	if layer == 0 {
		w := 2 * ix.set.M
		at := int(row) * w
		return ix.base[at : at+w : at+w]
	}
	w := ix.set.M
	at := ix.block(layer, row) * w
	return ix.upper[at : at+w : at+w]
}

// children returns a pointer to the number of a row's children in a layer.
func (ix *Index) children(layer int, row int32) *uint8 {
	if layer == 0 {
		return &ix.kids[row]
	}
	return &ix.upperKids[ix.block(layer, row)]
}

// grow allocates n more rows, vacant at first, and returns their numbers. Numbers that were used
// before come first.
func (ix *Index) grow(n int) ([]int32, error) {
	fresh := max(0, n-len(ix.vacant))
	had := len(ix.level)
	if had+fresh > math.MaxInt32-1 {
		return nil, fmt.Errorf("hnsw: %d rows, at most %d can be numbered", had+fresh, math.MaxInt32-1)
	}
	rows := make([]int32, 0, n)
	for range n - fresh {
		last := len(ix.vacant) - 1
		rows = append(rows, ix.vacant[last])
		ix.vacant = ix.vacant[:last]
	}
	for i := range fresh {
		rows = append(rows, int32(had+i))
	}
	ix.rows = extend(ix.rows, fresh*ix.stride, 0)
	ix.level = extend(ix.level, fresh, levelVacant)
	ix.base = extend(ix.base, fresh*ix.width(0), none)
	ix.kids = extend(ix.kids, fresh, 0)
	ix.tower = extend(ix.tower, fresh, none)
	return rows, nil
}

// extend appends n copies of v. Capacity grows by at least a quarter, so that many small extensions
// are cheap.
func extend[T any](s []T, n int, v T) []T {
	if need := len(s) + n; need > cap(s) {
		s = append(make([]T, 0, max(need, len(s)+len(s)/4)), s...)
	}
	had := len(s)
	s = s[:had+n]
	for i := range s[had:] {
		s[had+i] = v
	}
	return s
}

// checkValues returns a *knn.ValueError for the first value that is not finite.
func checkValues(data []float32, cols int) error {
	for p, v := range data {
		if v-v != 0 {
			return &knn.ValueError{Row: p / cols, Col: p % cols, Value: float64(v)}
		}
	}
	return nil
}
