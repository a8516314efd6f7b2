package live

import "slices"

// Kind is the kind of a refresh.
type Kind int

const (
	// Still means that nothing was done, because there are fewer than two points.
	Still Kind = iota
	// Ordinary refreshes are a few warm steps with an anchor.
	Ordinary
	// Gentle refreshes are a short anneal with an anchor.
	Gentle
	// Major refreshes are a whole annealed fit. It starts at the current map and stays near it, or
	// has a frame of its own, which begins a new epoch (Settings.Frame).
	Major
)

var kindNames = []string{Still: "still", Ordinary: "ordinary", Gentle: "gentle", Major: "major"}

// String returns the kind's name.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// policy selects the kind of each refresh.
type policy struct {
	// Number of refreshes since the first fit and since the last major, and the number of points at
	// the last major.
	refreshes, sinceMajor, majorPoints int
}

// next returns the state after another refresh of n points, born of them new, and the kind of that
// refresh. since is the number of refreshes since an alarm began.
func (p policy) next(s Settings, n, born, since int) (policy, Kind) {
	p.refreshes++
	p.sinceMajor++
	switch {
	case s.grown(float64(p.majorPoints), float64(n)), s.grown(float64(n-born), float64(n)),
		slices.Contains(s.AfterAlarm, since-1),
		s.Backstop > 0 && p.sinceMajor >= s.Backstop:
		p.sinceMajor, p.majorPoints = 0, n
		return p, Major
	case s.GentleEvery > 0 && p.sinceMajor%s.GentleEvery == 0:
		return p, Gentle
	}
	return p, Ordinary
}

// Due returns the kind of the next refresh of a map in the given state, of n points, born of them
// new, unless an alarm begins with it. Callers can so prepare for a major refresh.
func (s Settings) Due(state State, n, born int) Kind {
	s, err := s.withDefaults()
	if err != nil || n < 2 {
		return Still
	}
	since := state.Alarm
	if since > 0 {
		since++
	}
	p := policy{refreshes: state.Refreshes, sinceMajor: state.SinceMajor, majorPoints: state.MajorPoints}
	_, kind := p.next(s, n, born, since)
	return kind
}
