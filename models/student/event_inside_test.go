package student

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/points"
	"unfold/models/prior"
	"unfold/sparse/distance"
	"unfold/sparse/knn"
)

// TestOneByHand compares an event's edges, variance, place and error with plain loops, for each
// rule. The scratch memory holds values of earlier events.
func TestOneByHand(t *testing.T) {
	for _, c := range []struct {
		dims, k int
		rule    placing.Rule
		decay   float64
	}{{2, 5, placing.Median, 0}, {2, 5, placing.Robust, 0.7}, {3, 4, placing.Robust, 0}, {2, 5, placing.LLE, 0}, {4, 6, placing.LLE, 0.7}, {3, 40, placing.Robust, 0}, {2, 30, placing.LLE, 0}} {
		s, x := modeltest.Snapshot(t, 6, 120, 5, 0, c.dims)
		s = modeltest.Heavy(s)
		p, err := NewPlacer(s, placing.Options{Neighbors: c.k, Rule: c.rule, RankDecay: c.decay, Received: 1.5})
		if err != nil {
			t.Fatal(err)
		}
		events := modeltest.Events(8, 12, 5)
		copy(events.Row(3), x.Row(17))
		near, err := p.Search(t.Context(), events)
		if err != nil {
			t.Fatal(err)
		}
		w := &placeWork{}
		w.fit(c.dims, c.k)
		for i := range events.Rows {
			for _, room := range [][]float64{w.mu, w.last, w.next, w.values, w.sent, w.gram} {
				for at := range room {
					room[at] = 3 + float64(at)
				}
			}
			index, dist2 := near.Row(i)
			s.Bandwidth2[index[2]] = dist2[2] // just within its bandwidth
			got := p.one(w, events.Row(i), index, dist2)
			if i == 3 {
				if !slices.Equal(w.mu, s.Mu.Row(17)) || got != s.Student.Error2[17] {
					t.Errorf("a reference point is at %v with %v", w.mu, got)
				}
				continue
			}
			mu, error2 := plainEvent(p, events.Row(i), index, dist2)
			if far := vec.SquaredDistance(w.mu, mu); !(far < 1e-12) || !(math.Abs(got-error2) < 1e-9*error2) {
				t.Errorf("%+v, event %d is at %v with %v, want %v with %v", c, i, w.mu, got, mu, error2)
			}
		}
	}
}

