package saul

import (
	"context"
	"math"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/student"
)

// TestHeavyIsThatOfFit: the model of a point set is the one that a fit learns by.
func TestHeavyIsThatOfFit(t *testing.T) {
	for _, dims := range []int{2, 5} {
		r, err := Fit(context.Background(), blobs(2500, 5, 3), Settings{Dims: dims, Steps: 8}, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := NewHeavy(r.Neighbors, Settings{Dims: dims, Steps: 8}, 0)
		if err != nil {
			t.Fatal(err)
		}
		st := &student.State{Mu: r.Mu, Sigma2: r.Sigma2}
		if got := h.Model.LogLikelihood(st); dims == 2 && math.Abs(got-r.Report.Loglik) > 1e-9*math.Abs(got) {
			t.Errorf("d = %d: L is %v, the fit says %v", dims, got, r.Report.Loglik)
		}
		s := h.Describe(st)
		if want := r.Student; s.Tail != want.Tail || s.Unit != want.Unit || s.Clip != want.Clip || s.Weight != want.Weight ||
			s.Field != want.Field || s.Theta != want.Theta || s.Seed != want.Seed || !slices.Equal(s.Error2, want.Error2) {
			t.Errorf("d = %d: %+v, the fit says %+v", dims, s, want)
		}
		if h.Settings.Steps != r.Settings.Steps || h.Settings.Weight != r.Settings.Weight {
			t.Errorf("d = %d: %+v, the fit has %+v", dims, h.Settings, r.Settings)
		}
	}
	if _, err := NewHeavy(nil, Settings{Tails: Gaussian}, 0); err == nil {
		t.Error("a heavy model with Gaussian tails")
	}
}

// TestContinueIsFit: from the start of a fit, and in two parts without momentum,
// it is the fit; also where only the largest component is learnt.
func TestContinueIsFit(t *testing.T) {
	ctx := context.Background()
	for _, components := range []Components{Connect, Largest} {
		s := Settings{Tails: Gaussian, Neighbors: 5, Steps: 9, NoMomentum: true, Components: components}
		x := blobs(300, 3, 2)
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
	if _, err := Continue(ctx, vec.Matrix[float32]{}, nil, Warm{}, Settings{}); err == nil {
		t.Error("a map with heavy tails was continued as one with Gaussian ones")
	}
}

func same(t *testing.T, name string, want, got *Result) {
	t.Helper()
	if !slices.Equal(want.Mu.Data, got.Mu.Data) || !slices.Equal(want.Sigma2, got.Sigma2) ||
		!slices.Equal(want.Bandwidth2, got.Bandwidth2) || !slices.Equal(want.Unlearnt, got.Unlearnt) {
		t.Errorf("%s: another map than that of Fit", name)
	}
}
