package student

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/coarse/farfield"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/prior"
	"unfold/models/score"
	"unfold/sparse/knn"
)

// wide is a field that reports a given number of points and sweeps over no pairs.
type wide struct {
	n      int
	random bool
}

func (w wide) Move(int, vec.Matrix[float64], []float64) {}

func (w wide) Sweep(int, func(*farfield.Batch)) {}

func (w wide) Pairs() int64 { return 0 }

func (w wide) Bytes() int64 { return 0 }

func (w wide) Random() bool { return w.random }

// TestLabelEdges: with labels, edges between points of equal labels weigh more (H24), and all
// weights have the mean 1.
func TestLabelEdges(t *testing.T) {
	w := edgeWeights{rank: nearWeights(4, 0.7), supervision: 0.75, class: []int32{0, 0, 1, score.Missing, 2, 1}}
	for i, to := range map[int32][]int32{0: {1, 2, 3, 4}, 2: {5, 0, 1, 3}, 3: {0, 1, 2, 4}, 4: {0, 1, 2, 5}, 1: {0, 3, 0, 3}} {
		var sum, all float64
		b := func(j int32) float64 {
			if w.class[i] != score.Missing && w.class[j] != score.Missing && w.class[i] != w.class[j] {
				return 0.25
			}
			return 1
		}
		for m, j := range to {
			all += w.rank[m] * b(j)
		}
		for m, j := range to {
			want := 4 * w.rank[m] * b(j) / all
			if got := w.edge(i, to, m); math.Abs(got-want) > 1e-12 {
				t.Errorf("from %d to %d: %v, want %v", i, j, got, want)
			}
			sum += w.edge(i, to, m)
		}
		if math.Abs(sum-4) > 1e-12 {
			t.Errorf("the edges of %d weigh %v", i, sum)
		}
	}
	w.supervision = 1
	if got := w.edge(4, []int32{0, 1, 2, 5}, 2); got != w.rank[2] { // all labels differ
		t.Errorf("%v among unlike ones alone", got)
	}
	for _, c := range []struct {
		supervision float64
		labels      []string
		n           int
		bad         bool
	}{{0, nil, 3, false}, {0, []string{"a"}, 3, false}, {0.5, nil, 3, true}, {0.5, []string{"a", "b"}, 3, true}} {
		s := Settings{Common: models.Common{Labels: c.labels}, Options: Options{Supervision: c.supervision}}
		if labels, err := s.pointLabels(&models.Result{}, c.n); models.IsBadInput(err) != c.bad || labels != nil {
			t.Errorf("%+v: %v, %v", c, labels, err)
		}
	}
	s := Settings{Common: models.Common{Labels: []string{"a", "", "b", "a"}}, Options: Options{Supervision: 0.5, RankDecay: 1}}
	if w := s.nearWeights(3); w.supervision != 0.5 || len(w.rank) != 3 || len(w.class) != 4 || w.class[0] != w.class[3] || w.class[0] == w.class[2] || w.class[1] != score.Missing {
		t.Errorf("%+v", w)
	}
	if s.Supervision = 0; s.nearWeights(3).class != nil {
		t.Error("labels take part without supervision")
	}
}

// neighborsOf returns lists of one point or two.
func neighborsOf(n int) *knn.Neighbors {
	nb := knn.NewNeighbors(n, 1)
	for i := range n {
		index, dist2 := nb.Row(i)
		index[0], dist2[0] = int32(n-1-i), 1
	}
	return nb
}

// TestDefinite: the linear system is positive definite if every point has a Gamma besides its
// edges.
func TestDefinite(t *testing.T) {
	p := NewProblem(neighbors(t, normal(30, 3, 1), 5), 5, Native)
	p.Field = farfield.NewAll(p.Bandwidth2, 4)
	m, err := NewModel(p, 4, ModelSettings{})
	if err != nil {
		t.Fatal(err)
	}
	st := scattered(30, 4, 1, Fixed, 3)
	for name, c := range map[string]struct {
		set  func(gamma []float64)
		own  bool
		want bool
	}{
		"all": {func(g []float64) {}, false, true}, "none": {func(g []float64) { clear(g) }, false, false}, "not the last": {func(g []float64) { g[29] = 0 }, false, false}, "not the first": {func(g []float64) { g[0] = 0 }, false, false},
		"of its own": {func(g []float64) { clear(g) }, true, true},
	} {
		gamma := slices.Repeat([]float64{2}, 30)
		c.set(gamma)
		was := slices.Clone(gamma)
		push := slices.Repeat([]float64{0.5}, 30)
		m.similar.system(1, st, 3, 0.25, c.own, push, gamma, m.system, m.grad)
		if m.system.Definite != c.want {
			t.Errorf("%s: definite %v", name, m.system.Definite)
		}
		for i := range 30 {
			var sum float64
			for q := p.Similar.Start[i]; q < p.Similar.Start[i+1]; q++ {
				sum += m.system.W.Data[q]
			}
			want := was[i]
			if c.own {
				want = 3*0.5 + 0.05*sum
			}
			if math.Abs(gamma[i]-want) > 1e-12*want || math.Abs(m.system.Diagonal[i]-sum-0.25*want) > 1e-12*sum {
				t.Errorf("%s: Gamma of %d is %v, want %v; the diagonal %v", name, i, gamma[i], want, m.system.Diagonal[i])
			}
		}
	}
}

