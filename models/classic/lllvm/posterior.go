package lllvm

import (
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/multifrontal"
)

// A model file of this kind has these parts besides those of placing.Parts; m is the number of
// learnt reference points:
//
//	edges    uint32, e x 2      the neighbourhood graph among them, by their numbers among these
//	numbers  float64, 4         gamma, alpha, epsilon, the bound
//	mu_x     float64, m x d     means of q(x)
//	cov_x    float64            lower triangle, row by row, of its covariance
//	mu_c     float64, md x q    means of q(C), see State.MuC
//	cov_c    float64            lower triangle of its covariance
//
// A model in patches also has
//
//	owner    uint32, m          the front of each point
//	parents  uint32, f          the next front above, its own number at the top
//
// and its cov_x and cov_c are the triangles of the fronts, one after the other.
const (
	partEdges   = "edges"
	partNumbers = "numbers"
	partMuX     = "mu_x"
	partCovX    = "cov_x"
	partMuC     = "mu_c"
	partCovC    = "cov_c"
	partOwner   = "owner"
	partParents = "parents"
)

// Parts returns the parts of a model file that store the posterior.
func (f *Fitted) Parts() []snapshot.Part {
	var edges []uint32
	for i, list := range f.Model.g.Neighbors {
		for _, j := range list {
			if int(j) > i {
				edges = append(edges, uint32(i), uint32(j))
			}
		}
	}
	st := f.State
	matrix := func(name string, m vec.Matrix[float64]) snapshot.Part {
		return snapshot.Part{Name: name, Rows: m.Rows, Cols: m.Cols, Data: m.Data}
	}
	parts := append(placing.Parts(f.Learnt, f.Units),
		snapshot.Part{Name: partEdges, Rows: len(edges) / 2, Cols: 2, Data: edges},
		snapshot.Part{Name: partNumbers, Rows: 4, Cols: 1, Data: []float64{st.Gamma, st.Alpha, f.Model.set.Epsilon, st.Bound.Total()}},
		matrix(partMuX, st.MuX), triangles(partCovX, st.CovX),
		matrix(partMuC, st.MuC), triangles(partCovC, st.CovC),
	)
	g := f.Model.g
	if g.exact() {
		return parts
	}
	owner, parents := make([]uint32, g.Len()), make([]uint32, len(g.tree.Fronts))
	for i := range owner {
		owner[i] = uint32(g.tree.Owner(i))
	}
	for k, front := range g.tree.Fronts {
		if parents[k] = uint32(k); front.Parent >= 0 {
			parents[k] = uint32(front.Parent)
		}
	}
	return append(parts, snapshot.Part{Name: partOwner, Rows: len(owner), Cols: 1, Data: owner}, snapshot.Part{Name: partParents, Rows: len(parents), Cols: 1, Data: parents})
}

// triangles returns a part with the lower triangles of the fronts.
func triangles(name string, a *multifrontal.Matrix) snapshot.Part {
	packed := make([]float64, 0, packedLen(a))
	for _, f := range a.Fronts {
		for i := range f.Rows {
			packed = append(packed, f.Row(i)[:i+1]...)
		}
	}
	return snapshot.Part{Name: name, Rows: len(packed), Cols: 1, Data: packed}
}

// packedLen is the length of that.
func packedLen(a *multifrontal.Matrix) (n int) {
	for _, f := range a.Fronts {
		n += f.Rows * (f.Rows + 1) / 2
	}
	return n
}

// unpack fills a from its triangles.
func unpack(a *multifrontal.Matrix, packed []float64) *multifrontal.Matrix {
	for _, f := range a.Fronts {
		for i := range f.Rows {
			copy(f.Row(i), packed[:i+1])
			packed = packed[i+1:]
			for j := range i {
				f.Row(j)[i] = f.Row(i)[j]
			}
		}
	}
	return a
}

// posterior is the posterior in a model file.
type posterior struct {
	learnt []int32
	units  placing.Units
	model  *Model
	state  *State
}

