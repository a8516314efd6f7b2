package fit

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/lllvm"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/saul"
)

// cloudOf returns n normal rows of the given number of columns, changed by f.
func cloudOf(n, cols int, f func(i, j int, v float64) float64) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(11, 7))
	x := vec.New[float32](n, cols)
	for i := range n {
		for j := range cols {
			v := r.NormFloat64()
			if f != nil {
				v = f(i, j, v)
			}
			x.Row(i)[j] = float32(v)
		}
	}
	return x
}

// corner is a data set that a kind can barely learn.
type corner struct {
	name string
	x    vec.Matrix[float32]
	// bad: no kind can learn from it. Otherwise a kind may refuse it only with a reason of this
	// list.
	bad     bool
	refused []string
}

const tooFew = "distinct rows"

// ofScale lists the kinds whose map keeps the distances of the data on one scale, where an outlier
// can compress all other points.
var ofScale = map[string]bool{"isomap": true, "lle": true, "kpca": true, "mds": true, "gtm": true}

// corners returns the data sets for every kind.
func corners() []corner {
	column := func(value func(i int, v float64) float64) func(i, j int, v float64) float64 {
		return func(i, j int, v float64) float64 {
			if j == 2 {
				return value(i, v)
			}
			return v
		}
	}
	times := func(s float64) func(i, j int, v float64) float64 {
		return func(_, _ int, v float64) float64 { return s * v }
	}
	plain := cloudOf(48, 5, nil)
	again := func(period int) func(i, j int, v float64) float64 {
		return func(i, j int, _ float64) float64 { return float64(plain.Row(i % period)[j]) }
	}
	at := func(row int, v float64) func(i, j int, old float64) float64 {
		return func(i, j int, old float64) float64 {
			if i == row && j == 2 {
				return v
			}
			return old
		}
	}
	return []corner{
		{name: "plain", x: plain},
		{name: "no rows", x: cloudOf(0, 5, nil), bad: true},
		{name: "one row", x: cloudOf(1, 5, nil), bad: true},
		{name: "two rows", x: cloudOf(2, 5, nil), bad: true},
		{name: "three rows", x: cloudOf(3, 5, nil), refused: []string{tooFew}},
		{name: "four rows", x: cloudOf(4, 5, nil)},
		{name: "as many rows as neighbours", x: cloudOf(6, 5, nil)},
		{name: "one row more than neighbours", x: cloudOf(7, 5, nil)},
		{name: "as many rows as default neighbours", x: cloudOf(8, 5, nil)},
		{name: "one row more than Gaussian neighbours", x: cloudOf(10, 5, nil)},
		{name: "two rows more", x: cloudOf(11, 5, nil)},
		{name: "one column", x: cloudOf(48, 1, nil), refused: []string{"as many dimensions as elements"}},
		{name: "constant column", x: cloudOf(48, 5, column(func(int, float64) float64 { return 5 }))},
		{name: "constant column of a third", x: cloudOf(48, 5, column(func(int, float64) float64 { return 1. / 3 }))},
		{name: "nearly constant column", x: cloudOf(48, 5, column(func(i int, _ float64) float64 { return 1e6 + 0.0625*float64(i%2) }))},
		{name: "one column that varies", x: cloudOf(48, 3, func(_, j int, v float64) float64 { return v * float64(j/2) }), refused: []string{"too few for a map"}},
		{name: "equal rows", x: cloudOf(48, 5, again(1)), bad: true},
		{name: "three different rows", x: cloudOf(48, 5, again(3)), refused: []string{tooFew}},
		{name: "seven different rows", x: cloudOf(500, 5, again(7))},
		{name: "twelve different rows", x: cloudOf(48, 5, again(12))},
		{name: "line", x: cloudOf(48, 5, func(i, j int, _ float64) float64 { return float64(plain.Row(i)[0]) * float64(j+1) })},
		{name: "two equal parts", x: cloudOf(48, 5, func(i, _ int, v float64) float64 { return v + 1000*float64(i/24) }), refused: []string{"falls into 2 parts"}},
		{name: "NaN", x: cloudOf(48, 5, at(3, math.NaN()))},
		{name: "infinity", x: cloudOf(48, 5, at(3, math.Inf(1))), bad: true},
		{name: "nothing but NaN", x: cloudOf(48, 5, times(math.NaN())), bad: true},
		{name: "huge", x: cloudOf(48, 5, times(1e30))},
		{name: "near the end of the range", x: cloudOf(48, 5, times(5e37)), refused: []string{"standardize"}},
		{name: "tiny", x: cloudOf(48, 5, times(1e-30))},
		{name: "denormal", x: cloudOf(48, 5, times(1e-42))},
		{name: "far outlier", x: cloudOf(48, 5, at(7, 1e6))},
		{name: "outlier out of reach", x: cloudOf(48, 5, at(7, 1e30))},
		{name: "many columns", x: cloudOf(48, 60, nil)},
		{name: "many columns of equal rows", x: cloudOf(48, 60, func(_, j int, _ float64) float64 { return float64(j) }), bad: true},
		{name: "many columns of rank one", x: cloudOf(48, 60, func(i, j int, _ float64) float64 { return float64(plain.Row(i)[0]) * float64(j+1) }), refused: []string{"as many dimensions as elements"}},
		{name: "many columns, huge", x: cloudOf(48, 60, times(1e30))},
		{name: "many columns, tiny", x: cloudOf(48, 60, times(1e-30))},
		{name: "many columns, some constant", x: cloudOf(48, 60, func(_, j int, v float64) float64 { return v * float64(j%2) })},
		{name: "far more columns than rows", x: cloudOf(24, 700, nil)},
	}
}