// TestPrecisionOfSweeps: sums use single precision where the settings, the dimensions and the
// majoriser allow it.
func TestPrecisionOfSweeps(t *testing.T) {
	for _, c := range []struct {
		d    int
		set  ModelSettings
		want bool
	}{
		{2, ModelSettings{Single: true}, true}, {2, ModelSettings{}, false}, {2, ModelSettings{Single: true, Majoriser: Local}, false}, {2, ModelSettings{Single: true, Tail: 3}, false},
		{3, ModelSettings{Single: true}, true}, {3, ModelSettings{}, false}, {3, ModelSettings{Single: true, Majoriser: EM}, false}, {4, ModelSettings{Single: true}, false},
	} {
		p := NewProblem(neighbors(t, normal(30, 3, 1), 5), 5, Native)
		field := &one{batch(10, 20, c.d, 1, false, rand.New(rand.NewPCG(1, 1)))}
		p.Field = field
		m, err := NewModel(p, c.d, c.set)
		if err != nil {
			t.Fatal(err)
		}
		if m.visitPush(&field.batch); (len(field.batch.Work32) > 0) != c.want {
			t.Errorf("%d dimensions, %+v: in single precision %v", c.d, c.set, !c.want)
		}
	}
}

// TestModelBytes: the size of a model is that of its parts.
func TestModelBytes(t *testing.T) {
	for _, d := range []int{2, 5} {
		p := NewProblem(neighbors(t, normal(30, 3, 1), 5), 5, Native)
		p.Field = farfield.NewAll(p.Bandwidth2, d)
		m, err := NewModel(p, d, ModelSettings{})
		if err != nil {
			t.Fatal(err)
		}
		bytes := m.Bytes()
		m.SetPrior(prior.New(scattered(30, d, 1, Fixed, 1).Mu), prior.Schedule{From: 3, To: 2})
		if m.kappa != 2 || m.c != m.s.Weight {
			t.Errorf("weights %+v", m.weights)
		}
		if bytes < p.Bytes()+p.Field.Bytes()+8*int64(3*30*d+4*30+p.Similar.NNZ()) {
			t.Errorf("%d dimensions: %v bytes", d, bytes)
		}
	}
}

// TestPlaceVariance: the variance of a new point after an update follows H9. It is compared with
// finite differences of the likelihood of its edges.
func TestPlaceVariance(t *testing.T) {
	for _, d := range []int{1, 2, 3} {
		list := edges(7, d, rand.New(rand.NewPCG(4, uint64(d))))
		mu, tail := make([]float64, d), float64(d)/2+0.5
		likelihood := func(sigma2 float64) (sum float64) {
			for _, e := range list {
				sum += e.S * Pair{Scale2: e.Delta2, Sigma2I: sigma2, Sigma2J: e.Sigma2, Dist2: vec.SquaredDistance(mu, e.Mu), Dims: d, Tail: tail}.LogProb()
			}
			return sum
		}
		const sigma2, h = 0.3, 1e-5
		slope := (likelihood(sigma2+h) - likelihood(sigma2-h)) / (2 * h)
		var total float64
		for _, e := range list {
			total += e.S
		}
		for _, dissimilar := range []float64{0, 3} {
			want := sigma2 * (1 + sigma2*2*slope/(float64(d)*total*(1+dissimilar)))
			if got := PlaceSigma2(mu, list, sigma2, tail, dissimilar); math.Abs(got-want) > 1e-6*want {
				t.Errorf("d = %d, dissimilar %v: %v, want %v", d, dissimilar, got, want)
			}
		}
	}
}

// PlaceSigma2 returns sigma_x^2 after an EM update for one new point (H9), with everything else
// frozen. dissimilar is the weight of all dissimilar pairs of the point relative to that of its
// edges. These pairs are assumed to be far, so that they only damp the change of the variance.
func PlaceSigma2(mu []float64, edges []Edge, sigma2, tail, dissimilar float64) float64 {
	var gain, total float64
	for k := range edges {
		e := &edges[k]
		p := Pair{Scale2: e.Delta2, Sigma2I: sigma2, Sigma2J: e.Sigma2, Dims: len(mu), Tail: tail}
		for c, v := range e.Mu {
			d := mu[c] - v
			p.Dist2 += float64(d * d)
		}
		gain += float64(e.S * p.Slope())
		total += e.S
	}
	gain /= float64(float64(len(mu)) * float64(total*(1+dissimilar)))
	return sigma2 * (1 + float64(sigma2*gain))
}
