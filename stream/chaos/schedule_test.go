package chaos

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

var everything = Plan{
	Faults:  []Fault{Kill, Freeze, Join, Leave, Broker, Cut, Delay, Halve, Reorder, Away, DiskFull, ReadOnly, DiskGone, Clock},
	Moments: []string{"state", "before OffsetCommit", "after EndTxn"}, Steps: 300,
	Pause: [2]time.Duration{10 * time.Millisecond, time.Second}, Span: [2]time.Duration{time.Second, 2 * time.Second},
}

// The same seed leads to the same schedule and another seed to another one. The text form of a
// schedule parses to the same schedule.
func TestScheduleCanBeRunAgain(t *testing.T) {
	s := everything.Draw(5)
	if !reflect.DeepEqual(s, everything.Draw(5)) {
		t.Error("one seed gives two schedules")
	}
	if reflect.DeepEqual(s, everything.Draw(6)) {
		t.Error("two seeds give one schedule")
	}
	again, err := ParseSchedule(s.String())
	if err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("%v\nbecomes\n%v, %v", s, again, err)
	}
	seen := map[Fault]bool{}
	for _, step := range s {
		seen[step.Fault] = true
		if step.Pause < 10*time.Millisecond || step.Pause > time.Second {
			t.Errorf("%v: pause", step)
		}
	}
	if len(seen) != len(everything.Faults) {
		t.Errorf("only %v of %v were drawn", seen, everything.Faults)
	}
}

func TestParseScheduleSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"kill at before Brunch 1": "no request",
		"kill at state":           "a name and a count",
		"kill at state 0":         "not a count",
		"kill after":              "stands alone",
		"kill after dinner":       "invalid duration",
		"kill with 3s":            "none of",
	} {
		if _, err := ParseSchedule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if s, err := ParseSchedule("kill slowly at state 1; ;broker for 3s"); err != nil || len(s) != 2 || !s[0].Slowly || s[1].Span != 3*time.Second {
		t.Errorf("%v, %v", s, err)
	}
}
