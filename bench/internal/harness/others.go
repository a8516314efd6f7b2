package harness

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// Quiet is the share of the processors that other processes may take while something is
// timed. Beyond it the time says more of them.
const Quiet = .1

// userTicks is how many ticks a second has in the processor times that Linux reports.
const userTicks = 100

// Others begins to watch the processors. What it returns ends that: by the processor
// time that the watched process took, it gives the share of all processors that others
// took meanwhile; 1 if the system does not say.
func Others() func(own time.Duration) float64 {
	before, known := ticksNow()
	return func(own time.Duration) float64 {
		after, ok := ticksNow()
		if !ok || !known {
			return 1
		}
		return after.others(before, own.Seconds()*userTicks)
	}
}

// ticks are what all processors have done since the system began.
type ticks struct{ busy, all float64 }

// others is the share of the ticks since before that was busy, but not with own ones.
func (t ticks) others(before ticks, own float64) float64 {
	if t.all <= before.all {
		return 0 // in less than a tick
	}
	return max(0, t.busy-before.busy-own) / (t.all - before.all)
}

func ticksNow() (ticks, bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return ticks{}, false
	}
	return parseTicks(string(text))
}

// parseTicks reads the first line of /proc/stat: user, nice, system, idle, waiting for
// devices, interrupts of two kinds, and what a host gave to other machines. What
// follows is part of the first two.
func parseTicks(text string) (t ticks, ok bool) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 5 || fields[0] != "cpu" {
		return t, false
	}
	for i, field := range fields[1:min(len(fields), 9)] {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return t, false
		}
		t.all += v
		if i != 3 && i != 4 {
			t.busy += v
		}
	}
	return t, true
}
