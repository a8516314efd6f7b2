//go:build linux

package budget

import (
	"flag"
	"math"
	"os"
	"runtime/debug"
	"testing"
	"time"

	"unfold/internal/procfs"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models/fit"
)

var (
	measureRows  = flag.Int("budget.rows", 0, "measure a fit of so many rows and compare it with its prediction")
	measureDim   = flag.Int("budget.dim", 50, "with values of this number")
	measureDims  = flag.Int("budget.dims", 2, "in so many dimensions")
	measureTails = flag.String("budget.tails", "student", "with these tails")
	measureSteps = flag.Int("budget.steps", 0, "and so many steps")
)

// resident returns the current and the peak memory of this process.
func resident(t *testing.T) (now, peak int64) {
	t.Helper()
	now, err := procfs.Memory(os.Getpid(), "VmRSS")
	if err == nil {
		peak, err = procfs.Memory(os.Getpid(), "VmHWM")
	}
	if err != nil {
		t.Skip(err)
	}
	return now, peak
}

// forgetPeak makes the present memory the peak.
func forgetPeak(t *testing.T) {
	t.Helper()
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skip(err)
	}
}

// measured runs a fit of generated rows with the planned memory as its limit. It returns the plan
// and the measurements, and prints the peak of every stage if stages is set.
func measured(t *testing.T, j Job, stages bool) (p Plan, bytes int64, predicted, seconds float64) {
	t.Helper()
	defer Collect(0)()
	// The first fit loads the pages of the program, which do not count as data.
	if _, _, err := fit.Fit(t.Context(), trial(3000, j.Dim), fit.Spec{LVM: j.Spec.LVM}, nil); err != nil {
		t.Fatal(err)
	}
	forgetPeak(t)
	j.Base, _ = resident(t)
	p, err := New(j)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Measure(t.Context(), p, vec.Matrix[float32]{})
	if err != nil {
		t.Fatal(err)
	}
	predicted = p.Seconds(v)
	defer Collect(p.Bytes())()
	x := trial(j.Rows, j.Dim)
	forgetPeak(t)
	stage := "collapse"
	next := func(name string, _, _ int) {
		if stages && name != stage {
			_, peak := resident(t)
			t.Logf("%-9s %6.0f bytes a row", stage, float64(peak-j.Base)/float64(j.Rows))
			stage, bytes = name, max(bytes, peak)
			if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	begin := time.Now()
	_, r, err := fit.Fit(t.Context(), x, j.Spec, p.Returning(next))
	if err != nil {
		t.Fatal(err)
	}
	seconds = time.Since(begin).Seconds()
	next("", 0, 0)
	_, peak := resident(t)
	if stages {
		for _, s := range p.Stages {
			t.Logf("plan: %-9s %6.0f bytes a row", s.Name, float64(s.Bytes)/float64(j.Rows))
		}
		t.Logf("trial: %+v\ntook %+v, %.2f pca, %.2f novelty", v, r.Report.Seconds, r.SecondsPCA, r.SecondsNovelty)
	}
	return p, max(bytes, peak), predicted, seconds
}

// A fit uses the predicted memory if that is its limit. Without a limit, a late collection adds up
// to a quarter to such a short fit. The best of three runs counts. (TestMeasured compares the time,
// which depends on other load.)
func TestMemory(t *testing.T) {
	tier.Full(t, "it learns 40,000 rows")
	j := Job{Rows: 40_000, Dim: 50}
	j.Spec.Steps = 3
	for try := 1; ; try++ {
		p, bytes, _, _ := measured(t, j, false)
		data, got := float64(p.Bytes()-p.Base), float64(bytes-p.Base)
		if math.Abs(got-data) <= 0.15*data {
			return
		}
		if try == 3 {
			t.Fatalf("%.1f MB predicted for the data, %.1f MB measured", data/1e6, got/1e6)
		}
	}
}

// go test -run TestMeasured -budget.rows 200000 -v
func TestMeasured(t *testing.T) {
	if *measureRows == 0 {
		t.Skip("only with -budget.rows")
	}
	j := Job{Rows: *measureRows, Dim: *measureDim}
	j.Spec.Dims, j.Spec.Steps = *measureDims, *measureSteps
	if err := j.Spec.LVM.Tails.UnmarshalText([]byte(*measureTails)); err != nil {
		t.Fatal(err)
	}
	p, bytes, predicted, seconds := measured(t, j, true)
	t.Logf("%d x %d: %.1f MB predicted, %.1f MB measured (%+.0f%%); %.2f s predicted, %.2f s measured (%+.0f%%)", j.Rows, j.Dim,
		float64(p.Bytes())/1e6, float64(bytes)/1e6, 100*(float64(p.Bytes())/float64(bytes)-1), predicted, seconds, 100*(predicted/seconds-1))
	if e := float64(p.Bytes())/float64(bytes) - 1; math.Abs(e) > 0.1 {
		t.Errorf("the memory is off by %+.0f%%", 100*e)
	}
	if e := predicted/seconds - 1; math.Abs(e) > 0.3 {
		t.Errorf("the time is off by %+.0f%%", 100*e)
	}
}