// cornerSpecs returns all kinds of the registry, and the variants of the first that differ at
// corners.
func cornerSpecs() map[string]Spec {
	specs := map[string]Spec{
		"gaussian": {LVM: lvm.Options{Tails: lvm.Gaussian}},
		"largest":  {LVM: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Components: saul.Largest}}},
		"parts":    {Kind: LLLVM, LLLVM: lllvm.Options{Largest: true}},
	}
	for _, k := range registry {
		specs[k.Name] = Spec{Kind: k.Name}
	}
	for name, s := range specs {
		s.Steps = 15
		specs[name] = s
	}
	return specs
}

// learnable checks the outcome of a fit of x. It returns "" for a map that places all rows or for
// an error of bad input, and else a description of the failure.
func learnable(x vec.Matrix[float32], spec Spec) (problem string, refusal error) {
	given := x.Clone()
	s, r, err := Fit(context.Background(), x, spec, nil)
	if err != nil {
		if !models.IsBadInput(err) {
			return fmt.Sprintf("not bad input: %v", err), err
		}
		for _, raw := range []string{"no longer finite", "positive definite", "e-1"} {
			if strings.Contains(err.Error(), raw) {
				return fmt.Sprintf("no words for people: %v", err), err
			}
		}
		return "", err
	}
	if err := s.Validate(); err != nil {
		return err.Error(), nil
	}
	if !vec.Finite(r.Placed.Mu.Data) || !vec.Finite(r.Placed.Sigma) || !vec.Finite(r.Placed.NoveltyLocal) || !vec.Finite(r.Placed.NoveltyGlobal) {
		return "a row has no finite place", nil
	}
	// Different rows do not collapse: at least half of the points are alone at their place.
	places := map[string]bool{}
	for i := range s.Mu.Rows {
		places[fmt.Sprint(s.Mu.Row(i))] = true
	}
	if 2*len(places) <= s.Mu.Rows {
		return fmt.Sprintf("%d different points have %d different places", s.Mu.Rows, len(places)), nil
	}
	p, err := Open(s, placing.Options{})
	if err != nil {
		return err.Error(), nil
	}
	kind, _ := spec.Kinds.Find(spec.Kind)
	if kind.Missing && models.CheckRows(given, nil) != nil {
		return "", nil // events with missing values are not checked here
	}
	placed, err := p.Place(context.Background(), given)
	if err != nil {
		return fmt.Sprintf("placing what it was learnt from: %v", err), nil
	}
	if !vec.Finite(placed.Mu.Data) || !vec.Finite(placed.Sigma) {
		return "an event has no finite place", nil
	}
	if _, err := json.Marshal(r.Own); err != nil {
		return err.Error(), nil
	}
	return "", nil
}

