package chaos

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Fault is a kind of fault.
type Fault string

const (
	// Kill kills a stage and starts it again.
	Kill Fault = "kill"
	// Freeze suspends a stage for Span.
	Freeze Fault = "freeze"
	// Join starts another member of the group. Leave stops the last one.
	Join  Fault = "join"
	Leave Fault = "leave"
	// Broker kills the broker and restarts it after Span.
	Broker Fault = "broker"
	// Cut, Delay, Halve, Reorder and Away are faults of a Proxy that last for Span; Cut happens
	// once.
	Cut     Fault = "cut"
	Delay   Fault = "delay"
	Halve   Fault = "halve"
	Reorder Fault = "reorder"
	Away    Fault = "away"
	// DiskFull, ReadOnly and DiskGone affect the state folder for Span.
	DiskFull Fault = "disk-full"
	ReadOnly Fault = "read-only"
	DiskGone Fault = "disk-gone"
	// Clock shifts the times of messages by Span, forward or back.
	Clock Fault = "clock"
)

// State is a moment in which a file of the state folder is being written.
const State = "state"

// Step is one fault and its moment.
type Step struct {
	Fault Fault
	// At is the moment: "" for the end of Pause, State, or "before" or "after" and a request's
	// name. A request counts at its Nth passing from now on.
	At  string
	Nth int
	// Pause is the time before the fault, and Span the duration of the fault.
	Pause, Span time.Duration
	// Slowly delays all network traffic meanwhile, so that the interval between two requests is
	// longer.
	Slowly bool
}

// String returns a step in the format of ParseSchedule.
func (s Step) String() string {
	text := fmt.Sprintf("%s after %v", s.Fault, s.Pause)
	if s.At != "" {
		text += fmt.Sprintf(" at %s %d", s.At, s.Nth)
	}
	if s.Span != 0 {
		text += fmt.Sprintf(" for %v", s.Span)
	}
	if s.Slowly {
		text += " slowly"
	}
	return text
}

// Schedule is a sequence of steps.
type Schedule []Step

// String returns a schedule in the format of ParseSchedule.
func (s Schedule) String() string {
	steps := make([]string, len(s))
	for i, step := range s {
		steps[i] = step.String()
	}
	return strings.Join(steps, "; ")
}

// ParseSchedule parses steps separated by semicolons. A step is a fault, followed by any of "after
// PAUSE", "at MOMENT N", "for SPAN" and "slowly".
func ParseSchedule(text string) (Schedule, error) {
	var s Schedule
	for part := range strings.SplitSeq(text, ";") {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		step := Step{Fault: Fault(words[0])}
		for rest := words[1:]; len(rest) > 0; {
			n, err := step.parse(rest)
			if err != nil {
				return nil, fmt.Errorf("chaos: step %q: %w", strings.TrimSpace(part), err)
			}
			rest = rest[n:]
		}
		s = append(s, step)
	}
	return s, nil
}

// parse parses the next clause of a step and returns its number of words.
func (s *Step) parse(words []string) (n int, err error) {
	if words[0] == "slowly" {
		s.Slowly = true
		return 1, nil
	}
	if len(words) < 2 {
		return 0, fmt.Errorf("%q stands alone", words[0])
	}
	switch words[0] {
	case "after":
		s.Pause, err = time.ParseDuration(words[1])
		return 2, err
	case "for":
		s.Span, err = time.ParseDuration(words[1])
		return 2, err
	case "at":
		n = 3
		if words[1] == "before" || words[1] == "after" {
			n = 4
		}
		if len(words) < n {
			return 0, fmt.Errorf("a moment has a name and a count: %q", strings.Join(words, " "))
		}
		s.At = strings.Join(words[1:n-1], " ")
		if _, err := fmt.Sscan(words[n-1], &s.Nth); err != nil || s.Nth < 1 {
			return 0, fmt.Errorf("%q is not a count from 1", words[n-1])
		}
		if n == 4 && !known(words[2]) {
			return 0, fmt.Errorf("there is no request %q", words[2])
		}
		if n == 3 && words[1] != State {
			return 0, fmt.Errorf("there is no moment %q", words[1])
		}
		return n, nil
	}
	return 0, fmt.Errorf("%q is none of after, at, for and slowly", words[0])
}

// Plan is the specification from which a schedule is drawn.
type Plan struct {
	// Faults happen in rounds. Each round contains every fault once in random order.
	Faults []Fault
	// Moments are named moments for kills and cuts of stages and brokers. Half of these faults
	// happen at a named moment, the others at a random one.
	Moments []string
	// Steps is the number of steps.
	Steps int
	// Pause and Span are the ranges of the drawn durations.
	Pause, Span [2]time.Duration
}

// once are requests that a stage may send only once if there are no failures.
var once = []string{"JoinGroup", "SyncGroup", "OffsetFetch", "InitProducerId"}

// Draw draws a schedule from a seed.
func (p Plan) Draw(seed uint64) Schedule {
	rng := rand.New(rand.NewPCG(seed, 0x63686173))
	between := func(b [2]time.Duration) time.Duration {
		if b[1] <= b[0] {
			return b[0]
		}
		return (b[0] + time.Duration(rng.Int64N(int64(b[1]-b[0])))).Round(time.Millisecond)
	}
	s := make(Schedule, p.Steps)
	var round []int
	for i := range s {
		if len(round) == 0 {
			round = rng.Perm(len(p.Faults))
		}
		step := Step{Fault: p.Faults[round[0]], Pause: between(p.Pause)}
		round = round[1:]
		step.Slowly = step.Fault == Kill && rng.IntN(2) == 0
		timed := step.Fault == Kill || step.Fault == Cut || step.Fault == Broker
		switch {
		case timed && len(p.Moments) > 0 && rng.IntN(2) == 0:
			step.At, step.Nth = p.Moments[rng.IntN(len(p.Moments))], 1
			if step.Fault == Broker {
				step.Span = between(p.Span)
			}
			if !slices.ContainsFunc(once, func(name string) bool { return strings.HasSuffix(step.At, name) }) {
				step.Nth += rng.IntN(3)
			}
		case step.Fault == Clock:
			years := []int{-30, -3, 2, 20}[rng.IntN(4)]
			step.Span = time.Duration(years) * 8760 * time.Hour
		case step.Fault != Kill && step.Fault != Join && step.Fault != Leave && step.Fault != Cut:
			step.Span = between(p.Span)
		}
		s[i] = step
	}
	return s
}
