package gplvm

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
)

// holed returns x with some values missing, never all of a row.
func holed(x vec.Matrix[float32], share float64, seed uint64) vec.Matrix[float32] {
	rnd := rand.New(rand.NewPCG(seed, 6))
	out := x.Clone()
	for i := range out.Rows {
		keep := rnd.IntN(out.Cols)
		for c := range out.Row(i) {
			if c != keep && rnd.Float64() < share {
				out.Row(i)[c] = float32(math.NaN())
			}
		}
	}
	return out
}

// Missing values of learnt rows and of new rows are imputed near the true values, in the full and
// in the sparse model. Observed values stay, and threads do not matter.
func TestFitMissing(t *testing.T) {
	ctx := context.Background()
	whole := sheet(160, 7)
	holes := holed(whole, 0.15, 1)
	for name, o := range map[string]Options{
		"full":       {Points: 120, Optimizer: optimizerLBFGS},
		"active set": {Points: 120, Active: 40},
	} {
		x := holes.Clone()
		f, err := Fit(ctx, x, FitSettings{Common: models.Common{Steps: 12}, Options: o}, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		variance, wrong, count := 0.0, 0.0, 0.0
		for i, v := range holes.Data {
			if v == v {
				if x.Data[i] != v {
					t.Fatalf("%s: a value that was there is %v, not %v", name, x.Data[i], v)
				}
				continue
			}
			variance += float64(whole.Data[i]) * float64(whole.Data[i])
			wrong += float64(x.Data[i]-whole.Data[i]) * float64(x.Data[i]-whole.Data[i])
			count++
		}
		t.Logf("%s: %.0f values filled in, %.3f of their mean square is wrong", name, count, wrong/variance)
		if !(wrong < 0.5*variance) || count < 50 {
			t.Errorf("%s: %.3f of the mean square of %.0f values is wrong", name, wrong/variance, count)
		}
		mu, sigma2, err := f.PlaceAll(ctx, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		for l, i := range f.Learnt {
			if !slices.Equal(mu.Row(int(i)), f.Point.X.Row(l)) {
				t.Fatalf("%s: a learnt point is not where it was learnt", name)
			}
		}
		for i, s := range sigma2 {
			if !(s > 0) || s > 1 {
				t.Errorf("%s: variance %d is %g", name, i, s)
			}
		}
		if len(f.completed) == 0 {
			t.Errorf("%s: no row was placed by what was there of it", name)
		}
		for _, c := range f.completed {
			if !slices.Equal(mu.Row(int(c.Row)), c.Mu) {
				t.Errorf("%s: row %d is not where it is by what was there of it", name, c.Row)
			}
		}
		again := holes.Clone()
		if _, err := Fit(ctx, again, FitSettings{Common: models.Common{Steps: 12, Threads: 1}, Options: o}, nil); err != nil || !slices.Equal(again.Data, x.Data) {
			t.Errorf("%s: with one thread other values are filled in (%v)", name, err)
		}
	}
}

// New rows are placed by the active set alone, nearly as well as by all rows.
func TestActiveSet(t *testing.T) {
	ctx := context.Background()
	x := sheet(200, 8)
	f, err := Fit(ctx, x, FitSettings{Common: models.Common{Steps: 6}, Options: Options{Active: 50}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Active) != 50 || !slices.IsSorted(f.Active) || f.Runs[0].Iterations != 6 {
		t.Fatalf("active set %v, runs %+v", f.Active, f.Runs)
	}
	p, err := newPlacer(f)
	if err != nil {
		t.Fatal(err)
	}
	if p.active.x.Rows != 50 {
		t.Errorf("%d points place others", p.active.x.Rows)
	}
	w, fresh, wrong, all := p.invite(), sheet(50, 9), 0.0, 0.0
	near, err := knn.NewExact(x).Search(ctx, fresh, placeStarts, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	y, at := make([]float64, 5), make([]float64, 5)
	for i := range fresh.Rows {
		list, _ := near.Row(i)
		mu, _, err := w.Place(ctx, fresh.Row(i), list)
		if err != nil {
			t.Fatal(err)
		}
		w.Decode(at, mu)
		f.Units.Apply(y, fresh.Row(i))
		wrong += vec.SquaredDistance(at, y)
		all += vec.SquaredNorm(y)
	}
	t.Logf("%.3f of the mean square of new vectors is not decoded", wrong/all)
	if wrong > 0.2*all {
		t.Errorf("%.3f of the mean square of new vectors is not decoded", wrong/all)
	}
}
