package student

import (
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/points"
	"unfold/models/prior"
	"unfold/sparse/graph"
)

// TestOrder: a problem with its points in another order has the same map up to rounding, also with
// labels and further edges. The lists stay unchanged.
func TestOrder(t *testing.T) {
	for name, set := range map[string]func(s *Settings, n int){
		"as it is": func(*Settings, int) {},
		"labels": func(s *Settings, n int) {
			s.Supervision, s.Labels = 0.9, make([]string, n)
			for i := range s.Labels {
				s.Labels[i] = string(rune('a' + i%3))
			}
		},
		"density": func(s *Settings, _ int) { s.Density = 0.5 },
	} {
		t.Run(name, func(t *testing.T) {
			x := modeltest.Blobs(300, 4, 7)
			s := Settings{Common: models.Common{Dims: 2, Neighbors: 6, Steps: 5}, Options: Options{Tolerance: 1e-14}}
			set(&s, x.Rows)
			s, err := s.WithDefaults()
			if err != nil {
				t.Fatal(err)
			}
			var place [2]vec.Matrix[float64]
			var error2 [2][]float64
			for way := range place {
				f, err := points.Begin(t.Context(), x, s.Common, s.SearchLists(x.Rows), nil)
				if err != nil {
					t.Fatal(err)
				}
				l := &Learner{Settings: s}
				if way == 1 {
					l.order = graph.BreadthFirst(f.Out.Neighbors, 6)
					slices.Reverse(l.order)
				}
				before := slices.Clone(f.Out.Neighbors.Index)
				l.Problem, l.further = problem(f.X, f.Out.Neighbors, 6, s, 0, l.order)
				if !slices.Equal(f.Out.Neighbors.Index, before) {
					t.Fatal("the lists are not what they were")
				}
				st, frame, err := l.start(t.Context(), prior.Points{X: x, Neighbors: f.Out.Neighbors, Unique: f.Out.Unique}, nil)
				if err != nil {
					t.Fatal(err)
				}
				l.field()
				r, err := maximise(t.Context(), f, l, st, frame)
				if err != nil {
					t.Fatal(err)
				}
				place[way], error2[way] = r.Mu, r.Student.Error2
			}
			var scale float64
			for _, v := range place[0].Data {
				scale = max(scale, math.Abs(v))
			}
			for i, e := range error2[0] {
				apart := math.Sqrt(vec.SquaredDistance(place[0].Row(i), place[1].Row(i)))
				if apart > 1e-8*scale || math.Abs(error2[1][i]-e) > 1e-8*e {
					t.Fatalf("point %d is at %v (error^2 %v), in another order at %v (%v)", i, place[0].Row(i), e, place[1].Row(i), error2[1][i])
				}
			}
		})
	}
}
