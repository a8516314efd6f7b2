package harness

import (
	"math"
	"os"
	"testing"
	"time"
)

// The share of others is the processor time of all other processes, as a share of the total.
func TestOthers(t *testing.T) {
	const before = "cpu  100 20 30 1000 50 1 2 3 7 0\ncpu0 1 2 3\n"
	for name, c := range map[string]struct {
		after string
		own   float64
		want  float64
		ok    bool
	}{
		"alone":                               {"cpu  160 20 70 1090 60 1 2 3 7 0\n", 100, 0, true},
		"beside another":                      {"cpu  160 40 70 1080 50 1 2 3 7 0\n", 100, .1, true},
		"on a host that gives time to others": {"cpu  160 20 70 1080 50 1 2 23 7 0\n", 100, .1, true},
		"more than the ticks say":             {"cpu  110 20 30 1090 50 1 2 3 7 0\n", 12, 0, true},
		"less than a tick":                    {before, 0, 0, true},
		"an old kernel":                       {"cpu  200 20 30 1300\n", 1, 0, true},
		"no such line":                        {"intr 4 5 6 7 8\n", 0, 0, false},
		"no numbers":                          {"cpu a b c d\n", 0, 0, false},
		"nothing":                             {"", 0, 0, false},
	} {
		from, _ := parseTicks(before)
		to, ok := parseTicks(c.after)
		if ok != c.ok {
			t.Errorf("%s: read: %v", name, ok)
		} else if got := to.others(from, c.own); ok && name != "an old kernel" && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: others took %g, want %g", name, got, c.want)
		}
	}
	ended := Others()
	time.Sleep(30 * time.Millisecond)
	share := ended(0)
	_, err := os.Stat("/proc/stat")
	if known := err == nil; share < 0 || share > 1 || !known && share != 1 {
		t.Errorf("others take %g of this system", share)
	}
}
