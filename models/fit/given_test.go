package fit

import (
	"bytes"
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/student"
	"unfold/sparse"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
	"unfold/sparse/knn/knntest"
)

// neighborsOf returns the k nearest other rows of all rows, with their distances.
func neighborsOf(x vec.Matrix[float32], k int) *knn.Given {
	nb := knntest.BruteGraph(x, k)
	g := &knn.Given{N: nb.N, K: nb.K, Index: nb.Index}
	for _, d := range nb.Dist2 {
		g.Dist = append(g.Dist, float32(math.Sqrt(d)))
	}
	return g
}

// near returns a spec that holds places near given ones, so that only the distances shape the map.
func near(tails lvm.Tails, frame vec.Matrix[float32]) Spec {
	s := Spec{Common: models.Common{Steps: 5, Seed: 1}, PCA: PCANone, LVM: lvm.Options{Tails: tails}}
	p := prior.Settings{Frame: prior.Given, Given: vec.Convert[float64](frame)}
	if s.LVM.Student = (student.Options{Prior: p}); tails == lvm.Gaussian {
		s.LVM = lvm.Options{Tails: tails, Saul: saul.Options{Prior: p}}
	}
	return s
}

// Given distances determine the map and the novelty of distant rows, whatever the vectors. Their
// unit does not matter, and distances of the vectors do not change a bit.
func TestGivenDistances(t *testing.T) {
	const n = 160
	x := modeltest.Events(3, n, 6)
	y := x.Clone() // the same rows in another space
	for i := range n {
		y.Row(i)[0] *= 3
		y.Row(i)[1] *= 0.3
	}
	frame := modeltest.Events(5, n, 2)
	// With Gaussian tails, bridges between groups are measured by the vectors.
	for tails, close := range map[lvm.Tails]float64{lvm.Student: 1e-5, lvm.Gaussian: 1e-2} {
		t.Run(tails.String(), func(t *testing.T) {
			learn := func(rows vec.Matrix[float32], g *knn.Given) (*Result, []byte) {
				t.Helper()
				spec := near(tails, frame)
				spec.Given = g
				s, r, err := Fit(t.Context(), rows, spec, nil)
				if err != nil {
					t.Fatal(err)
				}
				return r, written(t, s)
			}
			own, same := learn(x, nil)
			want, _ := learn(y, nil)
			got, _ := learn(x, neighborsOf(y, 60))
			if !got.Report.Search.Distances {
				t.Error("the distances are not taken")
			}
			rel := func(a, b float64) float64 { return math.Abs(a-b) / math.Abs(b) }
			if rel(got.Report.Loglik, want.Report.Loglik) > close || rel(own.Report.Loglik, want.Report.Loglik) < 3*close {
				t.Errorf("likelihood %.1f, of rows at these distances %.1f, at their own %.1f", got.Report.Loglik, want.Report.Loglik, own.Report.Loglik)
			}
			for i, v := range got.Placed.NoveltyGlobal {
				if math.Abs(float64(v-want.Placed.NoveltyGlobal[i])) > 0.01 {
					t.Fatalf("row %d has novelty %v, at these distances %v", i, v, want.Placed.NoveltyGlobal[i])
				}
			}
			if own.Placed.NoveltyGlobal[0] == want.Placed.NoveltyGlobal[0] && own.Placed.NoveltyGlobal[1] == want.Placed.NoveltyGlobal[1] {
				t.Error("both spaces have one novelty")
			}
			g := neighborsOf(x, 60)
			for i := range g.Dist {
				g.Dist[i] *= 7
			}
			if _, file := learn(x, g); !bytes.Equal(file, same) {
				t.Error("seven times the vectors' own distances make another map")
			}
			for i := range g.Dist {
				g.Dist[i] *= 1 + 2*float32(i/g.K)/n // a different factor for each row
			}
			if r, file := learn(x, g); bytes.Equal(file, same) || !r.Report.Search.Distances {
				t.Error("distances that grow from row to row make the same map")
			}
		})
	}
}

// Distances that are all 0 are bad input.
func TestNoDistances(t *testing.T) {
	x := modeltest.Events(3, 60, 4)
	spec := quick()
	spec.Given = neighborsOf(x, 20)
	clear(spec.Given.Dist)
	if _, _, err := Fit(t.Context(), x, spec, nil); !models.IsBadInput(err) {
		t.Errorf("error %v", err)
	}
}

// edits returns Levenshtein's distance of two words.
func edits(a, b string) float64 {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0]++
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return float64(row[len(b)])
}

// Words are mapped by their edit distances alone. Words made from one word by some edits lie
// together (equation 44 of the paper's supplement).
func TestWordsByEditDistance(t *testing.T) {
	seeds := []string{"neighbourhood", "probabilistic", "manifestation", "counterweight"}
	var words []string
	for _, w := range seeds {
		for i := range len(w) - 1 {
			for _, c := range "xyz" {
				words = append(words, w[:i]+string(c)+w[i+1:], w[:i]+string(c)+w[i:])
			}
		}
	}
	n := len(words)
	var from, to []int32
	var length []float64
	for i, a := range words {
		for j, b := range words {
			if d := edits(a, b); i != j && (d <= 2 || j == (i+n/4)%n) {
				from, to, length = append(from, int32(i)), append(to, int32(j)), append(length, d)
			}
		}
	}
	a := sparse.FromTriplets(n, n, from, to, length)
	for _, tails := range []lvm.Tails{lvm.Student, lvm.Gaussian} {
		_, r, err := Graph(t.Context(), a, graph.Distance, Spec{LVM: lvm.Options{Tails: tails}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		near, err := knn.Graph(t.Context(), r.Placed.Mu, 1, knn.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		other := 0
		for i, j := range near.Index {
			if i/(n/4) != int(j)/(n/4) {
				other++
			}
		}
		if other > n/50 {
			t.Errorf("%v tails: %d of %d words lie beside one of another stem", tails, other, n)
		}
	}
}
