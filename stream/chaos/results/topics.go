package results

import (
	"fmt"
	"slices"
	"time"

	"unfold/stream"
)

// Within is how long after a topic's return, or after partitions were added, all of it has to be read.
const Within = 10 * time.Second

// Topics is a stage whose source's topic changed again and again.
type Topics struct {
	// What happened to the topic, Times often.
	What     string    `json:"what"`
	Broker   string    `json:"broker"`
	Delivery string    `json:"delivery"`
	Begun    time.Time `json:"begun"`
	Seconds  float64   `json:"seconds"`
	Seed     uint64    `json:"seed"`
	Times    int       `json:"times"`
	// Inputs is how many messages had to be read, Lost and Duplicates of them were not or came
	// again.
	Inputs     int `json:"inputs"`
	Lost       int `json:"lost"`
	Duplicates int `json:"duplicates"`
	// Late is how often it took longer than Within until all was read. All has the seconds of
	// each time, in order of size.
	Late int       `json:"late"`
	All  []float64 `json:"all"`
	// Complaints are what broke a promise; none if all held.
	Complaints []string `json:"complaints,omitempty"`
}

// Took notes how long one change took; it counts if the topic had changed.
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

// Count compares outputs, whose keys are ids, with the ids that had to come. Others may come
// once, too: a deletion may have overtaken them.
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

// Judge makes complaints of what was counted.
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

// quantile is a part of the times, 1 the longest.
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
