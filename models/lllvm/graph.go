package lllvm

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"unfold/sparse/vec"
	"unfold/sparse/vec/spd"
)

// Graph is the neighbourhood graph of n points with what the model needs of it
// and no step of learning changes.
type Graph struct {
	// Neighbors lists the points joined to each, ascending: eta_ij = 1.
	Neighbors [][]int32

	// whole is the graph with the inverse P = (L + 11'/n)^-1 = L^+ + 11'/n. The model
	// sees differences of its rows and columns only, so that the constant does not
	// matter.
	whole *part
	// logDet is the sum of log w_j over the eigenvalues of L but the first.
	logDet float64
	// eigen are the eigenvalues w of L, ascending, once they are asked for.
	eigen []float64
	once  sync.Once
}

// ComponentsError says that a graph is not connected: a point of each component
// and how many it has.
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

// NewGraph returns the graph in which i and j are joined if neighbors[i] names j
// or neighbors[j] names i. It fails if a number is out of range or names its own
// point, and with a *ComponentsError if the graph is not connected.
func NewGraph(neighbors [][]int32, threads int) (*Graph, error) {
	g := &Graph{Neighbors: make([][]int32, len(neighbors))}
	if err := g.join(neighbors); err != nil {
		return nil, err
	}
	if err := g.connected(); err != nil {
		return nil, err
	}
	n := g.Len()
	g.whole = newPart(g.Neighbors)
	inverse := vec.New[float64](n, n)
	g.laplacian(inverse, 1)
	for i := range inverse.Data {
		inverse.Data[i] += 1 / float64(n)
	}
	if err := spd.Factor(inverse, threads); err != nil {
		return nil, fmt.Errorf("the Laplacian of the neighbourhood graph: %w", err)
	}
	// |L + 11'/n| is the product of the other eigenvalues and 1.
	g.logDet = spd.LogDet(inverse)
	spd.Invert(inverse, threads)
	g.whole.inverse = inverse
	return g, nil
}

// part is a graph with weighted edges, and a symmetric inverse of its Laplacian on
// vectors without a constant in any of its components.
type part struct {
	lists   [][]int32
	weights [][]float64
	degree  []float64 // sums of weights
	inverse vec.Matrix[float64]
}

func (g *part) len() int { return len(g.lists) }

// newPart returns the graph of all edges with weight 1, without the inverse.
func newPart(neighbors [][]int32) *part {
	most := 0
	for _, list := range neighbors {
		most = max(most, len(list))
	}
	ones := make([]float64, most)
	for t := range ones {
		ones[t] = 1
	}
	g := &part{lists: neighbors}
	for _, list := range neighbors {
		g.weights = append(g.weights, ones[:len(list)])
		g.degree = append(g.degree, float64(len(list)))
	}
	return g
}

// taskRows is how many rows of an n x n matrix make a task.
const taskRows = 16

// Len returns the number of points.
func (g *Graph) Len() int { return len(g.Neighbors) }

// join fills Neighbors with the lists in both directions.
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

// laplacian adds scale L to a.
func (g *Graph) laplacian(a vec.Matrix[float64], scale float64) {
	for i, list := range g.Neighbors {
		row := a.Row(i)
		row[i] += scale * float64(len(list))
		for _, j := range list {
			row[j] -= scale
		}
	}
}

// eigenvalues returns those of L, ascending, the first exactly 0.
func (g *Graph) eigenvalues() []float64 {
	g.once.Do(func() {
		l := vec.New[float64](g.Len(), g.Len())
		g.laplacian(l, 1)
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
	a := vec.New[float64](g.Len(), g.Len())
	g.laplacian(a, 2)
	for i := range g.Len() {
		a.Row(i)[i] += alpha
	}
	if err := spd.Factor(a, threads); err != nil {
		return 0, fmt.Errorf("the prior precision of x: %w", err)
	}
	return spd.LogDet(a), nil
}
