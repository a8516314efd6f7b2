package hnsw

import (
	"fmt"
	"slices"
)

// verify checks all invariants of the index:
//
//   - a layer's members are in the layers below;
//   - a list has other members of the layer, each once, followed by unused slots;
//   - the trees: every member but the root is the child of exactly one other, which lists it as a
//     child, and all are reachable from the root;
//   - twins form ordered chains that begin at a row of the graph;
//   - vacant rows and towers are used nowhere else, and none are lost.
func (ix *Index) verify() error {
	if err := ix.verifyRows(); err != nil {
		return err
	}
	if err := ix.verifyTowers(); err != nil {
		return err
	}
	for layer := range ix.roots {
		if err := ix.verifyLayer(layer); err != nil {
			return fmt.Errorf("layer %d: %w", layer, err)
		}
	}
	return ix.verifyTwins()
}

func (ix *Index) isMember(layer int, row int32) bool {
	return row >= 0 && int(row) < len(ix.level) && int(ix.level[row]) >= layer && ix.level[row] < mostLevels
}

// verifyRows checks the number of rows and the list of the vacant ones.
func (ix *Index) verifyRows() error {
	live, highest := 0, -1
	for r, l := range ix.level {
		switch {
		case l < mostLevels:
			highest = max(highest, int(l))
		case l != levelTwin && l != levelVacant:
			return fmt.Errorf("row %d has level %d", r, l)
		}
		if l != levelVacant {
			live++
		}
	}
	if highest != len(ix.roots)-1 {
		return fmt.Errorf("%d layers for rows of level up to %d", len(ix.roots), highest)
	}
	if live != ix.live || len(ix.vacant) != len(ix.level)-live {
		return fmt.Errorf("%d rows and %d vacant ones, want %d and %d", ix.live, len(ix.vacant), live, len(ix.level)-live)
	}
	sorted := slices.Clone(ix.vacant)
	slices.Sort(sorted)
	for i, r := range sorted {
		if r < 0 || int(r) >= len(ix.level) || ix.level[r] != levelVacant || (i > 0 && r == sorted[i-1]) {
			return fmt.Errorf("row %d is not vacant, or twice", r)
		}
	}
	return nil
}

// verifyTowers checks that every block of upper belongs to one tower.
func (ix *Index) verifyTowers() error {
	owned := make([]bool, len(ix.upperKids))
	take := func(at int32, height int) error {
		if at < 0 || int(at)+height > len(owned) {
			return fmt.Errorf("a tower of %d blocks at %d of %d", height, at, len(owned))
		}
		for b := range height {
			if owned[int(at)+b] {
				return fmt.Errorf("block %d belongs to two towers", int(at)+b)
			}
			owned[int(at)+b] = true
		}
		return nil
	}
	for r, at := range ix.tower {
		if l := int(ix.level[r]); l > 0 && l < mostLevels {
			if err := take(at, l); err != nil {
				return err
			}
		} else if at != none {
			return fmt.Errorf("row %d has a tower", r)
		}
	}
	for height, towers := range ix.vacantTowers {
		for _, at := range towers {
			if err := take(at, height); err != nil {
				return err
			}
		}
	}
	if b := slices.Index(owned, false); b >= 0 {
		return fmt.Errorf("block %d belongs to no tower", b)
	}
	return nil
}

// verifyLayer checks a layer's lists and its tree.
func (ix *Index) verifyLayer(layer int) error {
	root, members := ix.roots[layer], 0
	if !ix.isMember(layer, root) {
		return fmt.Errorf("root %d is no member", root)
	}
	for r := range ix.level {
		if ix.isMember(layer, int32(r)) {
			members++
			if err := ix.verifyList(layer, int32(r)); err != nil {
				return fmt.Errorf("row %d: %w", r, err)
			}
		}
	}
	reached := []int32{root}
	for at := 0; at < len(reached); at++ {
		for _, c := range ix.kin(layer, reached[at]) {
			// Since each row has one parent, no row is reached twice.
			if c == root || ix.links(layer, c)[0] != reached[at] {
				return fmt.Errorf("row %d is a child of %d but does not know", c, reached[at])
			}
			reached = append(reached, c)
		}
	}
	if len(reached) != members {
		return fmt.Errorf("%d of %d rows are reached from the root", len(reached), members)
	}
	return nil
}

func (ix *Index) verifyList(layer int, row int32) error {
	list := ix.links(layer, row)
	fixed, end := ix.fixed(layer, row), used(list)
	if int(*ix.children(layer, row)) > ix.mostChildren(layer) || fixed > end {
		return fmt.Errorf("%d links of the tree among %d", fixed, end)
	}
	for i, r := range list[:end] {
		if !ix.isMember(layer, r) || r == row || slices.Contains(list[:i], r) {
			return fmt.Errorf("link %d leads to %d, no member, itself or twice", i, r)
		}
	}
	return nil
}

// verifyTwins checks the chains.
func (ix *Index) verifyTwins() error {
	chained := 0
	for first, last := range ix.lastTwin {
		if !ix.isMember(0, first) || ix.level[last] != levelTwin {
			return fmt.Errorf("row %d is the last twin of %d", last, first)
		}
		chain := ix.twins(first, len(ix.level), nil)
		if !slices.IsSorted(chain) || chain[len(chain)-1] != last {
			return fmt.Errorf("the twins of row %d are %v", first, chain)
		}
		for _, t := range chain {
			if ix.level[t] != levelTwin || ix.links(0, t)[placeFirst] != first || !slices.Equal(ix.vector(t), ix.vector(first)) {
				return fmt.Errorf("row %d is no twin of %d", t, first)
			}
		}
		chained += len(chain)
	}
	for _, l := range ix.level {
		if l == levelTwin {
			chained--
		}
	}
	if chained != 0 {
		return fmt.Errorf("%d more twins in chains than there are", chained)
	}
	return nil
}