// plainEvent computes the same as one, by the definitions.
func plainEvent(p *Placer, x []float32, index []int32, dist2 []float64) (mu []float64, error2 float64) {
	s, k := p.snap, p.set.Neighbors
	ranks := nearWeights(k, p.set.RankDecay)
	var combined []float64
	if p.set.Rule == placing.LLE {
		n := min(3*k/2, len(index))
		g := mat.NewDense(n, n, nil)
		var trace float64
		for i := range n {
			for j := range n {
				var v float64
				for c, at := range x {
					v += (float64(at) - float64(s.Reference.Row(int(index[i]))[c])) * (float64(at) - float64(s.Reference.Row(int(index[j]))[c]))
				}
				g.Set(i, j, v)
				if i == j {
					trace += v
				}
			}
		}
		for i := range n {
			g.Set(i, i, g.At(i, i)+0.01*trace)
		}
		var u mat.VecDense
		if err := u.SolveVec(g, mat.NewVecDense(n, slices.Repeat([]float64{1}, n))); err != nil {
			panic(err)
		}
		sum := mat.Sum(&u)
		for i := range n {
			combined = append(combined, float64(k)*max(0, u.AtVec(i)/sum))
		}
	}
	var edges []Edge
	var sigma2, total, likely2, all float64
	for m, j := range index {
		if m >= max(receiveRange, 3*k/2) {
			break
		}
		var e Edge
		if m < k {
			e.likely = ranks[m]
		}
		if e.S = e.likely; combined != nil {
			if e.S = 0; m < len(combined) {
				e.S = combined[m]
			}
		}
		if dist2[m] <= s.Bandwidth2[j] {
			e.S += p.set.Received
			e.likely++
		}
		e.Mu, e.Sigma2 = s.Mu.Row(int(j)), s.Sigma2[j]
		e.Delta2 = min(max(dist2[m]/s.Student.Unit, s.Student.Clip[0]), s.Student.Clip[1])
		if e.S == 0 && e.likely == 0 {
			continue
		}
		edges = append(edges, e)
		sigma2, total = sigma2+e.S*e.Sigma2, total+e.S
		likely2, all = likely2+e.likely*e.Sigma2, all+e.likely
	}
	sigma2, likely2 = sigma2/total, likely2/all
	mu = make([]float64, s.Mu.Cols)
	for c := range mu { // the weighted median
		order := slices.Clone(edges)
		slices.SortStableFunc(order, func(a, b Edge) int {
			if a.Mu[c] < b.Mu[c] {
				return -1
			}
			return 1
		})
		var sum float64
		for at, e := range order {
			if sum += e.S; math.Abs(sum-total/2) < 1e-12 {
				next := at + 1
				for order[next].S == 0 {
					next++
				}
				mu[c] = (e.Mu[c] + order[next].Mu[c]) / 2
				break
			}
			if sum > total/2 {
				mu[c] = e.Mu[c]
				break
			}
		}
	}
	if p.set.Rule != placing.Median {
		for range 3000 {
			next, all := make([]float64, len(mu)), 0.0
			for _, e := range edges {
				v := e.S / (e.Delta2 + sigma2 + e.Sigma2 + vec.SquaredDistance(mu, e.Mu)/(2*s.Student.Tail))
				all += v
				vec.Axpy(v, e.Mu, next)
			}
			vec.Scale(1/all, next)
			mu = next
		}
	}
	var curvature float64
	for _, e := range edges {
		curvature += e.likely / (e.Delta2 + likely2 + e.Sigma2 + vec.SquaredDistance(mu, e.Mu)/(2*s.Student.Tail))
	}
	return mu, 1 / curvature
}

// TestClimbEnds: the iteration ends when a step does not move the place. Old values in its memory
// must not end it.
func TestClimbEnds(t *testing.T) {
	edges := []Edge{{Mu: []float64{0, 0}, Sigma2: .1, Delta2: 1, S: 1}, {Mu: []float64{3, 1}, Sigma2: .1, Delta2: 1, S: 2}, {Mu: []float64{1, 5}, Sigma2: .1, Delta2: 2, S: 1}}
	start := []float64{1, 1}
	first := slices.Clone(start)
	Place(first, make([]float64, 2), edges, .1, 1, 1)
	w := &placeWork{mu: slices.Clone(start), last: slices.Clone(first), next: make([]float64, 2), joined: edges}
	ascend(w, .1, 1)
	want := slices.Clone(start)
	Place(want, make([]float64, 2), edges, .1, 1, 2000)
	if vec.SquaredDistance(w.mu, want) > 1e-12 {
		t.Errorf("it ends at %v, want %v", w.mu, want)
	}
	// At the optimum nothing moves: it ends after one step, as the memory shows.
	w.mu, w.last = slices.Clone(want), []float64{9, 9}
	if ascend(w, .1, 1); !slices.Equal(w.last, want) || vec.SquaredDistance(w.mu, want) > 1e-20 {
		t.Errorf("from the end it takes more steps than one: %v, %v", w.last, w.mu)
	}
}

