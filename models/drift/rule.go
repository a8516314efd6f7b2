package drift

import (
	"math"
	"slices"
	"sort"
)

// degreeShare is how much a deviation of the degree counts beside one of the cross edges: an
// alarm by the degree alone takes half as many more. Most changes lower the number of cross
// edges; those that do not change the degree by a lot, so that this costs no delay
// (docs/decisions/drift.md).
const degreeShare = 2. / 3

// LevelOf is the statistic that is watched, of the neighbour lists:
//
//	max(Z, 2/3 |Degree|)                                                    (D5)
func LevelOf(t Test) float64 { return max(t.Z, degreeShare*math.Abs(t.Degree)) }

// rule raises alarms where the level crosses a bound.
type rule struct {
	bound float64
	above bool
}

// next asks the rule about a look.
func (r *rule) next(l *Look) {
	l.Level, l.Bound = LevelOf(l.Neighbors), r.bound
	l.Alarm = l.Level > r.bound
	l.Raised, r.above = l.Alarm && !r.above, l.Alarm
}

// BoundFor is the level that is exceeded for the first time after so many windows on average,
// if nothing changes: from the table, linear in the logarithm of their number, also beyond its
// ends.
func BoundFor(windows float64) float64 {
	at := sort.SearchFloat64s(tableWindows[:], windows)
	at = min(max(at, 1), len(tableWindows)-1)
	from, to := math.Log(tableWindows[at-1]), math.Log(tableWindows[at])
	share := (math.Log(windows) - from) / (to - from)
	return tableBounds[at-1] + share*(tableBounds[at]-tableBounds[at-1])
}

// fewest and most are the windows between false alarms that the table is for.
func fewest() float64 { return tableWindows[0] }
func most() float64   { return slices.Max(tableWindows[:]) }
