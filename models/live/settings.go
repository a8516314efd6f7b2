package live

import (
	"errors"
	"fmt"
	"math"

	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/novelty"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/student"
)

// Settings of a map that follows its points. The zero value works: every zero
// field stands for the default named beside it.
type Settings struct {
	// LVM are those of a fit: of the first, of majors, and what refreshes learn.
	LVM lvm.Settings
	// NoveltyK is the number of neighbours of the novelty tables in snapshots.
	// Default novelty.DefaultK.
	NoveltyK int

	// Ordinary is the refresh that is due when nothing else is. Default: 5 steps with
	// momentum 0.9 and an anchor of 0.1, with Gaussian tails of 10, no ramp.
	Ordinary Schedule
	// Gentle is the anneal in place of every GentleEvery-th refresh since the last
	// major. Default: 50 steps, 35 of them a ramp from a reach of 50, momentum 0.7,
	// every 5 refreshes, anchor 0.01 on a map of 20,000 points and more, 0.3 up to 10,000 (gentle);
	// GentleEvery < 0 means never. With Gaussian tails:
	// no ramp, anchor 1.
	Gentle      Schedule
	GentleEvery int

	// A major refresh is a whole annealed fit that starts at the current map,
	// scaled to a root mean square of Spread (default 10) a column. It is due when
	// the points are Growth times those of the last, or one Growth-th (default 1.5, and 1.2 on a map
	// of fewer than 20,000 points whose majors stay in its frame), or those that were there before are one
	// Growth-th of them, so many
	// refreshes after an alarm as AfterAlarm says (default 20 and 40; empty, not
	// nil, means never), and Backstop refreshes after the last (default 50).
	// Negative numbers mean never.
	Growth     float64
	AfterAlarm []int
	Backstop   int
	Spread     float64
	// Frame says near what a major refresh keeps places, and Prior how near it keeps them
	// to the map before. Defaults KeepFrame, and prior.Firm on a map of 20,000 points and more; on
	// smaller ones, where fewer edges hold a point, up to ten times that (hold).
	Frame Frame
	Prior prior.Schedule

	// Alarm says when new events are strange.
	Alarm AlarmSettings

	// CPU, if not nil, returns the CPU seconds that the process has used so far, for
	// reports.
	CPU func() float64
}

// Frame says in which coordinate frame a major refresh learns.
type Frame int

const (
	// KeepFrame is the map before: points that stay hardly move, and the epoch goes on.
	KeepFrame Frame = iota
	// NewFrame is what a fit would take (Prior of LVM's options): a new epoch begins, in which
	// places are those of a fit.
	NewFrame
)

var frameNames = models.Names[Frame]{"keep", "new"}

// String is the word for the choice in settings.
func (f Frame) String() string { return frameNames.Word(f) }

// MarshalText implements encoding.TextMarshaler.
func (f Frame) MarshalText() ([]byte, error) { return frameNames.Marshal(f) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Frame) UnmarshalText(b []byte) error { return frameNames.Unmarshal(f, b) }

// begins reports whether a refresh of that kind begins an epoch.
func (s Settings) begins(k Kind) bool {
	return k == Major && s.Frame == NewFrame
}

// Schedule is how a refresh goes on from a map (student.Refinement). Zero fields
// stand for the defaults of the refresh it belongs to; negative ones mean 0.
// Gaussian tails have no Ramp, Ratio or Reach: their edges pull at any distance.
type Schedule struct {
	// Steps of EM, the first Ramp of them with a weight of dissimilar pairs that
	// rises from a Ratio-th part, and with edges whose reach falls from Reach.
	Steps, Ramp  int
	Ratio, Reach float64
	// Momentum is beta, Anchor lambda: what holds points where they are. With Gaussian
	// tails its unit is 1 over the median squared length scale of similar pairs.
	Momentum, Anchor float64
}

// or is v if that is not zero, else what it stands for; negative numbers mean none.
func or[T int | float64](v, otherwise T) T {
	if v == 0 {
		v = otherwise
	}
	return max(v, 0)
}

func (s Schedule) withDefaults(d Schedule) Schedule {
	return Schedule{
		Steps: or(s.Steps, d.Steps), Ramp: or(s.Ramp, d.Ramp), Ratio: or(s.Ratio, d.Ratio), Reach: or(s.Reach, d.Reach),
		Momentum: or(s.Momentum, d.Momentum), Anchor: or(s.Anchor, d.Anchor),
	}
}

// byPoints stands for an anchor, or a growth, that the number of points decides (gentle, growth).
const byPoints = math.MaxFloat64

// schedules are the defaults of ordinary and gentle refreshes.
func schedules(tails lvm.Tails) (ordinary, gentle Schedule) {
	if tails == lvm.Gaussian {
		return Schedule{Steps: 5, Momentum: 0.9, Anchor: 10}, Schedule{Steps: 50, Momentum: 0.7, Anchor: 1}
	}
	return Schedule{Steps: 5, Ratio: 1, Reach: 1, Momentum: 0.9, Anchor: 0.1},
		Schedule{Steps: 50, Ramp: 35, Ratio: 1, Reach: 50, Momentum: 0.7, Anchor: byPoints}
}

// refinement is the schedule in the words of package student.
func (s Schedule) refinement() student.Refinement {
	return student.Refinement{Steps: s.Steps, Ramp: s.Ramp, Ratio: s.Ratio, Reach: s.Reach, Momentum: s.Momentum, Anchor: s.Anchor}
}