// TestFurtherWalks: ranks beyond the lists are found by walks along the lists. Each walk is longer
// than the one before, and ranks count from the end of a list.
func TestFurtherWalks(t *testing.T) {
	const n, k = 40, 3
	x := normal(n, 2, 5)
	nb := neighbors(t, x, 5)
	ranks := []int{4, 5, 6, 21, 22, 80}
	got := further(x, nb, k, ranks, distance.Euclidean, 2)
	for i := range int32(n) {
		own, _ := nb.Row(int(i))
		index, dist2 := got.Row(int(i))
		steps := 0
		for m, r := range ranks {
			list, at := own, r-1
			if r > 5 {
				steps = max(steps+1, int(math.Round(math.Sqrt(float64(r)/5))))
				end := i
				for range steps - 1 {
					last, _ := nb.Row(int(end))
					end = last[4]
				}
				list, _ = nb.Row(int(end))
				at = 4
			}
			want := i
			for s := range list {
				j := list[(at+s)%5]
				if j != i && !slices.Contains(own[:k], j) && !slices.Contains(index[:m], j) {
					want = j
					break
				}
			}
			if index[m] != want || dist2[m] != vec.SquaredDistance(x.Row(int(i)), x.Row(int(want))) {
				t.Errorf("point %d, rank %d: %d at %v, want %d", i, r, index[m], dist2[m], want)
			}
		}
	}
	// The points of a graph have no vectors: lengths come from the lists.
	nodes := vec.New[float32](n, 0)
	got = further(nodes, nb, k, []int{4, 5}, distance.Euclidean, 2)
	for i := range n {
		_, along := nb.Row(i)
		if _, dist2 := got.Row(i); !slices.Equal(dist2, along[3:]) {
			t.Errorf("point %d: lengths %v, want %v", i, dist2, along[3:])
		}
	}
}

