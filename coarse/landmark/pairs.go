package landmark

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/graph"
)

// Calibration is 2 ln 2, the factor between squared distances in the input and squared length
// scales (eq 44 of the supplement). It makes P(c=1) = 1/2 where two draws are as far apart as their
// inputs.
const Calibration = 2 * math.Ln2

// Pairs has the constants of the likelihood (eq 6): the similar and the dissimilar pairs, their
// weights and length scales.
type Pairs struct {
	N, Level int

	// Similar has S_ij + S_ji, symmetric and rescaled; SimilarDelta2 has delta_ij^2 for the same
	// entries.
	Similar       *sparse.CSR
	SimilarDelta2 []float64

	// Blocks has the dissimilar pairs: D_uv = Scale W_u W_v.
	Blocks []Block
	Scale  float64
	// Weight is sum_j (D_ij + D_ji) of every point.
	Weight []float64

	// Bandwidth2 is Delta_i^2 of level 0 (n).
	Bandwidth2 []float64
	// Landmarks are the landmarks of the first coarse-graining, ascending. Of has the landmark of
	// every point. Both are empty at level 0.
	Landmarks []int32
	Of        []int32

	// SumS and SumD are the sums of all weights. They are equal unless there is no dissimilar pair,
	// when SumD is 0.
	SumS, SumD float64
	// Count is the number of unordered pairs with a dissimilarity weight.
	Count int64
}

// New computes the constants for the points x (n x dim) and their neighbourhood graph g. The search
// for the nearest landmarks is exact.
func New[T vec.Float](ctx context.Context, x vec.Matrix[T], g *graph.Graph, s Settings) (*Pairs, error) {
	if x.Rows != g.N {
		return nil, fmt.Errorf("coarse: %d points, but a graph of %d", x.Rows, g.N)
	}
	if s.Level < 0 {
		return nil, fmt.Errorf("coarse: level %d, want 0 or more", s.Level)
	}
	return build(ctx, g, &coarsener{s: &s, find: search(x, &s)})
}

// build computes the constants from the neighbourhood graph and a coarsener.
func build(ctx context.Context, g *graph.Graph, c *coarsener) (*Pairs, error) {
	p := &Pairs{N: g.N, Level: c.s.Level, Bandwidth2: bandwidths(g, c.s.Floor)}
	c.pairs = p
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	for b := range c.blocks {
		p.Blocks = append(p.Blocks, c.blocks[b].Block)
	}
	p.leaveOut(g)
	p.similar(g, &c.ties, c.s.Floor)
	p.rescale()
	return p, nil
}

// Scale2 returns the squared length scale of a squared distance:
// delta^2 = dist^2 / (2 ln 2), at least floor.
func Scale2(dist2, floor float64) float64 { return max(dist2/Calibration, floor) }

// bandwidths returns Delta_i^2 = max_k E_ik |x_i - x_k|^2 / (2 ln 2), at least floor.
func bandwidths(g *graph.Graph, floor float64) []float64 {
	out := make([]float64, g.N)
	for i := range out {
		out[i] = floor // of a point without an edge, too
		_, dist2 := g.Row(i)
		for _, d := range dist2 {
			out[i] = max(out[i], Scale2(d, floor))
		}
	}
	return out
}

// leaveOut removes the similar pairs from every leaf (D_ij = 1 - E_ij).
func (p *Pairs) leaveOut(g *graph.Graph) {
	leaf, at := make([]int32, p.N), make([]int32, p.N) // a point is in one leaf
	for i := range leaf {
		leaf[i] = -1
	}
	for b := range p.Blocks {
		if p.Blocks[b].Leaf {
			for u, i := range p.Blocks[b].Nodes {
				leaf[i], at[i] = int32(b), int32(u)
			}
		}
	}
	in := reverse(g)
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		if !blk.Leaf {
			continue
		}
		blk.SkipStart = make([]int32, len(blk.Nodes)+1)
		for u, i := range blk.Nodes {
			out, _ := g.Row(int(i))
			mergeUnion(out, in.of(i), func(j int32, forth, back bool) {
				if leaf[j] != int32(b) || j <= i {
					return
				}
				v := at[j]
				blk.Skip = append(blk.Skip, v)
				switch {
				case forth && !back:
					blk.Odd = append(blk.Odd, Ordered{v, int32(u)})
				case back && !forth:
					blk.Odd = append(blk.Odd, Ordered{int32(u), v})
				}
			})
			blk.SkipStart[u+1] = int32(len(blk.Skip))
		}
	}
}

// lists has the in-neighbours of every point, ascending.
type lists struct {
	start []int
	from  []int32
}

