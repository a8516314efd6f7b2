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

// Settings are the settings of a live map. The zero value works: a zero field stands for the
// default in its comment.
type Settings struct {
	// LVM are the settings of the first fit, of majors, and of the model that refreshes learn.
	LVM lvm.Settings
	// NoveltyK is the number of neighbours in the snapshots' novelty tables. Default
	// novelty.DefaultK.
	NoveltyK int

	// Ordinary is the schedule of ordinary refreshes. Default: 5 steps without a ramp, momentum
	// 0.9, an anchor of 0.1, with Gaussian tails of 10.
	Ordinary Schedule
	// Gentle is the schedule of gentle refreshes. They replace every GentleEvery-th refresh since
	// the last major; default 5, negative means never. Default schedule: 50 steps, 35 of them a
	// ramp from a reach of 50, momentum 0.7, an anchor from 0.01 for 20,000 points and more to 0.3
	// for up to 10,000 (method gentle). With Gaussian tails: no ramp, anchor 1.
	Gentle      Schedule
	GentleEvery int

	// A major refresh is a whole annealed fit. It starts at the current map, scaled to a root mean
	// square of Spread per column (default 10). It is due in any of these cases; negative numbers
	// disable a case:
	//
	//   - The number of points is Growth times, or 1/Growth of, that at the last major. Default
	//     1.5; if majors keep the frame, 1.2 for fewer than 20,000 points and 1.1 for fewer than
	//     5,000.
	//   - The number of points that stayed is at most 1/Growth of all points.
	//   - The number of refreshes after an alarm is in AfterAlarm. Default 20 and 40; empty, but
	//     not nil, means never.
	//   - Backstop refreshes have followed the last major. Default 50.
	Growth     float64
	AfterAlarm []int
	Backstop   int
	Spread     float64
	// Frame selects the frame near which a major refresh keeps places. Prior is the weight of the
	// prior around the previous map. The defaults are KeepFrame, and prior.Firm for 20,000 points
	// and more. For fewer points, the default weight follows their moves (method budget); with
	// Gaussian tails it is up to ten times as large (method hold).
	Frame MajorFrame
	Prior prior.Schedule

	// Alarm are the settings of the novelty alarm.
	Alarm AlarmSettings

	// CPU, if not nil, returns the CPU time of the process in seconds, for reports.
	CPU func() float64
}

// MajorFrame selects the coordinate frame of a major refresh.
type MajorFrame int

const (
	// KeepFrame is the previous map. Points that stay hardly move, and the epoch continues.
	KeepFrame MajorFrame = iota
	// NewFrame is the frame of a fit (Prior of LVM's options). A new epoch begins, whose places are
	// those of a fit.
	NewFrame
)

var frameNames = models.Names[MajorFrame]{"keep", "new"}

// String returns the name of the choice in settings.
func (f MajorFrame) String() string { return frameNames.Word(f) }

// MarshalText implements encoding.TextMarshaler.
func (f MajorFrame) MarshalText() ([]byte, error) { return frameNames.Marshal(f) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *MajorFrame) UnmarshalText(b []byte) error { return frameNames.Unmarshal(f, b) }

// begins reports whether a refresh of the given kind begins an epoch.
func (s Settings) begins(k Kind) bool {
	return k == Major && s.Frame == NewFrame
}

// Schedule are the steps of a refresh (student.Refinement). Zero fields stand for the defaults of
// the kind of refresh; negative ones mean 0. Ramp, Ratio and Reach do not apply to Gaussian tails,
// whose edges pull at any distance.
type Schedule struct {
	// Steps is the number of EM steps. During the first Ramp of them, the weight of dissimilar
	// pairs rises from 1/Ratio of its value and the edges' reach falls from Reach.
	Steps, Ramp  int
	Ratio, Reach float64
	// Momentum is beta. Anchor is lambda, which keeps points near their places. Its unit with
	// Gaussian tails is 1 over the median squared length scale of similar pairs.
	Momentum, Anchor float64
}

// or returns v, or the default otherwise if v is 0. Negative numbers become 0.
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

// byPoints marks an anchor or a growth that depends on the number of points (methods gentle and
// growth).
const byPoints = math.MaxFloat64

// schedules returns the default schedules of ordinary and gentle refreshes.
func schedules(tails lvm.Tails) (ordinary, gentle Schedule) {
	if tails == lvm.Gaussian {
		return Schedule{Steps: 5, Momentum: 0.9, Anchor: 10}, Schedule{Steps: 50, Momentum: 0.7, Anchor: 1}
	}
	return Schedule{Steps: 5, Ratio: 1, Reach: 1, Momentum: 0.9, Anchor: 0.1},
		Schedule{Steps: 50, Ramp: 35, Ratio: 1, Reach: 50, Momentum: 0.7, Anchor: byPoints}
}