// TestFitOfFew compares the report of a fit with what its parts compute from the points: lists,
// reaches, edges, components, labels, errors, likelihoods and settings. It does so with each kind
// of frame.
func TestFitOfFew(t *testing.T) {
	x := modeltest.Blobs(90, 4, 3)
	copy(x.Row(80), x.Row(2)) // equal rows are one point
	labels := make([]string, 90)
	for i := range labels {
		labels[i] = []string{"a", "b", ""}[i%3]
	}
	for _, frame := range []prior.Frame{prior.Auto, prior.None, prior.PCA} {
		set := Settings{Common: models.Common{Steps: 12, Lists: 12, Seed: 3, Labels: labels}, Options: Options{Prior: prior.Settings{Frame: frame}, Supervision: 0.5}}
		stages := map[string]int{}
		r, err := Fit(t.Context(), x, set, func(stage string, done, total int) { stages[stage]++ })
		if err != nil {
			t.Fatal(err)
		}
		if r.Neighbors.N != 89 || r.Neighbors.K != 12 || len(r.Unique) != 89 || r.Of[80] != r.Of[2] || r.Report.Edges != 89*8 || r.Report.Components < 1 {
			t.Errorf("%v: %d lists of %d, %d edges, %d components", frame, r.Neighbors.N, r.Neighbors.K, r.Report.Edges, r.Report.Components)
		}
		rep := r.Report
		if rep.Iterations != 12 || rep.CGIterations < 12 || rep.Pairs != 89*88 || !(rep.Loglik > rep.LoglikInitial) || rep.LoglikInitial >= 0 || rep.Converged || (rep.LogPrior == 0) != (frame == prior.None) {
			t.Errorf("%v: %+v", frame, rep)
		}
		for _, stage := range []string{"graph", "spectral", "coarse", "em"} {
			if stages[stage] == 0 {
				t.Errorf("%v: no progress of %q: %v", frame, stage, stages)
			}
		}
		if !slices.Equal(r.Bandwidth2, reaches(r.Neighbors, 8)) || r.Settings.Prior.Given.Rows > 0 || r.Settings.Labels != nil || len(r.Labels) != 89 || r.Labels[1] != "b" {
			t.Errorf("%v: reaches %v, labels %q", frame, r.Bandwidth2[:3], r.Labels[:3])
		}
		if s := r.Settings; s.Steps != 12 || s.Weight != Weight(89, 89*8, Intrinsic(r.Neighbors, s.Distance)) || s.Sigma2 != DefaultSigma2 || s.Prior.Frame == prior.Auto || frame != prior.Auto && s.Prior.Frame != frame || s.Prior.Schedule != (prior.Schedule{From: 0.1, To: 1.8e-3}) {
			t.Errorf("%v: settings %+v", frame, s)
		}
		if r.Student.Tail != 1 || r.Student.Clip != [2]float64{ClipLow, ClipHigh} || r.Student.Field != "all" || r.Student.Seed != 3 || len(r.Student.Error2) != 89 || slices.Min(r.Student.Error2) <= 0 {
			t.Errorf("%v: %+v", frame, r.Student)
		}
		// With the lists stored elsewhere, everything else stays the same.
		set.Aside = func(nb *knn.Neighbors) *knn.Neighbors {
			return &knn.Neighbors{N: nb.N, K: nb.K, Index: slices.Clone(nb.Index), Dist2: slices.Clone(nb.Dist2)}
		}
		aside, err := Fit(t.Context(), x, set, nil)
		if err != nil || !slices.Equal(aside.Mu.Data, r.Mu.Data) || !slices.Equal(aside.Bandwidth2, r.Bandwidth2) || !slices.Equal(aside.Neighbors.Index, r.Neighbors.Index) {
			t.Errorf("%v: with lists aside the map is another: %v", frame, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Fit(ctx, x, Settings{Common: models.Common{Steps: 12}}, func(stage string, done, _ int) {
		if stage == "em" && done == 3 {
			cancel()
		}
	}); err == nil || err.Error()[:len(points.Kind)] != points.Kind {
		t.Errorf("cancelled: %v", err)
	}
	for _, s := range []Settings{{Options: Options{Supervision: 0.5}}, {Options: Options{Tail: -1}}, {Options: Options{Prior: prior.Settings{Frame: prior.Given, Given: vec.New[float64](3, 2)}}}} {
		if _, err := Fit(t.Context(), x, s, nil); err == nil {
			t.Errorf("%+v is taken", s.Options)
		}
	}
}

// TestErrorsOfPoints: the error of a point comes from the edges that it sends and receives, each
// counted once.
func TestErrorsOfPoints(t *testing.T) {
	x := normal(60, 3, 2)
	l, err := NewLearner(x, neighbors(t, x, 20), Settings{Common: models.Common{Neighbors: 5, Seed: 9}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	st := scattered(60, 2, 3, Free, 5)
	about := l.Describe(st)
	for i := range 60 {
		var total float64
		for j := range 60 {
			if at := l.Problem.Similar.Find(i, int32(j)); i != j && at >= 0 {
				total += l.Problem.weights.near(at) / (l.Problem.delta2.at(at) + st.Sigma2[i] + st.Sigma2[j] + vec.SquaredDistance(st.Mu.Row(i), st.Mu.Row(j))/2)
			}
		}
		if math.Abs(about.Error2[i]*total-1) > 1e-9 {
			t.Errorf("point %d has the squared error %v, want %v", i, about.Error2[i], 1/total)
		}
	}
	if about.Unit != l.Problem.Unit || about.Weight != l.Model.s.Weight || about.Seed != 9 || about.Field != "all" || about.Theta != 0 || about.Tail != 1 {
		t.Errorf("%+v", about)
	}
	nb := neighbors(t, x, 20)
	r := l.Result(nb, st)
	if !slices.Equal(r.Bandwidth2, reaches(nb, 5)) || !slices.Equal(r.Mu.Data, st.Mu.Data) || !slices.Equal(r.Sigma2, st.Sigma2) || r.Neighbors != nb || !slices.Equal(r.Student.Error2, about.Error2) {
		t.Error("the result is not that of the state")
	}
	for i, v := range reaches(nb, 5) {
		if _, dist2 := nb.Row(i); v != dist2[4] {
			t.Errorf("point %d reaches %v, want %v", i, v, dist2[4])
		}
	}
}
