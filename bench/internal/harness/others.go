package harness

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// Quiet is the share of the processors that other processes may use during a timing. Beyond it, the
// time is not reliable.
const Quiet = .1

// userTicks is the number of ticks per second in Linux's processor times.
const userTicks = 100

// Others starts to measure other processes. The returned function takes the processor time of the
// measured process and returns the share of all processors that others used meanwhile, or 1 if the
// system does not report it.
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

// ticks are the processor times of all processors since the system's start.
type ticks struct{ busy, all float64 }

// others returns the share of ticks since before that were busy with other processes.
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

// parseTicks parses the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq
// and steal. The following fields are part of the first two.
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
