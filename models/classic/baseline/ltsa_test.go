package baseline

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
)

// A plane is mapped to a plane by a single linear map, also if it has several components.
func TestTangentsOfAPlaneAlign(t *testing.T) {
	for _, c := range []struct {
		name  string
		apart float32
	}{{"one part", 0}, {"two parts", 300}} {
		t.Run(c.name, func(t *testing.T) {
			const n = 200
			x, known, rnd := vec.New[float32](n, 5), mat.NewDense(n, 3, nil), rand.New(rand.NewPCG(8, 8))
			for i := range n {
				a, b := 10*rnd.Float32()+c.apart*float32(i%2), 10*rnd.Float32()
				copy(x.Row(i), []float32{a, b, 2*a + b, a - b, 3})
				known.SetRow(i, []float64{1, float64(a), float64(b)})
			}
			f, err := Fit(t.Context(), LTSA, x, Settings{Common: models.Common{Neighbors: 8}})
			if err != nil {
				t.Fatal(err)
			}
			at := f.model.(*scaled).x
			places := mat.NewDense(at.Rows, at.Cols, at.Data)
			var linear, rest mat.Dense
			if err := linear.Solve(known, places); err != nil {
				t.Fatal(err)
			}
			rest.Mul(known, &linear)
			rest.Sub(&rest, places)
			if left, all := mat.Norm(&rest, 2), mat.Norm(places, 2); !(left < 1e-4*all) {
				t.Errorf("%g of %g is not linear", left, all)
			}
		})
	}
}
