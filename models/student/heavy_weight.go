package student

import "fmt"

// mostTimes is the multiple of the default weight above which a fit warns. The default is that of
// curves and sheets, since the points may not be known yet. At this weight the trustworthiness of maps
// in the plane falls by .01 at most.
//
// Steps stay stable at any weight (farDamping), but the heavier dissimilar pairs are, the less
// neighbours come together. Three and more dimensions use other steps and lose nothing
// (docs/decisions/refresh.md).
const mostTimes = 12

// warnings returns the warnings about the settings on a map of n points. s has its defaults.
func (s Settings) warnings(n int) []string {
	if s.Weight == 0 || s.Dims != 2 || s.Tail != 1 {
		return nil
	}
	usual := Weight(n, float64(n)*float64(s.Neighbors), 0)
	times := s.Weight / usual
	if times <= mostTimes {
		return nil
	}
	return []string{fmt.Sprintf("weight %.3g is %.3g times the default for %d points, %.3g: above %d times the map loses neighbours, up to .02 of its trustworthiness at 25 times and .03 at 100 times; leave weight out, or set at most %.2g",
		s.Weight, times, n, usual, mostTimes, mostTimes*usual)}
}
