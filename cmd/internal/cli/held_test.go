package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// leastLimit runs a fit and returns the lowest memory limit that was set during it.
func leastLimit(t *testing.T, environ []string, args ...string) int64 {
	t.Helper()
	// Parallel stages in this process may have left a limit.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	before := debug.SetMemoryLimit(-1)
	gone, seen := make(chan struct{}), make(chan int64)
	go func() {
		least := int64(math.MaxInt64)
		for {
			select {
			case <-gone:
				seen <- least
				return
			case <-time.After(time.Millisecond):
				least = min(least, debug.SetMemoryLimit(-1))
			}
		}
	}()
	var out bytes.Buffer
	code := Run(t.Context(), System{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Environ: environ})
	close(gone)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, out.String())
	}
	if now := debug.SetMemoryLimit(-1); now != before {
		t.Errorf("the limit was %d before and is %d after it", before, now)
	}
	return <-seen
}

// A fit sets its predicted memory as a soft limit, with and without --memory. A user's GOMEMLIMIT
// takes precedence. (models/budget.TestMemory tests that the memory suffices.)
func TestFitHoldsItselfToItsPlan(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	r := rand.New(rand.NewPCG(1, 1))
	b.WriteString("a,b,c,d\n")
	for range 1200 {
		fmt.Fprintf(&b, "%g,%g,%g,%g\n", r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64())
	}
	in, report := filepath.Join(dir, "in.csv"), filepath.Join(dir, "report.json")
	if err := os.WriteFile(in, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-q", "fit", in, "--columns", "a,b,c,d", "--steps", "5", "-o", filepath.Join(dir, "m.unfold"), "--report", report}
	limit := leastLimit(t, nil, args...)
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var forecast struct {
		Predicted int64 `json:"predicted_bytes"`
	}
	if err := json.Unmarshal(text, &forecast); err != nil {
		t.Fatal(err)
	}
	if limit > forecast.Predicted || limit < forecast.Predicted/2 {
		t.Errorf("%d bytes are predicted, a limit of %d was set", forecast.Predicted, limit)
	}
	for _, own := range []string{"GOMEMLIMIT=4GiB", "GOGC=50"} {
		if limit := leastLimit(t, []string{own}, args...); limit != math.MaxInt64 {
			t.Errorf("with %s a limit of %d was set", own, limit)
		}
	}
}
