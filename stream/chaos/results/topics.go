package results

import (
	"fmt"
	"slices"
	"time"

	"unfold/stream"
)

// Within is the time limit for reading everything after a topic was created again or partitions
// were added.
const Within = 10 * time.Second

// Topics is the result of a stage whose source topic changed repeatedly.
type Topics struct {
	// What is the change of the topic, which happened Times times.
	What     string    `json:"what"`
	Broker   string    `json:"broker"`
	Delivery string    `json:"delivery"`
	Begun    time.Time `json:"begun"`
	Seconds  float64   `json:"seconds"`
	Seed     uint64    `json:"seed"`
	Times    int       `json:"times"`
	// Inputs is the number of messages that had to be read. Lost were not read, and Duplicates were
	// read more than once.
	Inputs     int `json:"inputs"`
	Lost       int `json:"lost"`
	Duplicates int `json:"duplicates"`
	// Late is the number of times that reading everything took longer than Within. All are the
	// durations in seconds, ascending.
	Late int       `json:"late"`
	All  []float64 `json:"all"`
	// Complaints are broken guarantees; none if all hold.
	Complaints []string `json:"complaints,omitempty"`
}

// Took records the duration of one change; it counts only if the topic has changed.
func (r *Topics) Took(d time.Duration, counts bool) {
	if !counts {
		return
	}
	if d > Within {
		r.Late++
	}
	i, _ := slices.BinarySearch(r.All, d.Seconds())
	r.All = slices.Insert(r.All, i, d.Seconds())
}

// Count compares outputs, whose keys are ids, with the ids that had to come. Other ids may come
// once, because a deletion may have overtaken them.
func (r *Topics) Count(outputs []stream.Message, awaited map[string]bool) {
	came := map[string]int{}
	for _, o := range outputs {
		if came[string(o.Key)]++; came[string(o.Key)] > 1 {
			r.Duplicates++
		}
	}
	for id := range awaited {
		if came[id] == 0 {
			r.Lost++
		}
	}
	r.Inputs += len(awaited)
}

// Judge converts the counts to complaints.
func (r *Topics) Judge() {
	for _, c := range []struct {
		n    int
		text string
	}{{r.Late, "times not all was read within " + Within.String()}, {r.Lost, "messages were lost"}, {r.Duplicates, "messages came again"}} {
		if c.n > 0 {
			r.Complaints = append(r.Complaints, fmt.Sprintf("%d %s", c.n, c.text))
		}
	}
}

// quantile returns a quantile of the durations; 1 is the longest.
func (r Topics) quantile(q float64) float64 {
	if len(r.All) == 0 {
		return 0
	}
	return r.All[int(q*float64(len(r.All)-1)+0.5)]
}

func (r Topics) line() string {
	return fmt.Sprintf("| %s | %s | %s | %d | %d | %d | %d | %d | %d | %.1f | %.1f | %s | %s | %s |\n", r.What, r.Broker, r.Delivery, r.Seed, r.Times, r.Inputs, r.Lost,
		r.Duplicates, r.Late, r.quantile(0.5), r.quantile(1), minutes(r.Seconds), begun(r.Begun), kept(r.Complaints))
}