func (l *lists) of(i int32) []int32 { return l.from[l.start[i]:l.start[i+1]] }

func reverse(g *graph.Graph) *lists {
	l := &lists{start: make([]int, g.N+1), from: make([]int32, len(g.To))}
	for _, j := range g.To {
		l.start[j+1]++
	}
	for i := range g.N {
		l.start[i+1] += l.start[i]
	}
	next := append([]int(nil), l.start[:g.N]...)
	for i := range g.N {
		to, _ := g.Row(i)
		for _, j := range to {
			l.from[next[j]] = int32(i)
			next[j]++
		}
	}
	return l
}

// mergeUnion calls f once for every element of two ascending lists.
func mergeUnion(a, b []int32, f func(j int32, inA, inB bool)) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0] < b[0]:
			f(a[0], true, false)
			a = a[1:]
		case len(a) == 0 || b[0] < a[0]:
			f(b[0], false, true)
			b = b[1:]
		default:
			f(a[0], true, true)
			a, b = a[1:], b[1:]
		}
	}
}

// ties are the similarity weights between nodes and their landmarks.
type ties struct {
	node, landmark []int32
	w, dist2       []float64
}

func (t *ties) append(node, landmark int32, w, dist2 float64) {
	t.node = append(t.node, node)
	t.landmark = append(t.landmark, landmark)
	t.w = append(t.w, w)
	t.dist2 = append(t.dist2, dist2)
}

// similar builds S = E + C n / sum C (SM "Implementation"), as S_ij + S_ji.
func (p *Pairs) similar(g *graph.Graph, c *ties, floor float64) {
	size := g.Edges() + len(c.node)
	i, j := make([]int32, 0, size), make([]int32, 0, size)
	w, delta2 := make([]float64, 0, size), make([]float64, 0, size)
	for u := range g.N {
		to, dist2 := g.Row(u)
		for k, v := range to {
			i, j = append(i, int32(u)), append(j, v)
			w, delta2 = append(w, 1), append(delta2, Scale2(dist2[k], floor))
		}
	}
	var sum float64
	for _, v := range c.w {
		sum += v
	}
	for k, v := range c.w {
		i, j = append(i, c.node[k]), append(j, c.landmark[k])
		w, delta2 = append(w, v*(float64(p.N)/sum)), append(delta2, Scale2(c.dist2[k], floor))
	}
	s, slot, slotT := sparse.Pattern(p.N, i, j)
	s.Scatter(slot, slotT, w)
	p.Similar, p.SimilarDelta2 = s, make([]float64, s.NNZ())
	for k, v := range delta2 {
		p.SimilarDelta2[slot[k]], p.SimilarDelta2[slotT[k]] = v, v
	}
	for _, v := range w {
		p.SumS += v
	}
}

// rescale sets Scale so that sum D = sum S, and the weights of the points.
func (p *Pairs) rescale() {
	p.Weight = make([]float64, p.N)
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		p.Count += blk.Pairs()
		var total float64
		for _, w := range blk.W {
			total += w
		}
		for u, i := range blk.Nodes {
			p.Weight[i] += 2 * blk.W[u] * (total - blk.W[u])
		}
		for u, i := range blk.Nodes {
			for _, v := range blk.Skips(u) {
				p.Weight[i] -= 2
				p.Weight[blk.Nodes[v]] -= 2
			}
		}
		for _, o := range blk.Odd {
			p.Weight[blk.Nodes[o.U]]++
			p.Weight[blk.Nodes[o.V]]++
		}
	}
	var raw float64 // integers: exact up to 2^53
	for _, w := range p.Weight {
		raw += w / 2
	}
	if raw == 0 {
		return
	}
	p.Scale = p.SumS / raw
	for i := range p.Weight {
		p.Weight[i] *= p.Scale
	}
	p.SumD = p.Scale * raw
}

// Each calls f for every ordered pair with D_ij > 0, with its weight and Delta_ij. Its time is
// proportional to their number, so it is for tests and small problems.
func (p *Pairs) Each(f func(i, j int32, d, Delta float64)) {
	for b := range p.Blocks {
		blk := &p.Blocks[b]
		blk.each(func(u, v int) {
			f(blk.Nodes[u], blk.Nodes[v], p.Scale*blk.W[u]*blk.W[v], blk.A[u]+blk.B[v])
		})
	}
}

// Bytes returns the memory of the constants.
func (p *Pairs) Bytes() int64 {
	total := p.Similar.Bytes() + 8*int64(len(p.SimilarDelta2)+len(p.Weight)+len(p.Bandwidth2)) + 4*int64(len(p.Landmarks)+len(p.Of))
	for b := range p.Blocks {
		total += p.Blocks[b].bytes()
	}
	return total
}
