package live

import (
	"fmt"
	"math"
)

// AlarmSettings determine when the novelty of events raises an alarm. The zero value works.
type AlarmSettings struct {
	// Percentile is the percentile of local novelty above which an event counts as novel. Default
	// 0.95.
	Percentile float64
	// Blocks is the number of last blocks of events that are evaluated together. Each refresh ends
	// a block. Default 5.
	Blocks int
	// Deviations is the number of standard deviations by which the share of novel events must
	// exceed 1 - Percentile. Default 3.5.
	Deviations float64
	// Least is the least number of events for an alarm. Default 200.
	Least int
}

func (a AlarmSettings) withDefaults() AlarmSettings {
	return AlarmSettings{
		Percentile: or(a.Percentile, 0.95), Blocks: or(a.Blocks, 5),
		Deviations: or(a.Deviations, 3.5), Least: or(a.Least, 200),
	}
}

func (a AlarmSettings) check() error {
	switch {
	case !(a.Percentile > 0 && a.Percentile < 1):
		return fmt.Errorf("live: alarm by the percentile %v, want one between 0 and 1", a.Percentile)
	case a.Blocks < 1:
		return fmt.Errorf("live: alarm by %d blocks, want at least 1", a.Blocks)
	case !(a.Deviations > 0):
		return fmt.Errorf("live: alarm at %v standard deviations, want a positive number", a.Deviations)
	}
	return nil
}

// Block counts the events between two refreshes.
type Block struct {
	// Events is the number of events, Beyond that of novel ones.
	Events int `json:"events"`
	Beyond int `json:"beyond"`
}

// Alarm is the state of the alarm after a refresh.
type Alarm struct {
	// Raised is true if the alarm began with this refresh. Since is the number of refreshes since
	// then, including this one; 0 means no alarm.
	Raised bool
	Since  int
	// Events is the number of events of the last blocks, Share the share of novel ones. The alarm
	// begins if Share exceeds Bound.
	Events       int
	Share, Bound float64
}

// bound returns the share of novel events above which an alarm begins. Without anything new, an
// event is novel with the probability p = 1 - Percentile. The percentile is itself estimated from n
// points, hence the second variance:
//
//	p + Deviations sqrt(p (1-p) (1/events + 1/n)).
func (a AlarmSettings) bound(events, n int) float64 {
	p := 1 - a.Percentile
	return p + a.Deviations*math.Sqrt(p*(1-p)*(1/float64(events)+1/float64(n)))
}

// alarm counts events and holds the state of the alarm.
type alarm struct {
	set    AlarmSettings
	now    Block   // events since the last refresh
	blocks []Block // the last blocks, oldest first
	since  int     // refreshes since the alarm began; 0 without an alarm
}

// count counts events by their local novelty.
func (a *alarm) count(local []float32) {
	for _, v := range local {
		a.now.Events++
		if float64(v) > a.set.Percentile {
			a.now.Beyond++
		}
	}
}

// next ends the present block, whose events were placed on a map of n points. It returns the new
// state. An alarm ends when Since would exceed last.
func (a *alarm) next(n, last int) (alarm, Alarm) {
	b := *a
	b.now = Block{}
	b.blocks = append(append([]Block(nil), a.blocks...), a.now)
	b.blocks = b.blocks[max(0, len(b.blocks)-a.set.Blocks):]
	var all Block
	for _, x := range b.blocks {
		all.Events, all.Beyond = all.Events+x.Events, all.Beyond+x.Beyond
	}
	var r Alarm
	if r.Events = all.Events; all.Events > 0 && n > 0 {
		r.Share, r.Bound = float64(all.Beyond)/float64(all.Events), a.set.bound(all.Events, n)
	}
	switch {
	case b.since == 0 || b.since >= last:
		b.since = 0
		if all.Events >= max(a.set.Least, 1) && r.Share > r.Bound {
			b.since, r.Raised = 1, true
		}
	default:
		b.since++
	}
	r.Since = b.since
	return b, r
}
