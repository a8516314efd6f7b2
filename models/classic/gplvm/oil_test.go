package gplvm

import (
	"context"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"unfold/internal/testkit/fixtures"
	"unfold/internal/vec"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
)

// oilFixture is the run of the full model on 100 rows of the oil-flow data.
type oilFixture struct {
	Kind    string `json:"kind"`
	Indices []int  `json:"indices"`
	Initial struct {
		Params []float64      `json:"params"`
		LogLik float64        `json:"loglik"`
		Prior  float64        `json:"logprior"`
		X      fixtures.Dense `json:"X"`
		Errors int            `json:"nearest_neighbour_errors"`
		GradP  []float64      `json:"grad_params"`
		GradX  fixtures.Dense `json:"grad_X_total"`
	} `json:"initial"`
	Trace []struct {
		Iteration   int       `json:"iteration"`
		Total       float64   `json:"total"`
		Params      []float64 `json:"params"`
		Errors      int       `json:"nearest_neighbour_errors"`
		Sensitivity float64   `json:"trace_sensitivity"`
	} `json:"trace"`
}

func table(t testing.TB, file string) vec.Matrix[float64] {
	t.Helper()
	raw, err := os.ReadFile("../../../testdata/oil/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var data []float64
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for _, line := range lines {
		for _, word := range strings.Fields(line) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			data = append(data, v)
		}
	}
	return vec.Of(len(lines), len(data)/len(lines), data)
}

// nearestErrors counts the rows whose nearest other row on the map has another label.
func nearestErrors(x, label vec.Matrix[float64]) (wrong int) {
	for i := range x.Rows {
		best, at := math.Inf(1), 0
		for j := range x.Rows {
			if d := vec.SquaredDistance(x.Row(i), x.Row(j)); j != i && d < best {
				best, at = d, j
			}
		}
		if vec.SquaredDistance(label.Row(i), label.Row(at)) > 0 {
			wrong++
		}
	}
	return wrong
}

// The run agrees with the reference up to rounding, which enters in every step and not only at the
// start. The tolerance is some thousand times the change of the total from a start that differs by
// 1e-12. Kernels of different processors differ by up to a thousand times that.
func TestOil(t *testing.T) {
	all, labels := table(t, "DataTrn.txt"), table(t, "DataTrnLbls.txt")
	ran := 0
	fixtures.Each(t, "gplvm", func(t *testing.T, f *oilFixture) {
		if f.Kind != "oil" {
			return
		}
		ran++
		label := vec.Take(labels, f.Indices)
		k := kernel.New(kernel.RBF{}, kernel.Bias{}, kernel.White{})
		m, err := New(k, vec.Take(all, f.Indices), 2)
		if err != nil {
			t.Fatal(err)
		}
		p := &Point{Theta: k.Start()}
		if p.X, err = m.PCA(2); err != nil {
			t.Fatal(err)
		}
		in := &f.Initial
		fixtures.Close(t, "start of theta", p.Theta, in.Params, direct)
		fixtures.Close(t, "start of X", p.X.Data, in.X.Data, direct)
		v := &Value{Theta: make([]float64, len(p.Theta)), X: vec.New[float64](p.X.Rows, 2)}
		if err := m.Evaluate(v, p.Theta, p.X); err != nil {
			t.Fatal(err)
		}
		fixtures.CloseTo(t, "log-likelihood", v.LogLik, in.LogLik, direct)
		fixtures.CloseTo(t, "prior", v.LogPrior, in.Prior, direct)
		fixtures.Close(t, "gradient in parameters", v.Theta, in.GradP, slope)
		fixtures.Close(t, "gradient in X", v.X.Data, in.GradX.Data, slope)
		if got := nearestErrors(p.X, label); got != in.Errors {
			t.Errorf("%d errors at the start, want %d", got, in.Errors)
		}
		next := 0
		_, err = m.Learn(context.Background(), p, optimize.Settings{Steps: f.Trace[len(f.Trace)-1].Iteration, StepTolerance: 1e-6, ValueTolerance: 1e-6, Observe: func(it optimize.Iteration) bool {
			if want := f.Trace[next]; it.Number == want.Iteration {
				next++
				fixtures.CloseTo(t, "total in iteration "+strconv.Itoa(it.Number), -it.F, want.Total, course+5000*want.Sensitivity/math.Abs(want.Total))
				at := &Point{make([]float64, len(p.Theta)), vec.New[float64](p.X.Rows, 2)}
				at.set(it.X)
				if got := nearestErrors(at.X, label); got != want.Errors && want.Sensitivity < 1e-7 {
					t.Errorf("%d errors in iteration %d, want %d", got, it.Number, want.Errors)
				}
			}
			return next < len(f.Trace)
		}})
		if err != nil || next != len(f.Trace) {
			t.Fatalf("%d of %d points of the course: %v", next, len(f.Trace), err)
		}
	})
	if ran == 0 {
		t.Error("there is no file of the oil flow")
	}
}
