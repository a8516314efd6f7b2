package student

import (
	"fmt"
	"math"

	"unfold/coarse/farfield"
	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/points"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// Learner is the model of a point set whose neighbours are known, as Fit makes it. Package live
// continues with it when points are added and removed.
type Learner struct {
	Problem *Problem
	Model   *Model
	// Settings are the settings that it was made with, with all defaults filled in.
	Settings Settings
	coarse   models.Coarse
	further  int   // number of further edges per point
	order    order // order of the problem's points; nil for that of the input
}

// NewLearner makes the model of the distinct points x (n x dim). The neighbour lists nb must
// contain at least Settings.Neighbors points, or all other points. Squared distances are divided by
// unit; if it is 0, the unit is computed from the lists (Scales.Unit).
func NewLearner(x vec.Matrix[float32], nb *knn.Neighbors, s Settings, unit float64) (*Learner, error) {
	s, err := s.WithDefaults()
	if err != nil {
		return nil, err
	}
	k := min(s.Neighbors, nb.N-1)
	if k < 1 || nb.K < k {
		return nil, models.BadInputf(points.Kind+": lists of %d neighbours of %d points, want %d of at least 2", nb.K, nb.N, s.Neighbors)
	}
	l := &Learner{Settings: s}
	l.Problem, l.further = problem(x, nb, k, s, unit, nil)
	l.field()
	return l, l.model()
}

// problem returns the problem of the points x, whose near edges lead to the first k neighbours of
// each list, and the number of further edges per point. Its points are in the order o.
func problem[T vec.Float](x vec.Matrix[T], nb *knn.Neighbors, k int, s Settings, unit float64, o order) (p *Problem, edges int) {
	if unit == 0 {
		unit = s.Scales.Unit(nb, k)
	}
	var beyond *knn.Neighbors
	ranks := s.ranks(nb.N, nb.K)
	if len(ranks) > 0 {
		rows := x
		if s.listed() {
			rows = vec.Matrix[T]{Rows: x.Rows}
		}
		beyond = further(rows, nb, k, ranks, s.Distance, s.Threads)
	}
	dim := 0.0 // only the default of the weight depends on it
	if s.Weight == 0 {
		dim = Intrinsic(nb, s.Distance)
	}
	if o != nil {
		nb.Permute(o)
		defer func() { nb.Permute(o.back()) }()
		if beyond != nil {
			beyond.Permute(o)
		}
		s.Labels = take(s.Labels, o)
	}
	p = newProblem(nb, beyond, s.nearWeights(k), newLengths(nb, k, s, unit), s.Threads)
	p.Intrinsic = dim
	return p, len(ranks)
}

// field sets the problem's pair sums. Their kind depends on the number of points.
func (l *Learner) field() {
	s, n, delta2 := &l.Settings, l.Problem.N(), l.Problem.Bandwidth2
	l.coarse = s.coarse(n)
	switch l.coarse {
	case models.CoarseAll:
		l.Problem.Field = farfield.NewAll(delta2, s.Dims)
	case models.CoarseMap:
		s.Theta = s.theta(n)
		l.Problem.Field = farfield.NewCells(delta2, s.Dims, farfield.CellSettings{Theta: s.Theta})
	default:
		l.Problem.Field = farfield.NewShared(delta2, s.Dims, farfield.SharedSettings{Seed: s.Seed})
	}
}

// model makes the model of a problem whose field is set.
func (l *Learner) model() (err error) {
	s := &l.Settings
	s.Prior.Schedule = s.fall(l.Problem.N())
	if s.Steps == 0 {
		s.Steps = s.steps(l.Problem.N())
	}
	set := ModelSettings{
		Tail: s.Tail, Weight: s.Weight, Momentum: s.Momentum, NoMomentum: s.NoMomentum, Tolerance: s.Tolerance,
		Further: s.further(l.Problem.N(), l.further),
		Sigma:   s.Sigma, Steps: s.Steps, Gain: max(s.Gain, 0), Threads: s.Threads, Single: l.coarse == models.CoarseMap,
	}
	if s.Thorough {
		set.Sweeps = -1
	}
	if l.Model, err = NewModel(l.Problem, s.Dims, set); err != nil {
		return fmt.Errorf(points.Kind+": %w", err)
	}
	s.Steps, s.Weight = l.Model.Settings().Steps, l.Model.Settings().Weight
	return nil
}

// Result returns the map for a state of the model. nb are the lists that the learner was made of.
func (l *Learner) Result(nb *knn.Neighbors, st *State) *Result {
	return l.result(&models.Result{Neighbors: nb}, st)
}

// result adds the state, which is in the problem's order, to the result of the points.
func (l *Learner) result(r *models.Result, st *State) *Result {
	about, back := l.Describe(st), l.order.back()
	about.Error2 = take(about.Error2, back)
	r.Mu, r.Sigma2 = takeRows(st.Mu, back), take(st.Sigma2, back)
	if r.Bandwidth2 == nil {
		r.Bandwidth2 = reaches(r.Neighbors, l.Settings.Neighbors)
	}
	s := l.Settings
	r.Labels = s.Labels
	s.Prior.Given, s.Labels = vec.Matrix[float64]{}, nil // they hold for these points only
	return &Result{Result: r, Student: about, Settings: s}
}

// reaches returns the squared distances to the k-th neighbours, or to the last if there are fewer.
func reaches(nb *knn.Neighbors, k int) []float64 { return points.Reaches(nb, min(k, nb.N-1)) }

// Describe returns the model's part of a snapshot of the map.
func (l *Learner) Describe(st *State) *snapshot.Student {
	s := l.Settings
	return &snapshot.Student{
		Tail: s.Tail, Unit: l.Problem.Unit, Clip: s.clip(), Weight: s.Weight,
		Field: l.coarse.String(), Theta: s.Theta, Seed: s.Seed, Error2: errors2(l.Problem, st, s.Tail, s.Threads),
	}
}

// clip returns the bounds to which squared scales are clipped.
func (s Settings) clip() [2]float64 {
	return [2]float64{s.Scales.Delta2(0, 1), s.Scales.Delta2(math.MaxFloat64, 1)}
}

// errors2 returns the squared standard errors of the points' places. Each is computed from the
// edges sent and received, as for an event (standardError2).
func errors2(p *Problem, st *State, tail float64, threads int) []float64 {
	out := make([]float64, p.N())
	par.Ranges(threads, p.N(), rowPiece, func(_, from, to int) {
		var edges []Edge
		for i := from; i < to; i++ {
			edges = edges[:0]
			for q := p.Similar.Start[i]; q < p.Similar.Start[i+1]; q++ {
				j := int(p.Similar.Index[q])
				edges = append(edges, Edge{Mu: st.Mu.Row(j), Sigma2: st.Sigma2[j], Delta2: p.delta2.at(q), S: p.weights.near(q)})
			}
			out[i] = standardError2(st.Mu.Row(i), edges, st.Sigma2[i], tail)
		}
	})
	return out
}
