package score

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Partition measures the agreement of groups of points with their classes.
type Partition struct {
	// Rand is the adjusted Rand index: 1 for identical groups, 0 on average for random ones.
	// Information is the mutual information divided by the mean of both entropies, 0 to 1.
	Rand, Information float64
	// Points have a class.
	Points int
}

// Partitions compares groups with classes of the same points. A negative group, as of points in no
// cluster, counts as a group of its own. Points of class Missing are ignored.
func Partitions(group, class []int32) (*Partition, error) {
	if len(group) != len(class) {
		return nil, fmt.Errorf("score: %d groups and %d classes", len(group), len(class))
	}
	both, groups, classes := map[[2]int32]int{}, map[[2]int32]int{}, map[[2]int32]int{}
	n := 0
	for i, c := range class {
		if c == Missing {
			continue
		}
		n++
		both[[2]int32{group[i], c}]++
		groups[[2]int32{group[i]}]++
		classes[[2]int32{c}]++
	}
	if n < 2 {
		return nil, fmt.Errorf("score: groups are compared with classes by at least 2 points that have one; %d do", n)
	}
	p := &Partition{Rand: 1, Information: 1, Points: n}
	together, g, c := pairs(both), pairs(groups), pairs(classes)
	expected := g * c / (float64(n) * float64(n-1) / 2)
	if most := (g + c) / 2; most != expected {
		p.Rand = (together - expected) / (most - expected)
	}
	hg, hc := entropy(groups, n), entropy(classes, n)
	if hg+hc > 0 {
		p.Information = max(0, hg+hc-entropy(both, n)) / ((hg + hc) / 2)
	}
	return p, nil
}

// pairs counts the pairs of points in the same cell.
func pairs(cells map[[2]int32]int) (sum float64) {
	for _, n := range cells {
		sum += float64(n) * float64(n-1) / 2 // whole numbers: their order does not matter
	}
	return sum
}

// entropy returns the entropy of a partition of n points, in nats.
func entropy(cells map[[2]int32]int, n int) (h float64) {
	order := slices.SortedFunc(maps.Keys(cells), func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	for _, cell := range order {
		p := float64(cells[cell]) / float64(n)
		h -= p * math.Log(p)
	}
	return h
}
