package student

import (
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models/score"
)

// uneven returns n points of three groups of different spread.
func uneven(n int) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(4, 4))
	x := vec.New[float32](n, 5)
	for i := range n {
		g := i % 3
		for c := range x.Cols {
			x.Row(i)[c] = float32(math.Pow(1.7, float64(g)) * r.NormFloat64())
		}
		x.Row(i)[g] += 30
	}
	return x
}

// TestDensityFollowsTheData: with a density power, the density of the map follows that of the data
// more closely, and sparse groups take more room.
func TestDensityFollowsTheData(t *testing.T) {
	x := uneven(300)
	var last, spread float64
	for _, power := range []float64{0, 2} {
		s := Settings{Options: Options{Density: power}}
		r, err := Fit(t.Context(), x, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		n, err := score.Neighborhoods(t.Context(), x, r.Mu, score.Settings{Sample: -1})
		if err != nil {
			t.Fatal(err)
		}
		// The ratio of neighbour distances between the sparsest and the densest group.
		var far [3]float64
		for i := range x.Rows {
			index, _ := r.Neighbors.Row(i)
			far[i%3] += math.Log(math.Sqrt(vec.SquaredDistance(r.Mu.Row(i), r.Mu.Row(int(index[0])))))
		}
		wider := (far[2] - far[0]) / 100
		t.Logf("power %v: density %.3f, log ratio %.2f, trustworthiness %.4f", power, n.Density, wider, n.Trustworthiness)
		if power > 0 && !(wider > spread+0.5 && n.Density > last) || n.Trustworthiness < 0.95 {
			t.Errorf("power %v: density %.3f after %.3f, log ratio %.2f after %.2f, trustworthiness %.4f", power, n.Density, last, wider, spread, n.Trustworthiness)
		}
		last, spread = n.Density, wider
	}
}

// TestDensityScales compares the scales of H21 with their definition, including the clipping.
func TestDensityScales(t *testing.T) {
	x := uneven(60)
	nb := neighbors(t, x, 4)
	unit := Native.Unit(nb, 4)
	clip := func(v float64) float64 { return min(max(v, 0.1), 10) }
	radius2 := func(i int) float64 {
		_, dist2 := nb.Row(i)
		return clip((dist2[0] + dist2[1] + dist2[2] + dist2[3]) / 4 / unit)
	}
	for _, power := range []float64{0.5, 2} {
		p := newProblem(nb, nil, edgeWeights{rank: nearWeights(4, 0)}, newLengths(nb, 4, Settings{Options: Options{Density: power}}, unit), 1)
		for i := range x.Rows {
			index, dist2 := nb.Row(i)
			var widest float64
			for m, j := range index[:4] {
				own := math.Sqrt(radius2(i) * radius2(int(j)))
				want := clip(dist2[m]/unit/own) * math.Pow(own, power)
				q := -1
				for at := p.Similar.Start[i]; at < p.Similar.Start[i+1]; at++ {
					if p.Similar.Index[at] == j {
						q = at
					}
				}
				if math.Abs(p.delta2.at(q)-want) > 1e-12*want {
					t.Fatalf("delta^2 of %d and %d is %v, want %v", i, j, p.delta2.at(q), want)
				}
				widest = max(widest, clip(dist2[m]/unit/radius2(i))*math.Pow(radius2(i), power))
			}
			if math.Abs(p.Bandwidth2[i]-widest) > 1e-12*widest {
				t.Fatalf("Delta^2 of %d is %v, want %v", i, p.Bandwidth2[i], widest)
			}
		}
	}
}
