package lllvm

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/sparse/multifrontal"
)

// Graph is the neighbourhood graph of n points, with the derived matrices that stay constant while
// the model learns.
type Graph struct {
	// Neighbors lists the neighbours of each point in ascending order: eta_ij = 1.
	Neighbors [][]int32

	// tree has the fronts of the precisions and parts the patches in them: a single one of all
	// points, or those of NewPatchedGraph.
	tree  *multifrontal.Tree
	parts []*patch
	// logDet is the sum of log w_j over the non-zero eigenvalues of L.
	logDet float64
	// eigen has the eigenvalues w of L in ascending order; it is computed on first use.
	eigen []float64
	once  sync.Once
}

// ComponentsError reports that a graph is not connected. It has the first point and the size of
// each component.
type ComponentsError struct {
	First []int32
	Size  []int
}

func (e *ComponentsError) Error() string {
	list := ""
	for c := range min(len(e.First), 5) {
		list += fmt.Sprintf(", %d points with point %d", e.Size[c], e.First[c])
	}
	if len(e.First) > 5 {
		list += ", ..."
	}
	return fmt.Sprintf("the neighbourhood graph has %d components (%s): take more neighbours, or join them", len(e.First), list[2:])
}

// NewGraph returns the graph in which i and j are joined if neighbors[i] contains j or neighbors[j]
// contains i. It returns an error if an index is out of range or is the point's own, and a
// *ComponentsError if the graph is not connected.
func NewGraph(neighbors [][]int32, threads int) (*Graph, error) {
	return NewPatchedGraph(neighbors, 0, threads)
}

// NewPatchedGraph is NewGraph for a model in patches of about the given number of points, see the
// package comment. 0, or at least the number of points, means a single patch: the exact model.
func NewPatchedGraph(neighbors [][]int32, points, threads int) (*Graph, error) {
	g := &Graph{Neighbors: make([][]int32, len(neighbors))}
	if err := g.join(neighbors); err != nil {
		return nil, err
	}
	if err := g.connected(); err != nil {
		return nil, err
	}
	if g.tree = multifrontal.Whole(g.Len()); points > 0 && points < g.Len() {
		g.tree = multifrontal.Dissect(g.Neighbors, points)
	}
	return g, g.prepare(threads)
}

// ownedGraph is NewPatchedGraph for a known tree of fronts. owner has the front of every point, and
// parents the next front above each front; the root is its own parent.
func ownedGraph(neighbors [][]int32, owner, parents []uint32, threads int) (*Graph, error) {
	g := &Graph{Neighbors: make([][]int32, len(neighbors))}
	if err := g.join(neighbors); err != nil {
		return nil, err
	}
	if err := g.connected(); err != nil {
		return nil, err
	}
	list := make([]multifrontal.Front, len(parents))
	for f, p := range parents {
		if list[f].Parent = int(p); int(p) == f {
			list[f].Parent = -1
		}
	}
	for i, f := range owner {
		if int(f) >= len(list) {
			return nil, fmt.Errorf("point %d belongs to front %d of %d", i, f, len(list))
		}
		list[f].Own = append(list[f].Own, int32(i))
	}
	var err error
	if g.tree, err = multifrontal.NewTree(list, g.Neighbors); err != nil {
		return nil, err
	}
	return g, g.prepare(threads)
}

// prepare computes the fields that follow from the tree.
func (g *Graph) prepare(threads int) (err error) {
	if g.Len() == 1 {
		return errors.New("a graph of one point has no neighbours")
	}
	if g.parts, err = g.patches(g.tree, threads); err != nil {
		return err
	}
	if g.exact() {
		// |L + 11'/n| is the product of the non-zero eigenvalues of L, because the remaining
		// eigenvalue becomes 1.
		g.logDet = g.parts[0].logDet
		return nil
	}
	// |L + e e'|, where e is 1 at one point, is that product over n (matrix-tree theorem).
	l := g.sparse(1, 0)
	l.AddTo(0, 0, 1)
	if err := l.Factor(threads); err != nil {
		return fmt.Errorf("the Laplacian of the neighbourhood graph: %w", err)
	}
	g.logDet = l.LogDet() + math.Log(float64(g.Len()))
	return nil
}

