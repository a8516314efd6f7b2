package budget

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/pca"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/student"
)

// A trial works for any settings; its prediction is finite and grows with the rows.
func TestSeconds(t *testing.T) {
	for _, c := range []struct {
		n, dim int
		spec   fit.Spec
	}{
		{9, 3, fit.Spec{}},
		{300, 3, fit.Spec{}},
		{5000, 3, fit.Spec{}},
		{100_000, 20, fit.Spec{Common: models.Common{Dims: 10}, LVM: lvm.Options{Student: student.Options{Thorough: true}}}},
		{100_000, 5, fit.Spec{Common: models.Common{Steps: -1}}},
		{3000, 5, fit.Spec{LVM: lvm.Options{Student: student.Options{Coarse: models.CoarseAll}}}},
		{700, 5, fit.Spec{LVM: lvm.Options{Tails: lvm.Gaussian}}},
		{20_000, 5, fit.Spec{Common: models.Common{Dims: 3}, LVM: lvm.Options{Tails: lvm.Gaussian}}},
	} {
		p, err := New(Job{Rows: c.n, Dim: c.dim, Spec: c.spec})
		if err != nil {
			t.Fatal(err)
		}
		v, err := Measure(t.Context(), p, vec.Matrix[float32]{})
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		s := p.Seconds(v)
		if !(s > 0 && s < 1e6) || v.Rows > c.n {
			t.Errorf("%+v: %v seconds from a trial of %d rows", c, s, v.Rows)
		}
		more := p
		more.Rows *= 2
		if m := more.Seconds(v); !(m > 1.5*s && m < 5*s) {
			t.Errorf("%+v: %v seconds, of twice the rows %v", c, s, m)
		}
	}
}

// The time of a fit in a frame of given coordinates is predicted from a trial of fewer rows.
func TestSecondsInAGivenFrame(t *testing.T) {
	x := trial(2500, 4)
	given := prior.Settings{Frame: prior.Given, Given: vec.New[float64](x.Rows, 2), Schedule: prior.Firm()}
	for _, tails := range []lvm.Tails{lvm.Student, lvm.Gaussian} {
		o := lvm.Options{Tails: tails, Student: student.Options{Prior: given}, Saul: saul.Options{Prior: given}}
		p, err := New(Job{Rows: x.Rows, Dim: x.Cols, Spec: fit.Spec{LVM: o}})
		if err != nil {
			t.Fatal(err)
		}
		v, err := measure(t.Context(), p, x)
		if err != nil {
			t.Fatalf("%v: %v", tails, err)
		}
		if s := p.Seconds(v); !(s > 0) || v.Rows >= x.Rows {
			t.Errorf("%v: %v seconds from a trial of %d rows", tails, s, v.Rows)
		}
	}
}

// Predicted times agree with those of fits in the same minute, so that other load affects both: for
// few and many columns, in two and three dimensions. The best of three tries counts.
func TestSecondsOfAFit(t *testing.T) {
	tier.Full(t, "it compares predicted with measured times")
	for _, c := range []struct{ n, dim, dims int }{{4000, 5, 2}, {4000, 40, 2}, {2000, 200, 2}, {4000, 5, 3}} {
		ratio := math.Inf(1)
		for range 3 {
			x, spec := trial(c.n, c.dim), fit.Spec{Common: models.Common{Dims: c.dims, Threads: 1, Seed: 1}}
			p, err := New(Job{Rows: c.n, Dim: c.dim, Spec: spec})
			if err != nil {
				t.Fatal(err)
			}
			v, err := Measure(t.Context(), p, x)
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			if _, _, err := fit.Fit(t.Context(), x, spec, nil); err != nil {
				t.Fatal(err)
			}
			if r := p.Seconds(v) / time.Since(begin).Seconds(); math.Abs(math.Log(r)) < math.Abs(math.Log(ratio)) {
				ratio = r
			}
		}
		t.Logf("%d x %d in %d dimensions: predicted are %.2f of the measured seconds", c.n, c.dim, c.dims, ratio)
		if ratio < 1./3 || ratio > 3 {
			t.Errorf("%d x %d in %d dimensions: predicted are %.2f of the measured seconds, want a third to three times", c.n, c.dim, c.dims, ratio)
		}
	}
}

func TestTrialIsInterrupted(t *testing.T) {
	p, err := New(Job{Rows: 5000, Dim: 3})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Measure(ctx, p, vec.Matrix[float32]{}); err == nil {
		t.Error("it went on")
	}
}

