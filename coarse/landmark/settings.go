package landmark

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"unfold/sparse/graph"
)

// Settings are the settings of New. The zero value keeps every pair (level 0).
type Settings struct {
	// Level is the paper's l, the number of coarse-grainings.
	Level int
	// Seed chooses the landmarks.
	Seed uint64
	// Choose replaces the seeded random choice of landmarks.
	Choose func(g Group) []int32
	// Floor is a lower bound of delta^2 and Delta^2, in their own units. Zero means no bound.
	Floor float64
	// Paths, if not nil, are those of a graph whose nodes are the points: distances to landmarks are
	// lengths of paths, and points have no vectors.
	Paths *graph.Paths
	// Threads bounds the goroutines; 0 means GOMAXPROCS.
	Threads int
}

// Group is a block that will be coarse-grained.
type Group struct {
	// Level counts coarse-grainings from 1.
	Level int
	// Landmark is the point that this group belongs to; -1 for the block of all points and the
	// blocks of landmarks that descend from it.
	Landmark int32
	// Landmarks reports that the block consists of landmarks rather than points.
	Landmarks bool
	// Nodes are its points, ascending. Read-only.
	Nodes []int32
	// Want is the number of landmarks to choose.
	Want int
}

// Landmarks returns the number of landmarks of a block of m nodes,
// m^(2/3) / 2^(1/3) rounded to nearest: the minimiser of SM 40.
func Landmarks(m int) int {
	f := float64(m)
	return int(math.Round(math.Cbrt(f * f / 2)))
}

// choose returns the landmarks of g, ascending: those of s.Choose, or Want
// nodes drawn without replacement by a generator seeded with (Seed, g).
func (s *Settings) choose(g Group) []int32 {
	if s.Choose != nil {
		return slices.Sorted(slices.Values(s.Choose(g)))
	}
	kind := uint64(0)
	if g.Landmarks {
		kind = 1
	}
	// The stream number distinguishes the groups of a level; from level 3 on, a
	// group of landmarks and the landmarks of a group may share one.
	stream := (uint64(g.Level)<<1|kind)<<32 | uint64(uint32(g.Landmark))
	r := rand.New(rand.NewPCG(s.Seed, stream))
	pool := slices.Clone(g.Nodes)
	for i := range g.Want {
		j := i + r.IntN(len(pool)-i)
		pool[i], pool[j] = pool[j], pool[i]
	}
	pool = pool[:g.Want]
	slices.SortFunc(pool, cmp.Compare[int32])
	return pool
}
