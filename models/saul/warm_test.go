package saul

import (
	"context"
	"slices"
	"testing"

	"unfold/models"
	"unfold/models/modeltest"
)

// Continue from the start of a fit equals the fit. So does Continue in two parts without momentum,
// and with only the largest component learnt.
func TestContinueIsFit(t *testing.T) {
	ctx := context.Background()
	for _, components := range []Components{Connect, Largest} {
		s := Settings{Common: models.Common{Neighbors: 5, Steps: 9}, Options: Options{NoMomentum: true, Components: components}}
		x := modeltest.Blobs(300, 3, 2)
		for i := range 8 {
			x.Row(i)[0] += 500
		}
		want, err := Fit(ctx, x, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Continue(ctx, x, want.Neighbors, Warm{}, s)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "at once", want, got)
		if components == Largest {
			continue // points that are not learnt are placed by the number of steps
		}
		s.Steps = 4
		first, err := Continue(ctx, x, want.Neighbors, Warm{}, s)
		if err != nil {
			t.Fatal(err)
		}
		s.Steps = 5
		got, err = Continue(ctx, x, want.Neighbors, Warm{State: &State{Mu: first.Mu, Sigma2: first.Sigma2}}, s)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "in two parts", want, got)
	}
}

func same(t *testing.T, name string, want, got *Result) {
	t.Helper()
	if !slices.Equal(want.Mu.Data, got.Mu.Data) || !slices.Equal(want.Sigma2, got.Sigma2) ||
		!slices.Equal(want.Bandwidth2, got.Bandwidth2) || !slices.Equal(want.Unlearnt, got.Unlearnt) {
		t.Errorf("%s: another map than that of Fit", name)
	}
}