// exact reports whether there is a single patch, so that the model is exact.
func (g *Graph) exact() bool { return len(g.tree.Fronts) == 1 }

// Patches returns the number of patches and the number of points in the largest.
func (g *Graph) Patches() (count, largest int) {
	for _, p := range g.parts {
		largest = max(largest, p.len())
	}
	return len(g.parts), largest
}

// sparse returns scale L + shift I.
func (g *Graph) sparse(scale, shift float64) *multifrontal.Matrix {
	a := g.tree.NewMatrix(1)
	for _, p := range g.parts {
		f := a.Fronts[p.front]
		p.laplacian(func(i, j int) *float64 { return &f.Row(int(p.at[i]))[p.at[j]] }, scale)
	}
	a.AddDiagonal(shift)
	return a
}

// taskRows is the number of rows of an n x n matrix in one task.
const taskRows = 16

// Len returns the number of points.
func (g *Graph) Len() int { return len(g.Neighbors) }

// join sets Neighbors to the union of the lists in both directions.
func (g *Graph) join(neighbors [][]int32) error {
	n := len(neighbors)
	for i, list := range neighbors {
		for _, j := range list {
			if j < 0 || int(j) >= n || int(j) == i {
				return fmt.Errorf("point %d of %d cannot have the neighbour %d", i, n, j)
			}
			g.Neighbors[i] = append(g.Neighbors[i], j)
			g.Neighbors[j] = append(g.Neighbors[j], int32(i))
		}
	}
	for i, list := range g.Neighbors {
		slices.Sort(list)
		g.Neighbors[i] = slices.Compact(list)
	}
	return nil
}

func (g *Graph) connected() error {
	of := make([]int32, g.Len())
	e := &ComponentsError{}
	for i := range of {
		if of[i] != 0 {
			continue
		}
		label := int32(len(e.First) + 1)
		e.First, e.Size = append(e.First, int32(i)), append(e.Size, 0)
		stack := []int32{int32(i)}
		of[i] = label
		for len(stack) > 0 {
			p := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			e.Size[label-1]++
			for _, j := range g.Neighbors[p] {
				if of[j] == 0 {
					of[j] = label
					stack = append(stack, j)
				}
			}
		}
	}
	switch len(e.First) {
	case 0:
		return errors.New("a graph has to have points")
	case 1:
		return nil
	}
	return e
}

// eigenvalues returns the eigenvalues of L in ascending order; the first is exactly 0.
func (g *Graph) eigenvalues() []float64 {
	g.once.Do(func() {
		l := vec.New[float64](g.Len(), g.Len())
		for i, list := range g.Neighbors {
			l.Row(i)[i] = float64(len(list))
			for _, j := range list {
				l.Row(i)[j] = -1
			}
		}
		var e mat.EigenSym
		if !e.Factorize(mat.NewSymDense(g.Len(), l.Data), false) {
			panic("lllvm: the eigenvalues of a Laplacian did not converge")
		}
		g.eigen = e.Values(nil)
		g.eigen[0] = 0
	})
	return g.eigen
}

// logDetShifted returns log |alpha I + 2 L|.
func (g *Graph) logDetShifted(alpha float64, threads int) (float64, error) {
	a := g.sparse(2, alpha)
	if err := a.Factor(threads); err != nil {
		return 0, fmt.Errorf("the prior precision of x: %w", err)
	}
	return a.LogDet(), nil
}

// traceShifted returns tr (alpha I + 2 L)^-1.
func (g *Graph) traceShifted(alpha float64, threads int) (float64, error) {
	a := g.sparse(2, alpha)
	if err := a.Factor(threads); err != nil {
		return 0, fmt.Errorf("the prior precision of x: %w", err)
	}
	a.Invert(threads)
	return a.Trace(), nil
}
