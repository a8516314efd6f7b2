package optimize

import (
	"context"
	"errors"
	"math"
	"testing"
)

// quadratic is 1/2 sum_i a_i (x_i - i)^2.
func quadratic(a []float64) Function {
	return func(x, grad []float64) (f float64, _ error) {
		for i, v := range x {
			d := v - float64(i)
			f += 0.5 * a[i] * d * d
			if grad != nil {
				grad[i] = a[i] * d
			}
		}
		return f, nil
	}
}

// rosenbrock is the Rosenbrock function in 2 dimensions.
func rosenbrock(x, grad []float64) (float64, error) {
	a, b := 1-x[0], x[1]-x[0]*x[0]
	if grad != nil {
		grad[0], grad[1] = -2*a-400*x[0]*b, 200*b
	}
	return a*a + 100*b*b, nil
}

// methods are the two that share Settings.
var methods = map[string]func(context.Context, Function, []float64, Settings) (Result, error){"scg": Minimize, "lbfgs": LBFGS}

// Conjugate gradients find the minimum of a quadratic in n variables in about n steps.
func TestQuadratic(t *testing.T) {
	a := []float64{1, 3, 0.5, 10, 2}
	for name, minimize := range methods {
		x := make([]float64, len(a))
		r, err := minimize(context.Background(), quadratic(a), x, Settings{Steps: 4 * len(a)})
		if err != nil || r.F > 1e-6 {
			t.Errorf("%s: %g after %d iterations, %v", name, r.F, r.Iterations, err)
		}
		if got, _ := quadratic(a)(x, nil); got != r.F {
			t.Errorf("%s: the result is %g, at x it is %g", name, r.F, got)
		}
	}
	// With a trust region that is wide from the start it takes n steps, up to the errors of the
	// curvature's differences.
	x := make([]float64, 2)
	values := []float64{}
	if _, err := Minimize(context.Background(), quadratic([]float64{1, 4}), x, Settings{Steps: 12, Observe: func(it Iteration) bool {
		values = append(values, it.F)
		return true
	}}); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(values); i++ {
		if values[i] > values[i-1] {
			t.Errorf("values rise: %v", values)
		}
	}
}

func TestRosenbrock(t *testing.T) {
	for name, minimize := range methods {
		x := []float64{-1.2, 1}
		r, err := minimize(context.Background(), rosenbrock, x, Settings{Steps: 300, StepTolerance: 1e-7, ValueTolerance: 1e-12})
		if err != nil || math.Abs(x[0]-1)+math.Abs(x[1]-1) > 1e-4 {
			t.Errorf("%s: %v after %d iterations, %v", name, x, r.Iterations, err)
		}
		if !r.Converged || r.Iterations == 300 || r.Gradients == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A minimisation ends after its steps, when its observer returns false, or with the context.
func TestEnds(t *testing.T) {
	for name, minimize := range methods {
		r, err := minimize(context.Background(), rosenbrock, []float64{-1.2, 1}, Settings{Steps: 3})
		if err != nil || r.Iterations != 3 || r.Converged {
			t.Errorf("%s: three steps: %+v, %v", name, r, err)
		}
		r, err = minimize(context.Background(), rosenbrock, []float64{-1.2, 1}, Settings{Observe: func(it Iteration) bool { return it.Number < 2 }})
		if err != nil || r.Iterations != 2 {
			t.Errorf("%s: ended by the observer: %+v, %v", name, r, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := minimize(ctx, rosenbrock, []float64{-1.2, 1}, Settings{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Where the function is infinite or NaN, steps are shortened.
func TestInfinities(t *testing.T) {
	for name, minimize := range methods {
		for _, beyond := range []float64{math.Inf(1), math.NaN()} {
			wall := func(x, grad []float64) (float64, error) {
				if x[0] <= 0 {
					return beyond, nil
				}
				if grad != nil {
					grad[0] = 1 - 0.1/x[0]
				}
				return x[0] - 0.1*math.Log(x[0]), nil
			}
			x := []float64{3}
			r, err := minimize(context.Background(), wall, x, Settings{Steps: 200})
			if err != nil || math.Abs(x[0]-0.1) > 1e-3 {
				t.Errorf("%s beside %g: %v, %+v, %v", name, beyond, x, r, err)
			}
		}
	}
}

// An error of the function ends the minimisation and is returned.
func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, minimize := range methods {
		for after := range 4 {
			calls := 0
			_, err := minimize(context.Background(), func(x, grad []float64) (float64, error) {
				if calls++; calls > after {
					return 0, broken
				}
				return rosenbrock(x, grad)
			}, []float64{-1.2, 1}, Settings{})
			if !errors.Is(err, broken) {
				t.Errorf("%s, after %d calls: %v", name, after, err)
			}
		}
	}
}

// A start at the minimum converges at once.
func TestStartsAtTheMinimum(t *testing.T) {
	x := []float64{1, 1}
	if r, err := Minimize(context.Background(), rosenbrock, x, Settings{}); err != nil || !r.Converged || r.Iterations != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}
