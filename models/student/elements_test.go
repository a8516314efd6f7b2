package student

import (
	"context"
	"math"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/pca"
)

// TestElementTypes: the same numbers as float32 and as float64 give the same likelihood and the
// same map. Neighbours are found in single precision, distances are computed in double precision.
func TestElementTypes(t *testing.T) {
	ctx := context.Background()
	x, _, _, _ := modeltest.Digits(t)
	x = x.Slice(0, 1500)
	pca, err := pca.Fit(ctx, x, 30, pca.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	z := pca.Projector().Apply(x, 0)
	for _, s := range []Settings{{Common: models.Common{Steps: 40}}, {Common: models.Common{Dims: 10, Steps: 20}}} {
		single, err := fit(ctx, z, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		double, err := fit(ctx, vec.Convert[float64](z), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		var most, size float64
		for k, v := range double.Mu.Data {
			most, size = max(most, math.Abs(v-single.Mu.Data[k])), max(size, math.Abs(v))
		}
		off := math.Abs(single.Report.Loglik/double.Report.Loglik - 1)
		if !(off <= 1e-9) || !(most <= 1e-9*size) {
			t.Errorf("d = %d: likelihoods are apart by %g, places by %g of %g", single.Settings.Dims, off, most, size)
		}
	}
}
