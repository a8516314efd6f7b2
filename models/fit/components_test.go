package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

// gaussian draws rows of independent columns with the given standard deviations.
func gaussian(n int, deviations []float64) vec.Matrix[float32] {
	rng := rand.New(rand.NewPCG(7, 1))
	x := vec.New[float32](n, len(deviations))
	for i := range x.Data {
		x.Data[i] = float32(rng.NormFloat64() * deviations[i%len(deviations)])
	}
	return x
}

// falling returns standard deviations: the first many are 1, the others less.
func falling(dim, many int, less float64) []float64 {
	d := make([]float64, dim)
	for j := range d {
		if d[j] = 1; j >= many {
			d[j] = less
		}
	}
	return d
}

// The data decide how many components are kept. Few are kept if few directions vary, none are
// dropped if all vary, and more are kept if groups carry variance that neighbours do not show.
func TestChoose(t *testing.T) {
	groups := gaussian(1200, falling(64, 64, 1))
	for i := range groups.Rows {
		for j := range groups.Row(i) {
			groups.Row(i)[j] += float32(30 * (i%3 - 1) * (j % 2))
		}
	}
	for _, c := range []struct {
		name        string
		x           vec.Matrix[float32]
		least, most int
	}{
		{"few directions", gaussian(1200, falling(400, 20, 0.02)), 50, 50},
		{"a hundred directions", gaussian(1200, falling(300, 100, 0.02)), 96, 112},
		{"all of few", gaussian(1200, falling(120, 120, 1)), 120, 120},
		{"all of many", gaussian(1200, falling(400, 400, 1)), MostPCA, MostPCA},
		{"groups far apart", groups, 64, 64},
	} {
		s, chosen, err := Spec{}.Choose(context.Background(), c.x)
		if err != nil || chosen == nil {
			t.Errorf("%s: %+v, %v", c.name, chosen, err)
			continue
		}
		if chosen.Kept < c.least || chosen.Kept > c.most || chosen.Of != c.x.Cols {
			t.Errorf("%s: %d of %d components, want %d to %d of %d", c.name, chosen.Kept, chosen.Of, c.least, c.most, c.x.Cols)
		}
		if want := chosen.Kept; chosen.Kept == chosen.Of && s.PCA != PCANone || chosen.Kept < chosen.Of && s.PCA != want {
			t.Errorf("%s: pca %d of %+v", c.name, s.PCA, chosen)
		}
		if chosen.Kept < MostPCA && chosen.Neighbors < shareOf(c.x.Rows) {
			t.Errorf("%s: %.2f of the neighbours are kept", c.name, chosen.Neighbors)
		}
	}
}

// Without a choice of components the spec stays as it is.
func TestNoChoice(t *testing.T) {
	x := gaussian(200, falling(60, 60, 1))
	own := Spec{PCA: 55}
	manhattan := Spec{}
	manhattan.Distance = distance.Manhattan
	for name, c := range map[string]struct {
		spec Spec
		x    vec.Matrix[float32]
	}{
		"a number is given":   {own, x},
		"none":                {Spec{PCA: PCANone}, x},
		"another kind":        {Spec{Kind: "isomap"}, x},
		"another distance":    {manhattan, x},
		"as few elements":     {Spec{}, gaussian(200, falling(DefaultPCA, 50, 1))},
		"hardly any rows":     {Spec{}, x.Slice(0, 39)},
		"values not finite":   {Spec{}, infinite(x)},
		"no rows, no columns": {Spec{}, vec.Matrix[float32]{}},
	} {
		s, chosen, err := c.spec.Choose(context.Background(), c.x)
		if err != nil || chosen != nil || s.PCA != c.spec.PCA {
			t.Errorf("%s: pca %d, %+v, %v", name, s.PCA, chosen, err)
		}
	}
}

func infinite(x vec.Matrix[float32]) vec.Matrix[float32] {
	x = x.Clone()
	for i := range x.Rows {
		x.Row(i)[3] = float32(math.Inf(1))
	}
	return x
}

// The share of variance decreases gradually as rows increase.
func TestShareOf(t *testing.T) {
	for n, want := range map[int]float64{1: 0.88, 10_000: 0.88, 100_000: 0.8, 10_000_000: 0.8} {
		if got := shareOf(n); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%d rows: %.3f, want %.3f", n, got, want)
		}
	}
}

// A map has at least as many components as dimensions.
func TestComponentsForDims(t *testing.T) {
	x := gaussian(300, falling(200, 10, 0.01))
	s, c, err := Spec{Common: models.Common{Dims: 70}}.Choose(context.Background(), x)
	if err != nil || c.Kept != 70 || s.PCA != 70 {
		t.Errorf("pca %d, %+v, %v", s.PCA, c, err)
	}
}

// Components are kept as long as they preserve as many neighbours as new ones would. They are
// learnt again when the rows vary in other directions.
func TestRenew(t *testing.T) {
	ctx := context.Background()
	d := falling(200, 40, 0.05)
	first := gaussian(2000, d)
	s, _, err := Spec{}.Choose(ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	p, err := prepareFull(ctx, first, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	old, err := p.components(ctx, first.Slice(0, 1000))
	if err != nil {
		t.Fatal(err)
	}
	same, err := Spec{}.Renew(ctx, first, old)
	if err != nil || same != old {
		t.Errorf("rows of the same kind: components are learnt again (%v)", err)
	}
	other := make([]float64, len(d))
	for j := range d {
		other[j] = d[len(d)-1-j]
	}
	renewed, err := Spec{}.Renew(ctx, gaussian(2000, other), old)
	if err != nil || renewed == old {
		t.Errorf("rows that vary in other columns: the components stay (%v)", err)
	}
}
