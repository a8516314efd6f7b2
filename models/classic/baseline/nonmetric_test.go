package baseline

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
)

// Non-metric scaling needs as many iterations as scikit-learn, and ends at the same stress.
func TestStressIsThatOfScikitLearn(t *testing.T) {
	for _, f := range fixtures(t, "textbook.json", 2*len(Methods())) {
		if Method(f.Method) != NonMetric {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			x := vec.Convert[float32](rowsOf(f.Learn))
			fit, err := Fit(t.Context(), NonMetric, x, Settings{Common: models.Common{Dims: len(f.Places[0])}})
			if err != nil {
				t.Fatal(err)
			}
			if fit.Iterations != f.Iterations || !fit.Converged {
				t.Errorf("%d iterations, converged is %v, want %d", fit.Iterations, fit.Converged, f.Iterations)
			}
			if !(math.Abs(fit.Stress-f.Stress) < 1e-9) {
				t.Errorf("the stress is %.12g, want %.12g", fit.Stress, f.Stress)
			}
		})
	}
}

// drawn returns pairs of some points with integer dissimilarities, many of them equal, and random
// distances.
func drawn(t *rapid.T) (p *pairs, d []float64) {
	m := rapid.IntRange(2, 8).Draw(t, "points")
	n := m * (m - 1) / 2
	p = &pairs{m: m, order: rapid.Permutation(sequence(n)).Draw(t, "order")}
	for range n {
		p.delta = append(p.delta, float64(rapid.IntRange(1, 9).Draw(t, "dissimilarity")))
		d = append(d, rapid.Float64Range(0, 5).Draw(t, "distance"))
	}
	slices.Sort(p.delta)
	return p, d
}

func sequence(n int) (all []int) {
	for k := range n {
		all = append(all, k)
	}
	return all
}

// The regression is monotone, equal at ties, and closest among such functions of the
// dissimilarities. The min-max formula (Barlow et al. 1972) computes it without pooling.
func TestRegressionIsTheMonotoneOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, d := drawn(t)
		hat := make([]float64, len(d))
		p.regress(hat, d)
		mean := func(low, high float64) float64 { // of distances at dissimilarities of low to high
			sum, n := 0.0, 0
			for k, at := range p.order {
				if low <= p.delta[k] && p.delta[k] <= high {
					sum, n = sum+d[at], n+1
				}
			}
			return sum / float64(n)
		}
		f, _ := p.fitted(d)
		for k, at := range p.order {
			want := math.Inf(-1)
			for _, low := range p.delta[:k+1] {
				least := math.Inf(1)
				for _, high := range p.delta[k:] {
					least = min(least, mean(low, high))
				}
				want = max(want, least)
			}
			if math.Abs(hat[at]-want) > 1e-9 {
				t.Fatalf("pair %d at %g has %g, want %g", k, p.delta[k], hat[at], want)
			}
			if got := f.at(p.delta[k]); got != hat[at] {
				t.Fatalf("the function at %g is %g, want %g", p.delta[k], got, hat[at])
			}
		}
		if err := f.check(); err != nil {
			t.Fatal(err)
		}
	})
}

// The function is also monotone between and beyond the given dissimilarities.
func TestDisparitiesAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, d := drawn(t)
		f, _ := p.fitted(d)
		last := f.at(0)
		for delta := 0.25; delta < 12; delta += 0.25 {
			now := f.at(delta)
			if now < last-1e-12 || now < slices.Min(d)-1e-12 || now > slices.Max(d)+1e-12 {
				t.Fatalf("%g at %g after %g", now, delta, last)
			}
			last = now
		}
	})
}

// Only the order of dissimilarities matters: any monotone function of the distances of flat data
// still gives a flat map. No iteration raises the stress.
func TestOnlyTheOrderCounts(t *testing.T) {
	y := vec.Convert[float64](modeltest.Events(4, 60, 2))
	p := newPairs(y, 1)
	for k, v := range p.delta {
		p.delta[k] = 1 - math.Exp(-v/2) // of the same order
	}
	x := vec.Convert[float64](modeltest.Events(5, 60, 2))
	d := make([]float64, len(p.delta))
	if r, err := p.smacof(t.Context(), d, y.Clone(), 1); err != nil || !r.Converged {
		t.Fatal(r, err)
	}
	if _, stress := p.fitted(d); !(stress < 0.01) {
		t.Errorf("from the places themselves on, the stress is %g", stress)
	}
	p.distances(d, x, 1)
	_, before := p.fitted(d)
	for step := range 20 {
		hat := make([]float64, len(d))
		p.regress(hat, d)
		p.guttman(x, hat, d, 1)
		p.distances(d, x, 1)
		if s := vec.SquaredDistance(hat, d); step > 0 && s > before*(1+1e-12) {
			t.Fatalf("step %d: the stress grows from %g to %g", step, before, s)
		} else {
			before = s
		}
	}
}

// Ranks of a damaged file are refused.
func TestRanksAreChecked(t *testing.T) {
	for name, rows := range map[string][][]float64{
		"an interval that ends before it begins": {{1, 0.5, 1}},
		"intervals that overlap":                 {{1, 2, 1}, {1.5, 3, 2}},
		"values that fall":                       {{1, 2, 1}, {3, 4, 0.5}},
		"a value below 0":                        {{1, 2, -1}},
	} {
		t.Run(name, func(t *testing.T) {
			if err := (monotone{rowsOf(rows)}).check(); err == nil {
				t.Error("want an error")
			}
		})
	}
	if err := (monotone{}).check(); err == nil {
		t.Error("no rows: want an error")
	}
}
