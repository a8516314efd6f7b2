package gplvm

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/kernel"
)

// The probability of 1 is Z of 1 (17); that of 0 is Z of -1.
func TestProbability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bias, mean := rapid.Float64Range(-4, 4).Draw(t, "bias"), rapid.Float64Range(-4, 4).Draw(t, "mean")
		variance := rapid.Float64Range(0, 9).Draw(t, "variance")
		n := Probit{rapid.Float64Range(1e-6, 2).Draw(t, "own")}
		one, _, _ := n.LogZ(1, bias, mean, variance)
		none, _, _ := n.LogZ(-1, bias, mean, variance)
		p := n.Probability(bias, mean, variance)
		if math.Abs(p-math.Exp(one)) > 1e-12 || math.Abs(1-p-math.Exp(none)) > 1e-12 {
			t.Errorf("probability %g, Z %g and %g", p, math.Exp(one), math.Exp(none))
		}
	})
}

// For Gaussian noise assumed density filtering is exact: the sum of ln Z of the active rows is
// their likelihood. Including the rows in the order of a selection gives it again.
func TestLogZOfTheActiveSet(t *testing.T) {
	k, err := kernel.Parse("rbf+bias+white")
	if err != nil {
		t.Fatal(err)
	}
	x := sheet(40, 2)
	y, places := newUnits(x).All(x), vec.New[float64](40, 2)
	for i := range places.Rows {
		copy(places.Row(i), y.Row(i))
	}
	for _, noise := range []Noise{Gaussian{1e-3}, Probit{1e-3}} {
		if noise.Name() == NoiseProbit {
			for i, v := range y.Data {
				y.Data[i] = math.Copysign(1, v)
			}
		}
		s := NewSparse(k, noise, y, 1)
		q := s.Select(k.Start(), places, 15)
		again := s.Include(k.Start(), places, q.Order)
		if !slices.Equal(q.M.Data, again.M.Data) || !slices.Equal(q.Beta.Data, again.Beta.Data) || q.LogZ != again.LogZ {
			t.Errorf("%s: included in the same order the rows have other sites", noise.Name())
		}
		if noise.Name() == NoiseProbit {
			if q.LogZ >= 0 {
				t.Errorf("the probability of the values is exp(%g)", q.LogZ)
			}
			continue
		}
		a, err := q.Active(k.Start(), places)
		if err != nil {
			t.Fatal(err)
		}
		if want := a.LogLik(vec.Matrix[float64]{}); math.Abs(q.LogZ-want) > 1e-8*math.Abs(want) {
			t.Errorf("ln Z is %g, the likelihood %g", q.LogZ, want)
		}
	}
}

// The error names the first value that is not 0, 1 or missing.
func TestCheckBinary(t *testing.T) {
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		x    []float32
		want string
	}{
		"binary":   {[]float32{0, 1, 1, 1, 0, 0}, ""},
		"missing":  {[]float32{0, nan, 1, 1, 0, nan}, ""},
		"half":     {[]float32{0, 1, 1, 0.5, 2, 0}, "row 1, element 1 (b) of the vector is 0.5: noise probit takes 0 and 1 alone"},
		"negative": {[]float32{0, 1, 1, 0, -1, 0}, "row 2, element 0 (a) of the vector is -1"},
		"infinite": {[]float32{float32(math.Inf(1)), 1, 1, 0, 1, 0}, "row 0, element 0 (a)"},
	} {
		err := CheckBinary(vec.Of(3, 2, c.x), []string{"a", "b"})
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || !errors.Is(err, models.ErrBadInput)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
