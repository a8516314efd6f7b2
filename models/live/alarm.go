package live

import (
	"fmt"
	"math"
)

// AlarmSettings say when events are strange. The zero value works.
type AlarmSettings struct {
	// Percentile is that of local novelty beyond which an event counts. Default
	// 0.95.
	Percentile float64
	// Blocks is how many blocks of events, one a refresh, are looked at together.
	// Default 5.
	Blocks int
	// Deviations is by how many standard deviations the share of such events
	// must be more than 1 - Percentile. Default 3.5.
	Deviations float64
	// Least is the number of events below which nothing is said. Default 200.
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

// Block is what is remembered of the events between two refreshes.
type Block struct {
	// Events were judged, Beyond of them beyond the percentile.
	Events int `json:"events"`
	Beyond int `json:"beyond"`
}

// Alarm is what the novelty of the last events says.
type Alarm struct {
	// Raised: the alarm began with this refresh. Since counts the refreshes
	// since then, this one included; 0 means that there is none.
	Raised bool
	Since  int
	// Share of the Events of the last blocks is beyond the percentile, and Bound
	// the share above which the alarm begins.
	Events       int
	Share, Bound float64
}

// bound returns the share of events from which on they are strange. Each of them
// is beyond the percentile with probability p = 1 - Percentile, known from n points
// that are themselves a sample:
//
//	p + Deviations sqrt(p (1-p) (1/events + 1/n)).
func (a AlarmSettings) bound(events, n int) float64 {
	p := 1 - a.Percentile
	return p + a.Deviations*math.Sqrt(p*(1-p)*(1/float64(events)+1/float64(n)))
}

// alarm is the state of the alarm.
type alarm struct {
	set    AlarmSettings
	now    Block   // since the last refresh
	blocks []Block // the last, oldest first
	since  int     // refreshes since it began, 0: there is none
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

// next ends the present block, of events held against a map of n points, and
// returns the new state. An alarm ends when Since would be more than last.
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
