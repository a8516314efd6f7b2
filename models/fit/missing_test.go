package fit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// holes returns points on a bent sheet in 5 dimensions with some missing values, and two equal
// rows.
func holes(n int) vec.Matrix[float32] {
	rnd := rand.New(rand.NewPCG(4, 4))
	x := vec.New[float32](n, 5)
	for i := range n {
		u, v := rnd.Float64(), rnd.Float64()
		copy(x.Row(i), []float32{float32(u), float32(v), float32(u * u), float32(math.Sin(3 * v)), float32(u * v)})
		if i%4 == 0 {
			x.Row(i)[i/4%5] = float32(math.NaN())
		}
	}
	copy(x.Row(3), x.Row(1))
	return x
}

// A fit with missing values gives a complete snapshot that can be written and read. It places the
// rows, with their missing values, as the fit did: skipping all values, alone and together.
func TestMissingValues(t *testing.T) {
	ctx := context.Background()
	x := holes(90)
	given := x.Clone()
	for name, o := range map[string]gplvm.Options{"full": {Points: 60}, "active": {Points: 60, Active: 30}, "smooth": {Smooth: true}} {
		x := given.Clone()
		s, r, err := Fit(ctx, x, Spec{Kind: GPLVM, GPLVM: o, Common: models.Common{Steps: 10}}, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if models.CheckRows(x, nil) != nil || models.CheckRows(s.Reference, nil) != nil {
			t.Errorf("%s: values are still missing", name)
		}
		if own := r.Own.(GaussianProcess); own.Filled != 23 {
			t.Errorf("%s: %d values were filled in", name, own.Filled)
		}
		s = rewritten(t, s)
		p, err := Open(s, placing.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		placed, err := p.(models.Lenient).PlaceMissing(ctx, given)
		if err != nil {
			t.Fatal(name, err)
		}
		for i := range given.Rows {
			if vec.SquaredDistance(placed.Mu.Row(i), r.Placed.Mu.Row(i)) != 0 || placed.Sigma[i] != r.Placed.Sigma[i] || placed.NoveltyLocal[i] != r.Placed.NoveltyLocal[i] {
				t.Errorf("%s: row %d is placed at %v ± %v, by the fit at %v ± %v", name, i, placed.Mu.Row(i), placed.Sigma[i], r.Placed.Mu.Row(i), r.Placed.Sigma[i])
			}
		}
		fresh := vec.Of(1, 5, []float32{0.31, float32(math.NaN()), 0.1, 0.9, 0.1})
		one, err := p.(models.Lenient).PlaceMissing(ctx, fresh)
		if err != nil || one.Mu.Data[0] != one.Mu.Data[0] || fresh.Data[1] == fresh.Data[1] {
			t.Errorf("%s: an event is placed at %v, %v", name, one.Mu, err)
		}
		lines := ""
		for _, l := range (Kinds{}).Describe(s) {
			lines += l.Name + ": " + l.Value + "\n"
		}
		if !strings.Contains(lines, "filled in") || strings.Contains(lines, "active set") != (name == "active") {
			t.Errorf("%s: described as %s", name, lines)
		}
	}
}

// Rows with the same missing values and equal other values are one point, learnt or not, and all of
// them are imputed.
func TestRowsThatLackTheSame(t *testing.T) {
	ctx := context.Background()
	for name, learnt := range map[string]int{"all learnt": 60, "a sample": 25} {
		x := holes(60)
		for i := 4; i < 60; i += 8 { // each lacks a value
			copy(x.Row(i+1), x.Row(i))
		}
		given := x.Clone()
		s, r, err := Fit(ctx, x, Spec{Kind: GPLVM, GPLVM: gplvm.Options{Points: learnt}, Common: models.Common{Steps: 5}}, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		for i := 4; i < 60; i += 8 {
			if r.Row[i] != r.Row[i+1] || !slices.Equal(x.Row(i), x.Row(i+1)) || models.CheckRows(x.Slice(i, i+2), nil) != nil {
				t.Errorf("%s: rows %d and %d are points %d and %d, %v and %v", name, i, i+1, r.Row[i], r.Row[i+1], x.Row(i), x.Row(i+1))
			}
		}
		p, err := Open(rewritten(t, s), placing.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		placed, err := p.(models.Lenient).PlaceMissing(ctx, given)
		if err != nil {
			t.Fatal(name, err)
		}
		for i := range given.Rows {
			if !slices.Equal(placed.Mu.Row(i), r.Placed.Mu.Row(i)) {
				t.Errorf("%s: row %d is placed at %v, by the fit at %v", name, i, placed.Mu.Row(i), r.Placed.Mu.Row(i))
			}
		}
	}
}

// rewritten returns a snapshot after it was written and read.
func rewritten(t *testing.T, s *snapshot.Snapshot) *snapshot.Snapshot {
	t.Helper()
	var file strings.Builder
	if err := snapshot.Write(&file, s); err != nil {
		t.Fatal(err)
	}
	again, err := snapshot.Read(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// Rows with too many missing values, and models without support for them, are refused with the
// reason.
func TestMissingBadInput(t *testing.T) {
	nan := float32(math.NaN())
	empty := holes(40)
	copy(empty.Row(8), []float32{nan, nan, nan, nan, nan})
	column := holes(40)
	for i := range column.Rows {
		column.Row(i)[2] = nan
	}
	for name, c := range map[string]struct {
		x    vec.Matrix[float32]
		spec Spec
		want string
	}{
		"row":    {empty, Spec{Kind: GPLVM}, "row 8: all values are missing"},
		"column": {column, Spec{Kind: GPLVM}, "column 2: no value is observed"},
		"pca":    {holes(40), Spec{Kind: GPLVM, PCA: 3}, "3 principal components"},
		"lvm":    {holes(40), Spec{Kind: LVM}, "NaN"},
		"lllvm":  {holes(40), Spec{Kind: LLLVM}, "NaN"},
	} {
		_, _, err := Fit(context.Background(), c.x, c.spec, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, models.ErrBadInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s, _, err := Fit(context.Background(), holes(40), Spec{Kind: GPLVM, Common: models.Common{Steps: 3}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.(models.Lenient).PlaceMissing(context.Background(), vec.Of(1, 5, []float32{nan, nan, nan, nan, nan})); !errors.Is(err, models.ErrBadInput) {
		t.Errorf("an event of nothing: %v", err)
	}
}