// refinement converts the schedule to that of package student.
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

// withDefaults replaces zero fields by their defaults and validates the rest.
func (s Settings) withDefaults() (Settings, error) {
	if err := s.LVM.Check(); err != nil {
		return s, err
	}
	s.LVM.Dims = s.LVM.MapDims()
	s.LVM.Search.Seed = s.LVM.Seed // for the index, as in a fit
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
		return s, errors.New("live: coordinates given for the first map cannot be the frame of later ones")
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

// youngPoints is the number of points below which a map is held more firmly. Smaller maps have
// fewer edges to determine places.
const youngPoints = 20_000

// firmness returns youngPoints/n, limited to 1 to 10.
func firmness(n int) float64 { return min(10, max(1, youngPoints/float64(max(n, 1)))) }

// hold returns the weight of the prior around the previous map in a major refresh. n is the lesser
// of the numbers of points of this major and of the last, so that a few old points stay in place
// even if many new ones arrive at once. With heavy tails, the weight of few points also depends on
// their moves (method budget).
func (s Settings) hold(n int) prior.Schedule {
	p := prior.Firm()
	switch {
	case s.Prior != (prior.Schedule{}):
		return s.Prior
	case s.LVM.Tails == lvm.Gaussian:
		return prior.Schedule{From: p.From * firmness(n), To: p.To * firmness(n)}
	case n < youngPoints:
		return prior.Schedule{From: youngFrom, To: p.To}
	}
	return p
}

// youngFrom is the first weight of the prior on maps of few points. It keeps points that stay almost
// in place until new ones have found theirs.
const youngFrom = 100

// The bounds of moves in a major refresh of few points, as shares of the diameter. A leap adds or
// removes a third of the points or more, so that the others must make room or close gaps. They are
// somewhat below those that docs/refresh.md promises, because the last steps may exceed them by a
// tenth, and because the unit of the map changes as well.
var (
	steadyBudget = prior.Budget{0.012, 0.035, 0.09}
	leapBudget   = prior.Budget{0.034, 0.085, 0.21}
)

// budget returns the bounds of moves in a major refresh; n is that of hold. With a fixed weight,
// points would move further the fewer there are, because the distances between them are larger. The
// moves would also depend on the data.
func (s Settings) budget(n int, leap bool) prior.Budget {
	switch {
	case s.Prior != (prior.Schedule{}) || n >= youngPoints:
		return prior.Budget{}
	case leap:
		return leapBudget
	}
	return steadyBudget
}

// fewPoints is the number of points below which a major takes about a second.
const fewPoints = 5000

// growth returns the change of size at which a major is due for a map of n points.
//
// If many points are new or gone, the few steps of an ordinary refresh leave the others where they
// were. At 1,000 points, a change by a fifth costs .03 to .06 of R_NX, and a major takes a fraction
// of a second (docs/decisions/refresh.md). Majors that begin an epoch do not become more frequent.
func (s Settings) growth(n int) float64 {
	switch {
	case s.Growth != byPoints:
		return s.Growth
	case s.begins(Major) || n >= youngPoints:
		return 1.5
	case n < fewPoints:
		return 1.1
	}
	return 1.2
}

// grown reports whether the sizes was and now of a map differ by the factor growth. It also applies
// if was is the number of points that stayed and the others are new.
func (s Settings) grown(was, now float64) bool {
	g := s.growth(int(now))
	return g > 0 && (now >= g*was || g*now <= was)
}

// gentle returns the schedule of a gentle refresh of n points. Edges with a reach distort a map of
// few points unless the anchor is
//
//	0.01 min(30, max(1, 20,000/n)^5).
func (s Settings) gentle(n int) Schedule {
	out := s.Gentle
	if out.Anchor == byPoints {
		out.Anchor = 0.01 * min(30, math.Pow(firmness(n), 5))
	}
	return out
}

// lists returns the number of neighbours that are kept per point.
func (s Settings) lists() int { return max(s.neighbors(), s.LVM.Lists, s.NoveltyK) }

// neighbors returns the model's k.
func (s Settings) neighbors() int {
	switch {
	case s.LVM.Neighbors > 0:
		return s.LVM.Neighbors
	case s.LVM.Tails == lvm.Gaussian:
		return saul.DefaultNeighbors
	}
	return student.DefaultNeighbors
}

// First returns the settings of the first fit: those of a fit of the same points, with lists as
// long as those that are kept.
func (s Settings) First() (lvm.Settings, error) {
	s, err := s.withDefaults()
	return s.fit(), err
}

// fit returns the settings of a fit, in which the weight of dissimilar pairs depends on the number
// of points.
func (s Settings) fit() lvm.Settings {
	out := s.LVM
	out.Lists = s.lists()
	return out
}
