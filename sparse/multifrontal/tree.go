package multifrontal

import (
	"cmp"
	"fmt"
	"slices"
)

// Front is a set of points of a graph that are eliminated together, with its border.
type Front struct {
	// Own are the points eliminated here. Border are the points of fronts above that are joined to
	// points of this front or of any front below. Neither order has a meaning.
	Own, Border []int32
	// Parent is the next front above, -1 for the root.
	Parent int
}

// Len returns the number of points, own and of the border.
func (f Front) Len() int { return len(f.Own) + len(f.Border) }

// At returns the i-th point of the front, own points first.
func (f Front) At(i int) int32 {
	if i < len(f.Own) {
		return f.Own[i]
	}
	return f.Border[i-len(f.Own)]
}

// Tree has the fronts of a graph of n points; each comes after those below it.
type Tree struct {
	Fronts []Front
	// owner is the front of a point, number its position there; up has the positions of a border's
	// points in the front above.
	owner, number []int32
	up            [][]int32
}

// Len returns the number of points.
func (t *Tree) Len() int { return len(t.owner) }

// Owner returns the front that eliminates point i.
func (t *Tree) Owner(i int) int { return int(t.owner[i]) }

// Whole returns the tree of one front.
func Whole(n int) *Tree {
	own := make([]int32, n)
	for i := range own {
		own[i] = int32(i)
	}
	return &Tree{Fronts: []Front{{Own: own, Parent: -1}}, owner: make([]int32, n), number: own, up: [][]int32{nil}}
}

// Dissect returns the fronts of a graph, given by neighbour lists in both directions. Leaves have
// at most the given number of own points, or more if they cannot be divided.
func Dissect(neighbors [][]int32, most int) *Tree {
	d := &dissection{neighbors: neighbors, most: max(1, most)}
	for _, a := range []*[]int32{&d.set, &d.dist, &d.seen, &d.from, &d.number, &d.with} {
		*a = make([]int32, len(neighbors))
	}
	all := make([]int32, len(neighbors))
	for i := range all {
		all[i] = int32(i)
	}
	if len(all) > 0 {
		d.build(all)
	}
	t := &Tree{Fronts: d.fronts}
	t.finish(neighbors)
	return t
}

// NewTree returns the tree of fronts with the given own points and parents. Every edge must lead
// from a front to itself or to one above.
func NewTree(list []Front, neighbors [][]int32) (*Tree, error) {
	t := &Tree{Fronts: list}
	seen := make([]bool, len(neighbors))
	count := 0
	for f, front := range list {
		if (f == len(list)-1) != (front.Parent == -1) || front.Parent != -1 && (front.Parent <= f || front.Parent >= len(list)) {
			return nil, fmt.Errorf("front %d of %d has %d above it", f, len(list), front.Parent)
		}
		for _, i := range front.Own {
			if i < 0 || int(i) >= len(seen) || seen[i] {
				return nil, fmt.Errorf("front %d has point %d of %d, or it is another's", f, i, len(seen))
			}
			seen[i] = true
			count++
		}
	}
	if count != len(neighbors) {
		return nil, fmt.Errorf("%d of %d points belong to fronts", count, len(neighbors))
	}
	t.finish(neighbors)
	for f, front := range list {
		for k, i := range t.Fronts[f].Border {
			if above := t.Fronts[front.Parent]; int(t.up[f][k]) >= above.Len() || above.At(int(t.up[f][k])) != i {
				return nil, fmt.Errorf("an edge leads from front %d to point %d, which is not above it", f, i)
			}
		}
	}
	return t, nil
}

// finish computes the borders and everything that depends on them.
func (t *Tree) finish(neighbors [][]int32) {
	t.owner, t.number = make([]int32, len(neighbors)), make([]int32, len(neighbors))
	for f := range t.Fronts {
		for k, i := range t.Fronts[f].Own {
			t.owner[i], t.number[i] = int32(f), int32(k)
		}
	}
	seen := make([]int, len(neighbors))
	for f := range t.Fronts {
		front := &t.Fronts[f]
		take := func(points []int32) {
			for _, j := range points {
				if int(t.owner[j]) > f && seen[j] != f+1 {
					seen[j] = f + 1
					front.Border = append(front.Border, j)
				}
			}
		}
		below := front.Border // of the fronts below, with repetitions
		front.Border = nil
		take(below)
		for _, i := range front.Own {
			take(neighbors[i])
		}
		slices.SortFunc(front.Border, func(a, b int32) int {
			return cmp.Or(cmp.Compare(t.owner[a], t.owner[b]), cmp.Compare(a, b))
		})
		if front.Parent >= 0 {
			p := &t.Fronts[front.Parent]
			p.Border = append(p.Border, front.Border...)
		}
	}
	t.link()
}

// link finds the positions of the borders' points in the fronts above.
func (t *Tree) link() {
	t.up = make([][]int32, len(t.Fronts))
	number := make([]int32, len(t.owner))
	for f, front := range t.Fronts {
		if front.Parent < 0 {
			continue
		}
		p := t.Fronts[front.Parent]
		for i := range p.Len() {
			number[p.At(i)] = int32(i)
		}
		for _, j := range front.Border {
			t.up[f] = append(t.up[f], number[j])
		}
	}
}

// Numbers returns the size of the fronts' matrices in numbers, with dims variables for each point,
// and the approximate number of operations of Factor and Invert.
func (t *Tree) Numbers(dims int) (held, operations int64) {
	for _, f := range t.Fronts {
		own, all := int64(len(f.Own)*dims), int64(f.Len()*dims)
		rest := all - own
		held += all * all
		operations += own*own*own + 2*own*own*rest + 3*own*rest*rest
	}
	return held, operations
}
