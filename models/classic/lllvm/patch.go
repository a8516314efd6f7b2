package lllvm

import (
	"fmt"
	"slices"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/sparse/multifrontal"
)

// patch is a connected part of a graph with weighted edges. The weights of an edge of the graph sum
// to one over all patches.
type patch struct {
	lists   [][]int32 // by the points' numbers in the patch
	weights [][]float64
	degree  []float64 // sums of weights
	// inverse is (L + 11'/n)^-1 for the patch's own Laplacian, which is its pseudo-inverse up to a
	// constant. The model only uses differences of its rows and columns.
	inverse vec.Matrix[float64]
	logDet  float64 // of the matrix that was inverted
	// points are the points of the graph, ascending, at their positions in the front.
	points []int32
	front  int
	at     []int32
}

func (p *patch) len() int { return len(p.points) }

// edge joins two points of a front, given by their positions there.
type edge struct {
	i, j   int32
	weight float64
}

// patches distributes the edges of the graph to the fronts of a tree. An edge is divided equally
// among all leaf fronts that contain both its ends. If no leaf contains them, the lowest front that
// does gets the edge.
func (g *Graph) patches(t *multifrontal.Tree, threads int) ([]*patch, error) {
	leaf := make([]bool, len(t.Fronts))
	in := make([][]int32, g.Len()) // the leaves that have a point
	for f := range leaf {
		leaf[f] = true
	}
	for _, front := range t.Fronts {
		if front.Parent >= 0 {
			leaf[front.Parent] = false
		}
	}
	for f, front := range t.Fronts {
		for k := range front.Len() {
			if leaf[f] {
				in[front.At(k)] = append(in[front.At(k)], int32(f))
			}
		}
	}
	edges := make([][]edge, len(t.Fronts))
	for i, list := range g.Neighbors {
		for _, j := range list {
			if int(j) < i {
				continue
			}
			var both []int32
			for _, f := range in[i] {
				if slices.Contains(in[j], f) {
					both = append(both, f)
				}
			}
			if len(both) == 0 {
				both = []int32{int32(min(t.Owner(i), t.Owner(int(j))))}
			}
			for _, f := range both {
				edges[f] = append(edges[f], edge{int32(i), j, 1 / float64(len(both))})
			}
		}
	}
	var out []*patch
	number := make([]int32, g.Len())
	for f, front := range t.Fronts {
		for k := range front.Len() {
			number[front.At(k)] = int32(k)
		}
		for e := range edges[f] {
			edges[f][e].i, edges[f][e].j = number[edges[f][e].i], number[edges[f][e].j]
		}
		for _, p := range connectedPatches(front, f, edges[f]) {
			if err := p.invert(threads); err != nil {
				return nil, err
			}
			out = append(out, p)
		}
	}
	return out, nil
}

// connectedPatches returns a patch for each connected component of a front's edges.
func connectedPatches(front multifrontal.Front, f int, edges []edge) (out []*patch) {
	n := front.Len()
	label := make([]int32, n) // of the component, by its least point
	for i := range label {
		label[i] = int32(i)
	}
	find := func(i int32) int32 {
		for label[i] != i {
			label[i] = label[label[i]]
			i = label[i]
		}
		return i
	}
	for _, e := range edges {
		a, b := find(e.i), find(e.j)
		label[max(a, b)] = min(a, b)
	}
	joined := make([]bool, n)
	for _, e := range edges {
		joined[e.i], joined[e.j] = true, true
	}
	of, number := map[int32]*patch{}, make([]int32, n)
	for i := range int32(n) {
		if !joined[i] {
			continue
		}
		p := of[find(i)]
		if p == nil {
			p = &patch{front: f}
			of[find(i)], out = p, append(out, p)
		}
		number[i] = int32(p.len())
		p.points, p.at = append(p.points, front.At(int(i))), append(p.at, i)
		p.lists, p.weights, p.degree = append(p.lists, nil), append(p.weights, nil), append(p.degree, 0)
	}
	for _, e := range edges {
		p := of[find(e.i)]
		for _, end := range [][2]int32{{e.i, e.j}, {e.j, e.i}} {
			i, j := number[end[0]], number[end[1]]
			p.lists[i], p.weights[i] = append(p.lists[i], j), append(p.weights[i], e.weight)
			p.degree[i] += e.weight
		}
	}
	return out
}

// invert fills in the inverse.
func (p *patch) invert(threads int) error {
	n := p.len()
	a := vec.New[float64](n, n)
	for i := range a.Data {
		a.Data[i] = 1 / float64(n)
	}
	p.laplacian(func(i, j int) *float64 { return &a.Row(i)[j] }, 1)
	if err := spd.Factor(a, threads); err != nil {
		return fmt.Errorf("the Laplacian of the neighbourhood graph: %w", err)
	}
	p.logDet = spd.LogDet(a)
	spd.Invert(a, threads)
	p.inverse = a
	return nil
}

// laplacian adds scale * L to the elements that at returns.
func (p *patch) laplacian(at func(i, j int) *float64, scale float64) {
	for i, list := range p.lists {
		*at(i, i) += scale * p.degree[i]
		for t, j := range list {
			*at(i, int(j)) -= scale * p.weights[i][t]
		}
	}
}