// read decodes the posterior of a valid snapshot.
func read(s *snapshot.Snapshot, threads int) (*posterior, error) {
	learnt, units, err := placing.Read(s)
	if err != nil {
		return nil, err
	}
	p := &posterior{learnt: learnt, units: units}
	m, q, d := len(learnt), s.Reference.Cols, s.Mu.Cols
	g, err := graphOf(s, m, threads)
	if err != nil {
		return nil, err
	}
	covX, covC := g.tree.NewMatrix(d), g.tree.NewMatrix(d)
	var parts [5][]float64
	for i, want := range []struct {
		name       string
		rows, cols int
	}{{partNumbers, 4, 1}, {partMuX, m, d}, {partCovX, packedLen(covX), 1}, {partMuC, m * d, q}, {partCovC, packedLen(covC), 1}} {
		if parts[i], err = snapshot.PartOf[float64](s, want.name, want.rows, want.cols); err != nil {
			return nil, err
		}
	}
	numbers := parts[0]
	if !(numbers[0] > 0) {
		return nil, fmt.Errorf("gamma = %g has to be positive", numbers[0])
	}
	y := units.All(vec.Take(s.Reference, learnt))
	if p.model, err = NewModel(g, y, Settings{Dims: d, Alpha: numbers[1], Epsilon: numbers[2], Threads: threads}); err != nil {
		return nil, err
	}
	p.state = &State{
		MuX: vec.Of(m, d, parts[1]), CovX: unpack(covX, parts[2]),
		MuC: vec.Of(m*d, q, parts[3]), CovC: unpack(covC, parts[4]), Gamma: numbers[0], Alpha: numbers[1],
	}
	return p, nil
}

// graphOf reads the graph of m points.
func graphOf(s *snapshot.Snapshot, m, threads int) (*Graph, error) {
	edges, err := snapshot.PartOf[uint32](s, partEdges, 0, 2)
	if err != nil {
		return nil, err
	}
	lists := make([][]int32, m)
	for ; len(edges) > 0; edges = edges[2:] {
		if i := edges[0]; int(i) < m && edges[1] < uint32(m) {
			lists[i] = append(lists[i], int32(edges[1]))
			continue
		}
		return nil, fmt.Errorf("an edge from %d to %d of %d points", edges[0], edges[1], m)
	}
	if _, patched := s.Part(partOwner); !patched {
		return NewGraph(lists, threads)
	}
	owner, err := snapshot.PartOf[uint32](s, partOwner, m, 1)
	if err != nil {
		return nil, err
	}
	parents, err := snapshot.PartOf[uint32](s, partParents, 0, 1)
	if err != nil {
		return nil, err
	}
	return ownedGraph(lists, owner, parents, threads)
}

// Variances returns sigma_i^2 of every learnt point: the mean variance of the coordinates of its
// position, relative to the map's centre. The centre itself is determined by the prior alone; its
// variance, 1/(n alpha), is subtracted because it means nothing.
func (m *Model) Variances(st *State) []float64 {
	n, d := m.g.Len(), m.set.Dims
	out := make([]float64, n)
	common := 1 / (float64(n) * st.Alpha)
	for i := range out {
		for r := range d {
			v := st.CovX.Block(r, r, i)
			// The difference of nearly equal numbers is kept positive, since it is a variance.
			out[i] += max(v-common, 1e-15*v) / float64(d)
		}
	}
	return out
}

// Description summarises a snapshot.
type Description struct {
	// Learnt is the number of points that were learnt.
	Learnt int
	// Gamma, Alpha, Epsilon and Bound are parameters of the model. Noise is the standard deviation
	// of an element, in the units of the input to the model.
	Gamma, Alpha, Epsilon, Bound, Noise float64
}

// Describe returns the description of a snapshot, which must be valid for NewPlacer.
func Describe(s *snapshot.Snapshot) Description {
	learnt, units, _ := placing.Read(s)
	numbers, _ := snapshot.PartOf[float64](s, partNumbers, 4, 1)
	return Description{
		Learnt: len(learnt), Gamma: numbers[0], Alpha: numbers[1], Epsilon: numbers[2], Bound: numbers[3],
		Noise: noise(numbers[0], units.Scale),
	}
}

// noise returns the standard deviation of y_j - y_i - C_i (x_j - x_i) between neighbours in units
// of the data. Its variance is 1/gamma in units of the model; scale converts from data to model
// units.
func noise(gamma, scale float64) float64 { return 1 / math.Sqrt(gamma) / scale }

// Noise returns the standard deviation of an element, in the units of the input to the model.
func (f *Fitted) Noise() float64 { return noise(f.State.Gamma, f.Units.Scale) }

// Patches returns the number of patches and the number of points in the largest.
func (m *Model) Patches() (count, largest int) { return m.g.Patches() }

// Edges returns the number of pairs of neighbours.
func (m *Model) Edges() (count int) {
	for _, list := range m.g.Neighbors {
		count += len(list)
	}
	return count / 2
}
