package drift

import (
	"math"
	"slices"
	"sort"
)

// degreeShare is the weight of Degree relative to Z: an alarm by Degree alone needs 1.5 times the
// deviation. Most changes lower the number of cross edges. The others change Degree by so much that
// this weight adds no delay (docs/decisions/drift.md).
const degreeShare = 2. / 3

// LevelOf returns the monitored statistic of the neighbour lists:
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

// BoundFor returns the level that is exceeded for the first time after the given number of windows
// on average, if nothing changes. It interpolates the table, linearly in the logarithm of the
// number, and extrapolates beyond its ends.
func BoundFor(windows float64) float64 {
	at := sort.SearchFloat64s(tableWindows[:], windows)
	at = min(max(at, 1), len(tableWindows)-1)
	from, to := math.Log(tableWindows[at-1]), math.Log(tableWindows[at])
	share := (math.Log(windows) - from) / (to - from)
	return tableBounds[at-1] + share*(tableBounds[at]-tableBounds[at-1])
}

// fewest and most return the range of the table, in windows between false alarms.
func fewest() float64 { return tableWindows[0] }
func most() float64   { return slices.Max(tableWindows[:]) }