func (s Schedule) check(name string, tails lvm.Tails) error {
	switch {
	case tails == lvm.Gaussian && (s.Ramp != 0 || s.Ratio != 0 || s.Reach != 0):
		return fmt.Errorf("live: %s refresh with a ramp of %d, a ratio of %v and a reach of %v: with Gaussian tails edges pull at any distance and there is no anneal; leave them out",
			name, s.Ramp, s.Ratio, s.Reach)
	case !(s.Momentum < 1):
		return fmt.Errorf("live: %s refresh with momentum %v, want less than 1", name, s.Momentum)
	case s.Ratio != 0 && !(s.Ratio >= 1 && s.Ratio <= 1e6), s.Reach != 0 && !(s.Reach >= 1 && s.Reach <= 1e6):
		return fmt.Errorf("live: %s refresh with a ratio of %v and a reach of %v, want 1 to 1e6", name, s.Ratio, s.Reach)
	case math.IsInf(s.Anchor, 0) || math.IsNaN(s.Anchor):
		return fmt.Errorf("live: %s refresh with an anchor of %v", name, s.Anchor)
	}
	return nil
}

// withDefaults fills zero fields and checks the rest.
func (s Settings) withDefaults() (Settings, error) {
	if err := s.LVM.Check(); err != nil {
		return s, err
	}
	s.LVM.Dims = s.LVM.MapDims()
	s.LVM.Search.Seed = s.LVM.Seed // of the index, as in a fit
	if s.NoveltyK == 0 {
		s.NoveltyK = novelty.DefaultK
	}
	ordinary, gentle := schedules(s.LVM.Tails)
	s.Ordinary, s.Gentle = s.Ordinary.withDefaults(ordinary), s.Gentle.withDefaults(gentle)
	s.GentleEvery, s.Backstop = or(s.GentleEvery, 5), or(s.Backstop, 50)
	s.Growth, s.Spread = or(s.Growth, byPoints), or(s.Spread, 10)
	if s.AfterAlarm == nil {
		s.AfterAlarm = []int{20, 40}
	}
	s.Alarm = s.Alarm.withDefaults()
	switch {
	case !frameNames.Known(s.Frame):
		return s, fmt.Errorf("live: there is no frame %d of major refreshes", s.Frame)
	case s.Frame == NewFrame && (s.LVM.Student.Prior.Frame == prior.Given || s.LVM.Saul.Prior.Frame == prior.Given):
		return s, errors.New("live: coordinates given for the first map are no frame of later ones")
	case s.NoveltyK < 1:
		return s, fmt.Errorf("live: %d neighbours for novelty, want at least 1", s.NoveltyK)
	case s.Growth != 0 && !(s.Growth > 1):
		return s, fmt.Errorf("live: a major refresh when the map has grown %v-fold, want more than 1", s.Growth)
	case !(s.Spread > 0) || math.IsInf(s.Spread, 0):
		return s, fmt.Errorf("live: majors start from a spread of %v, want a positive number", s.Spread)
	}
	if err := s.Ordinary.check("an ordinary", s.LVM.Tails); err != nil {
		return s, err
	}
	if err := s.Gentle.check("a gentle", s.LVM.Tails); err != nil {
		return s, err
	}
	return s, s.Alarm.check()
}

// youngPoints is below how many points a map is held more firmly where it is, since there fewer edges
// say where a point belongs.
const youngPoints = 20_000

// firmness is how many times smaller a map of n points is than that, from 1 to 10.
func firmness(n int) float64 { return min(10, max(1, youngPoints/float64(max(n, 1)))) }

// hold is how near a major refresh keeps places to the map before, n the lesser number of points of this
// major and the last: where many come at once, the few that were there are to stay.
func (s Settings) hold(n int) prior.Schedule {
	if s.Prior != (prior.Schedule{}) {
		return s.Prior
	}
	p := prior.Firm()
	return prior.Schedule{From: p.From * firmness(n), To: p.To * firmness(n)}
}

// growth is by how many times a map of n points has changed its size when a major is due. Where many points are
// new, the few steps of an ordinary refresh leave them where they were placed: at 1,000 points that costs .03 to
// .06 of R_NX, and a major costs a fraction of a second (docs/decisions/refresh.md). Majors that begin an epoch do
// not come more often for that.
func (s Settings) growth(n int) float64 {
	switch {
	case s.Growth != byPoints:
		return s.Growth
	case n < youngPoints && !s.begins(Major):
		return 1.2
	}
	return 1.5
}

// grown reports whether a map that had was points has changed by growth with now points. So it has, too, if was of
// them were there before and the others are new.
func (s Settings) grown(was, now float64) bool {
	g := s.growth(int(now))
	return g > 0 && (now >= g*was || g*now <= was)
}

// gentle is the gentle refresh of n points. Edges that reach pull a map of few points out of shape unless the
// anchor is
//
//	0.01 min(30, max(1, 20,000/n)^5).
func (s Settings) gentle(n int) Schedule {
	out := s.Gentle
	if out.Anchor == byPoints {
		out.Anchor = 0.01 * min(30, math.Pow(firmness(n), 5))
	}
	return out
}

// lists is how many neighbours are kept of every point.
func (s Settings) lists() int { return max(s.neighbors(), s.LVM.Lists, s.NoveltyK) }

// neighbors is the model's k.
func (s Settings) neighbors() int {
	switch {
	case s.LVM.Neighbors > 0:
		return s.LVM.Neighbors
	case s.LVM.Tails == lvm.Gaussian:
		return saul.DefaultNeighbors
	}
	return student.DefaultNeighbors
}

// First are the settings by which the first map is to be learnt: those of a fit of the same
// points, with the lists that are kept.
func (s Settings) First() (lvm.Settings, error) {
	s, err := s.withDefaults()
	return s.fit(), err
}

// fit are the settings of a fit, whose weight of a dissimilar pair is that of its number of points.
func (s Settings) fit() lvm.Settings {
	out := s.LVM
	out.Lists = s.lists()
	return out
}
