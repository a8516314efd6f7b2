package lllvm

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"unfold/sparse/par"
	"unfold/sparse/vec"
	"unfold/sparse/vec/spd"
)

// Graph is the neighbourhood graph of n points with what the model needs of it
// and no step of learning changes.
type Graph struct {
	// Neighbors lists the points joined to each, ascending: eta_ij = 1.
	Neighbors [][]int32

	// degree counts each point's neighbours.
	degree []float64
	// inverse is P = (L + 11'/n)^-1 = L^+ + 11'/n. The model sees differences of
	// its rows and columns only, so that the constant does not matter.
	inverse vec.Matrix[float64]
	// times is P G, left G P, product G P G; n x n.
	times, left, product vec.Matrix[float64]
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
	for _, list := range g.Neighbors {
		g.degree = append(g.degree, float64(len(list)))
	}
	g.inverse = vec.New[float64](n, n)
	g.laplacian(g.inverse, 1)
	for i := range g.inverse.Data {
		g.inverse.Data[i] += 1 / float64(n)
	}
	if err := spd.Factor(g.inverse, threads); err != nil {
		return nil, fmt.Errorf("the Laplacian of the neighbourhood graph: %w", err)
	}
	// |L + 11'/n| is the product of the other eigenvalues and 1.
	g.logDet = spd.LogDet(g.inverse)
	spd.Invert(g.inverse, threads)
	g.times, g.left, g.product = vec.New[float64](n, n), vec.New[float64](n, n), vec.New[float64](n, n)
	par.Ranges(threads, n, rows, func(_, from, to int) {
		for i := from; i < to; i++ {
			g.gather(g.times.Row(i), g.inverse.Row(i))
		}
	})
	par.Ranges(threads, n, rows, func(_, from, to int) {
		for i := from; i < to; i++ {
			g.add(g.left.Row(i), g.inverse, i)
			g.add(g.product.Row(i), g.times, i)
		}
	})
	return g, nil
}

// rows is how many rows of an n x n matrix make a task.
const rows = 16

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

// gather writes x G to dst, x a row: dst_j = sum_{q~j} x_q.
func (g *Graph) gather(dst, x []float64) {
	for j, list := range g.Neighbors {
		sum := 0.0
		for _, q := range list {
			sum += x[q]
		}
		dst[j] = sum
	}
}

// gather4 is gather for four rows, which share the loads of the lists and whose sums
// do not wait for each other.
func (g *Graph) gather4(dst, x [4][]float64) {
	n := len(g.Neighbors)
	x0, x1, x2, x3 := x[0][:n], x[1][:n], x[2][:n], x[3][:n]
	d0, d1, d2, d3 := dst[0][:n], dst[1][:n], dst[2][:n], dst[3][:n]
	for j, list := range g.Neighbors {
		var s0, s1, s2, s3 float64
		for _, q := range list {
			s0 += x0[q]
			s1 += x1[q]
			s2 += x2[q]
			s3 += x3[q]
		}
		d0[j], d1[j], d2[j], d3[j] = s0, s1, s2, s3
	}
}

// add writes the first len(dst) elements of row i of G M to dst: sum_{p~i} M_p, four
// rows at a time.
func (g *Graph) add(dst []float64, m vec.Matrix[float64], i int) {
	clear(dst)
	list, n := g.Neighbors[i], len(dst)
	for ; len(list) >= 4; list = list[4:] {
		a, b := m.Row(int(list[0]))[:n], m.Row(int(list[1]))[:n]
		c, d := m.Row(int(list[2]))[:n], m.Row(int(list[3]))[:n]
		for j, v := range dst {
			dst[j] = v + ((a[j] + b[j]) + (c[j] + d[j]))
		}
	}
	for _, p := range list {
		vec.Axpy(1, m.Row(int(p))[:n], dst)
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