// Every kind either maps every corner with a place for all rows, or refuses the data with a reason.
func TestCorners(t *testing.T) {
	for name, spec := range cornerSpecs() {
		for _, c := range corners() {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				problem, err := learnable(c.x, spec)
				if problem != "" {
					t.Fatal(problem)
				}
				kind, _ := spec.Kinds.Find(spec.Kind)
				switch {
				case err == nil && c.bad:
					t.Error("it was learnt")
				case err == nil || c.bad:
				case c.name == "outlier out of reach" && ofScale[kind.Name] && strings.Contains(err.Error(), "standardize the columns"):
				case c.name == "NaN" && !kind.Missing && strings.Contains(err.Error(), "row 3, element 2"):
				default:
					for _, why := range c.refused {
						if strings.Contains(err.Error(), why) {
							return
						}
					}
					t.Errorf("refused: %v", err)
				}
			})
		}
	}
}

// The same for small and degenerate data of any shape.
func TestDegenerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, cols := rapid.IntRange(0, 16).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "columns")
		values := rapid.SampledFrom([]float32{0, 1, -1, 0.5, 3, 1e-20, 1e20, 7}[:rapid.IntRange(1, 8).Draw(t, "values")])
		x := vec.New[float32](n, cols)
		for i := range x.Data {
			x.Data[i] = values.Draw(t, "value")
		}
		spec := rapid.SampledFrom([]Spec{
			{}, {LVM: lvm.Options{Tails: lvm.Gaussian}}, {LVM: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Components: saul.Largest}}}, {Kind: LLLVM}, {Kind: GPLVM},
		}).Draw(t, "spec")
		spec.Dims, spec.Steps = rapid.IntRange(1, 6).Draw(t, "dims"), 3
		if spec.Kind != GPLVM {
			spec.Neighbors = rapid.IntRange(1, 6).Draw(t, "neighbors")
		}
		if problem, _ := learnable(x, spec); problem != "" {
			t.Fatal(problem)
		}
	})
}

// More dimensions than the data allow are refused before anything is read twice. The error names
// the maximum.
func TestDimsBeyondTheData(t *testing.T) {
	x := cloudOf(40, 70, nil)
	for _, k := range registry {
		for _, c := range []struct {
			dims, pca int
			want      string
		}{
			{5000, PCANone, "70 elements"},
			{5000, PCAAuto, "50 principal components"},
			{45, PCANone, "at most 39 dimensions"},
		} {
			if k.Name == LVM && c.pca == PCAAuto {
				c.want = "70 elements" // so few rows need all of them
			}
			spec := Spec{Kind: k.Name, PCA: c.pca, Common: models.Common{Dims: c.dims}}
			_, _, err := Fit(context.Background(), x, spec, nil)
			if !models.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, dims %d: %v, want %q", k.Name, c.dims, err, c.want)
			}
		}
	}
	if err := (Spec{Common: models.Common{Dims: 5000}}).Check(); err == nil || !strings.Contains(err.Error(), "at most 1000") {
		t.Errorf("5000 dimensions: %v", err)
	}
}

// Constant columns are dropped by kinds that would take them for data without noise. They are
// restored when places are decoded.
func TestConstantColumnsAreLeftOut(t *testing.T) {
	x := cloudOf(40, 6, func(_, j int, v float64) float64 {
		if j == 1 || j == 4 {
			return float64(j) + 1./3
		}
		return v
	})
	for _, k := range registry {
		s, r, err := Fit(context.Background(), x, Spec{Kind: k.Name, Common: models.Common{Steps: 10}}, nil)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if !k.Varied {
			if r.Constant != nil || s.Components.Rows > 0 {
				t.Errorf("%s leaves out %v", k.Name, r.Constant)
			}
			continue
		}
		if fmt.Sprint(r.Constant) != "[1 4]" || s.Reference.Cols != 4 {
			t.Errorf("%s: left out %v, reference of %d columns", k.Name, r.Constant, s.Reference.Cols)
		}
		p, err := Open(s, placing.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d, ok := p.(models.Decoder)
		if !ok {
			t.Errorf("%s does not decode", k.Name)
			continue
		}
		back, err := d.Decode(context.Background(), r.Placed.Mu.Slice(0, 3))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if back.X.Row(i)[1] != x.Row(0)[1] || back.X.Row(i)[4] != x.Row(0)[4] {
				t.Errorf("%s: row %d is decoded as %v", k.Name, i, back.X.Row(i))
			}
		}
	}
}
