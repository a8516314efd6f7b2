package lvm_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/novelty"
	"unfold/models/pca"
	"unfold/models/saul"
	"unfold/models/score"
)

// mnist returns all 70,000 digits projected to q dimensions, the training digits first, with their
// classes and the number of training digits. It skips the test without UNFOLD_DATA.
func mnist(t testing.TB, q int) (z vec.Matrix[float32], class []int32, training int) {
	t.Helper()
	x, class, test, testClass := modeltest.MNIST(t)
	training = x.Rows
	x.Rows, x.Data = x.Rows+test.Rows, append(x.Data, test.Data...)
	p, err := pca.Fit(context.Background(), x, q, pca.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Projector().Apply(x, 0), append(class, testClass...), training
}

// places returns the place of every row.
func places(r *lvm.Result) vec.Matrix[float32] {
	return vec.Take(vec.Convert[float32](r.Mu), r.Of)
}

// TestMNISTStudent checks the quality of the default, with heavy tails, on all of MNIST and with
// the lists that novelty needs. In the plane it is within .001 of maps without a prior, .9740 and
// .9772.
func TestMNISTStudent(t *testing.T) {
	if testing.Short() || lvm.RaceEnabled {
		t.Skip("takes minutes: not with -short or -race")
	}
	x, class, _ := mnist(t, 50)
	for _, c := range []struct {
		dims       int
		loo1, loo9 float64
	}{{2, .973, .9762}, {10, .978, .979}} {
		t.Run(fmt.Sprintf("d=%d", c.dims), func(t *testing.T) {
			r, err := lvm.Fit(context.Background(), x, lvm.Settings{Common: models.Common{Dims: c.dims, Seed: 1, Lists: novelty.DefaultK}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := score.LeaveOneOut(context.Background(), places(r), class, []int{1, 9}, score.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("leave-one-out accuracy: 1-NN %.4f, 9-NN %.4f; %+v", a.Share[0], a.Share[1], r.Report)
			if a.Share[0] < c.loo1 || a.Share[1] < c.loo9 {
				t.Errorf("accuracies %.4f and %.4f, want at least %g and %g", a.Share[0], a.Share[1], c.loo1, c.loo9)
			}
		})
	}
}

// TestMNIST checks the published quality on all of MNIST. It takes 400 steps in two dimensions and
// 150 in ten (s = 2), where the test error no longer changes (150 steps 2.47%, 400 steps 2.46%).
func TestMNIST(t *testing.T) {
	if testing.Short() || lvm.RaceEnabled {
		t.Skip("takes minutes: not with -short or -race")
	}
	x, class, training := mnist(t, 50)
	t.Run("d=2", func(t *testing.T) {
		clock := time.Now()
		r, err := lvm.Fit(context.Background(), x, lvm.Settings{Options: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Level: 1}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%.1f s: %+v", time.Since(clock).Seconds(), r.Report)
		if l := r.Report.LoglikInitial; l < -1_560_000 || l > -1_530_000 {
			t.Errorf("log-likelihood starts at %.0f, want about -1,546,000", l)
		}
		if l := r.Report.Loglik; l < -231_400*1.03 || l > -231_400*.97 {
			t.Errorf("log-likelihood ends at %.0f, want -231,400 within 3%%", l)
		}
		a, err := score.LeaveOneOut(context.Background(), places(r), class, []int{1, 9}, score.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("leave-one-out accuracy: 1-NN %.4f, 9-NN %.4f", a.Share[0], a.Share[1])
		if a.Share[0] < .93 || a.Share[1] < .955 {
			t.Errorf("accuracies %.4f and %.4f, want at least 0.93 and 0.955", a.Share[0], a.Share[1])
		}
	})
	t.Run("d=10", func(t *testing.T) {
		r, err := lvm.Fit(context.Background(), x, lvm.Settings{Common: models.Common{Dims: 10, Steps: 150}, Options: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Level: 1, Core: 2}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", r.Report)
		mu := places(r)
		e, err := score.HeldOutError(context.Background(), mu.Slice(0, training), class[:training],
			mu.Slice(training, mu.Rows), class[training:], []int{9}, score.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("9-NN test error of the joint map: %.4f", e[0])
		if e[0] > .026 {
			t.Errorf("test error %.4f, want at most 0.026", e[0])
		}
	})
}