// Few rows with many columns are predicted to use the products of rows, in seconds, not the half
// hour of a covariance of 20,000 columns.
func TestFewRowsOfManyColumns(t *testing.T) {
	p, err := New(Job{Rows: 300, Dim: 20_000})
	if err != nil {
		t.Fatal(err)
	}
	v, err := Measure(t.Context(), p, vec.Matrix[float32]{})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.projection(v); !(s > 0 && s < 60) {
		t.Errorf("%g seconds predicted for the projection", s)
	}
	input := 4 * int64(p.Rows*p.Dim)
	if got := p.stage("pca"); got < 2*input || got > 4*input {
		t.Errorf("%d bytes predicted for the projection of %d bytes", got, input)
	}
}

// The leading eigenvectors of a wide covariance are predicted to be iterated, in a few times the work
// of the covariance. All of them would take more than ten times as long.
func TestManyComponentsOfManyColumns(t *testing.T) {
	p, err := New(Job{Rows: 3000, Dim: 2000, Spec: fit.Spec{PCA: 256}})
	if err != nil {
		t.Fatal(err)
	}
	// A machine of 1e10 multiply-adds a second in all kinds of work.
	const rate = 1e-10
	v := Speed{Rates: pca.Rates{Product: rate, Tall: rate, Projected: rate, Turn: rate, Dense: 10 * rate}}
	covariance := rate * 3000 * 2000 * 2000 / 2
	if s := p.projection(v); s < covariance || s > 5*covariance {
		t.Errorf("%.2f seconds are predicted, %.2f of which for the covariance", s, covariance)
	}
}

// A step of a trial that other processes interrupt does not count for all 200.
func TestStepTimesOfABusyMachine(t *testing.T) {
	var steps stepTimes
	at := time.Unix(0, 0)
	for i := range 9 {
		steps = append(steps, at)
		if at = at.Add(3 * time.Millisecond); i == 4 {
			at = at.Add(400 * time.Millisecond)
		}
	}
	if s := steps.steady(0.5); math.Abs(s-0.1) > 1e-9 {
		t.Errorf("%g seconds, want 0.1", s)
	}
	if s := steps[:2].steady(0.5); s != 0.5 {
		t.Errorf("a single step: %g seconds", s)
	}
}

// Available rows are used for the trial, a few of them in the search's order. Rows that cannot be
// used are replaced by generated ones.
func TestRowsOfTheTrial(t *testing.T) {
	const n, dim, m = 5000, 60, 300
	all := trial(n, dim)
	hole, same, infinite := all.Clone(), all.Clone(), all.Clone()
	infinite.Row(0)[3] = float32(math.Inf(1))
	hole.Row(0)[3] = float32(math.NaN())
	copy(same.Row(n/m), same.Row(0))
	made := func(x vec.Matrix[float32]) bool {
		return slices.Equal(x.Data, trial(m, x.Cols).Data)
	}
	for name, c := range map[string]struct {
		x    vec.Matrix[float32]
		pca  int
		made bool
	}{
		"rows":            {all, fit.PCANone, false},
		"projected":       {all, 10, false},
		"none":            {vec.Matrix[float32]{}, fit.PCANone, true},
		"others":          {all.Slice(0, n-1), fit.PCANone, true},
		"a missing value": {hole, fit.PCANone, true},
		"an infinity":     {infinite, fit.PCANone, true},
		"two are equal":   {same, fit.PCANone, true},
	} {
		p, err := New(Job{Rows: n, Dim: dim, Spec: fit.Spec{PCA: c.pca}})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := p.trial(t.Context(), c.x, m)
		if err != nil || rows.Rows != m || rows.Cols != p.Seen || made(rows) != c.made {
			t.Errorf("%s: %d x %d, made %v: %v", name, rows.Rows, rows.Cols, made(rows), err)
		}
		if !c.made && c.pca == fit.PCANone && !slices.Equal(rows.Row(m-1), all.Row((m-1)*(n/m))) {
			t.Errorf("%s: the last is not one of the rows", name)
		}
	}
}

// Rows that a fit would reject cause no error in the prediction; the fit itself reports them.
func TestTrialOfRefusedRows(t *testing.T) {
	x := trial(5000, 6)
	x.Row(0)[0] = 3e38
	p, err := New(Job{Rows: x.Rows, Dim: x.Cols})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := measure(t.Context(), p, x); err == nil {
		t.Error("the rows are taken; try other ones")
	}
	if v, err := Measure(t.Context(), p, x); err != nil || v.Trial.EM <= 0 {
		t.Errorf("%+v: %v", v, err)
	}
}
