package drift

import (
	"cmp"

	"unfold/models"
	"unfold/sparse/distance"
)

// Settings are the settings of a Monitor. The zero value works.
type Settings struct {
	// Window is m, the number of newest events that are tested together. Default 200.
	Window int
	// Neighbors is k, the length of the neighbour lists. Default 10.
	Neighbors int
	// Step is the number of events between two looks. Default a tenth of Window.
	Step int
	// Events is the mean number of events to a false alarm. Default 10,000.
	Events int
	// Distance is the distance between rows; the zero value is Euclidean.
	Distance distance.Distance
	// Seed determines the reference sample and the order of the slots.
	Seed uint64
	// Threads bounds the goroutines. Default all processors.
	Threads int
}

const (
	// share is n over m: the number of reference points for each event of the window.
	share = 10
	// leastWindow is the shortest window. With fewer events the counts are too coarse for a normal
	// approximation.
	leastWindow = 50
)

// Filled returns the settings with defaults filled in, or a *models.SettingError.
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

// Bytes returns an upper bound of a Monitor's memory, for rows of dim values. It counts the
// reference sample and the window, each row in the sample and in the graph, plain and packed, and
// during construction; the lists with as many spare neighbours; and the tree with its workspace.
func (s Settings) Bytes(dim int) int64 {
	s, err := s.Filled()
	if err != nil {
		return 0
	}
	return int64(share+1) * int64(s.Window) * int64(6*4*dim+(2*2*12+4)*s.Neighbors+512)
}
