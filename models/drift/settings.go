package drift

import (
	"cmp"

	"unfold/models"
	"unfold/sparse/distance"
)

// Settings of a Monitor. The zero value works.
type Settings struct {
	// Window is m, the number of newest events that are looked at together. Default 200.
	Window int
	// Neighbors is k, the length of the neighbour lists. Default 10.
	Neighbors int
	// Step is how many events come between two looks. Default a tenth of Window.
	Step int
	// Events is how many events go by, on average, until a false alarm. Default 10,000.
	Events int
	// Distance is that of rows and events; the zero value is the Euclidean one.
	Distance distance.Distance
	// Seed draws the reference sample and the order of the slots.
	Seed uint64
	// Threads bounds the goroutines. Default all processors.
	Threads int
}

const (
	// share is n over m: how many reference points there are for each event.
	share = 10
	// leastWindow is the shortest window; below it counts are too coarse for a normal
	// distribution.
	leastWindow = 50
)

// Filled returns the settings with their defaults, or a *models.SettingError.
func (s Settings) Filled() (Settings, error) {
	s.Window = cmp.Or(s.Window, 200)
	s.Neighbors = cmp.Or(s.Neighbors, 10)
	s.Step = cmp.Or(s.Step, max(1, s.Window/10))
	s.Events = cmp.Or(s.Events, 10_000)
	return s, cmp.Or(
		models.Require(s.Window >= leastWindow, "window", "%d; a window has at least %d events", s.Window, leastWindow),
		models.Require(s.Neighbors >= 1 && s.Neighbors < s.Window, "neighbors", "%d; give at least 1 and fewer than the window's %d events", s.Neighbors, s.Window),
		models.Require(float64(s.Events) >= fewest()*float64(s.Window) && float64(s.Events) <= most()*float64(s.Window), "events",
			"%d; give between %v and %v windows of %d", s.Events, fewest(), most(), s.Window),
		models.Require(s.Step >= 1 && s.Step <= s.Window, "step", "%d; give at least 1 and at most the window's %d events", s.Step, s.Window),
	)
}

// Bytes bounds the memory that a Monitor holds, of rows of dim values: the reference sample and
// the window, each row in the sample, in the graph, as it is and packed, and while both are
// put together; lists with as many spare neighbours, and the tree with what it is made by.
func (s Settings) Bytes(dim int) int64 {
	s, err := s.Filled()
	if err != nil {
		return 0
	}
	return int64(share+1) * int64(s.Window) * int64(6*4*dim+(2*2*12+4)*s.Neighbors+512)
}
