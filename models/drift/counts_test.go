package drift

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"unfold/sparse/graph"
)

// countsOf counts a graph of edges of weight 1 in one pass. A pair that occurs twice has weight 2.
func countsOf(n int, edges []graph.Edge, newest []bool) Counts {
	var c Counts
	weight, strength := map[[2]int32]int64{}, make([]int64, n)
	for _, is := range newest {
		if is {
			c.Newest++
		} else {
			c.Reference++
		}
	}
	for _, e := range edges {
		weight[[2]int32{min(e.I, e.J), max(e.I, e.J)}]++
		strength[e.I]++
		strength[e.J]++
	}
	for pair, w := range weight {
		c.Weight += w
		c.Squares += w * w
		if newest[pair[0]] != newest[pair[1]] {
			c.Cross += w
		}
	}
	for i, s := range strength {
		c.Strengths += s * s
		if newest[i] {
			c.Ends += s
		}
	}
	return c
}

// The mean and the variance agree with an enumeration of all choices of the newest points, on any
// small graph.
func TestMomentsAreThoseOfAllChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "points")
		m := rapid.IntRange(0, n).Draw(t, "newest")
		var edges []graph.Edge
		for range rapid.IntRange(0, 14).Draw(t, "edges") {
			i := rapid.Int32Range(0, int32(n)-2).Draw(t, "i")
			e := graph.Edge{I: i, J: rapid.Int32Range(i+1, int32(n)-1).Draw(t, "j")}
			edges = append(edges, e)
		}
		var sum, squares, ends, endsSquared, choices float64
		var last Counts
		var got Test
		for bits := range 1 << n {
			newest, count := make([]bool, n), 0
			for i := range newest {
				if newest[i] = bits>>i&1 == 1; newest[i] {
					count++
				}
			}
			if count != m {
				continue
			}
			x := float64(crossing(edges, newest))
			sum, squares, choices = sum+x, squares+x*x, choices+1
			last = countsOf(n, edges, newest)
			got = last.Test()
			y := float64(last.Ends)
			ends, endsSquared = ends+y, endsSquared+y*y
			if float64(got.Cross) != x {
				t.Fatalf("%d cross edges, want %v", got.Cross, x)
			}
		}
		mean := sum / choices
		deviation := math.Sqrt(max(0, squares/choices-mean*mean))
		if math.Abs(got.Mean-mean) > 1e-9 || math.Abs(got.Deviation-deviation) > 1e-6 {
			t.Fatalf("%d of %d points newest, edges %v: mean %v and deviation %v, want %v and %v", m, n, edges, got.Mean, got.Deviation, mean, deviation)
		}
		mean = ends / choices
		deviation, degree := math.Sqrt(max(0, endsSquared/choices-mean*mean)), 0.0
		if deviation > 1e-6 {
			degree = (float64(last.Ends) - mean) / deviation
		}
		if math.Abs(got.Degree-degree) > 1e-6 {
			t.Fatalf("%d of %d points newest, edges %v: degree %v, want %v", m, n, edges, got.Degree, degree)
		}
	})
}

// On a tree, (D2) and (D3) agree with the formulas of Friedman and Rafsky (1979). On lists of k
// neighbours, (D2) agrees with Schilling's (1986) for the share of neighbours of the same sample.
func TestMomentsAreThePapers(t *testing.T) {
	const n, m = 7, 5
	const all = float64(n + m)
	newest := make([]bool, n+m)
	for i := range m {
		newest[2*i] = true
	}
	for name, edges := range map[string][]graph.Edge{
		"path":     chain(n + m),
		"star":     star(n + m),
		"branches": append(chain(n), graph.Edge{I: 2, J: 7}, graph.Edge{I: 2, J: 8}, graph.Edge{I: 3, J: 9}, graph.Edge{I: 7, J: 10}, graph.Edge{I: 7, J: 11}),
	} {
		got := countsOf(n+m, edges, newest).Test()
		degree, pairs := make([]float64, n+m), 0.0
		for _, e := range edges {
			pairs += degree[e.I] + degree[e.J] // edges that share a point with this one
			degree[e.I]++
			degree[e.J]++
		}
		// The paper counts the trees that remain after cross edges are removed: R = X + 1.
		mean := 2*m*n/all + 1
		variance := 2 * m * n / (all * (all - 1)) * ((2*m*n-all)/all + (pairs-all+2)/((all-2)*(all-3))*(all*(all-1)-4*m*n+2))
		if math.Abs(got.Mean+1-mean) > 1e-12 || math.Abs(got.Deviation*got.Deviation-variance) > 1e-12 {
			t.Errorf("%s: mean %v and variance %v, Friedman and Rafsky have %v and %v", name, got.Mean+1, got.Deviation*got.Deviation, mean, variance)
		}
	}
	const k = 3
	var lists []graph.Edge
	for i := range n + m {
		for p := range k {
			lists = append(lists, graph.Edge{I: int32(i), J: int32((i + p + 1) % (n + m))})
		}
	}
	got := countsOf(n+m, lists, newest).Test()
	share := (m*(m-1) + n*(n-1)) / (all * (all - 1))
	if same := 1 - got.Mean/(all*k); math.Abs(same-share) > 1e-12 {
		t.Errorf("a share of %v of the neighbours are of the same sample, Schilling has %v", same, share)
	}
}

func chain(n int) (edges []graph.Edge) {
	for i := range n - 1 {
		edges = append(edges, graph.Edge{I: int32(i), J: int32(i + 1)})
	}
	return edges
}

func star(n int) (edges []graph.Edge) {
	for i := range n - 1 {
		edges = append(edges, graph.Edge{I: 0, J: int32(i + 1)})
	}
	return edges
}
