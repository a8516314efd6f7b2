package live

import "slices"

// Kind is what a refresh does.
type Kind int

const (
	// Still: there are fewer than two points, nothing was done.
	Still Kind = iota
	// Ordinary refreshes are a few warm steps with an anchor.
	Ordinary
	// Gentle ones are a short anneal with an anchor.
	Gentle
	// Major ones are a whole annealed fit from the current map, near it, or in a frame of
	// its own: then an epoch begins (Settings.Frame).
	Major
)

var kindNames = []string{Still: "still", Ordinary: "ordinary", Gentle: "gentle", Major: "major"}

// String is the kind's name.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// policy is what decides about the kind of a refresh.
type policy struct {
	// refreshes since the first fit, since the last major, and the points then.
	refreshes, sinceMajor, majorPoints int
}

// next returns the state after another refresh, of n points of which born are new, with an alarm that
// began since refreshes ago, and of what kind that is.
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

// Due is of what kind the next refresh of a map in that state will be, of n points of which
// born are new, unless an alarm begins with it. Who has more to do at a major refresh can so do it
// before.
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
