// Package shift chooses numbers that are subtracted from columns far from 0 before they are rounded
// to single precision.
//
// Single precision has 24 bits. In a column such as the northing of a map grid, 4,649,776 m and
// similar, most of them are equal in all rows. After a subtraction in double precision, distances
// are the same and the bits distinguish the rows.
//
// A shift is only chosen where it matters, so that other data keep their vectors bit for bit: where
// rounding errs by more than about 2^-18 of the standard deviation.
package shift

import "math"

// farOff is the number of standard deviations from 0 above which a mean is shifted. There the unit
// in the last place is 2^-23 of the value, 2^-17 of the deviation, and rounding errs by half of it.
const farOff = 64

// finer determines the granularity of shifts: about 1/finer of the standard deviation. A round
// number makes the subtraction exact, because the difference has no more digits than the value.
const finer = 16

// Of returns the number to subtract from a column that is weight times one with a mean and a
// standard deviation; 0 for none.
func Of(mean, deviation, weight float64) float64 {
	if !(deviation > 0) || !(math.Abs(mean) > farOff*deviation) {
		return 0
	}
	_, exponent := math.Frexp(deviation * weight / finer)
	unit := math.Ldexp(1, exponent)
	return math.RoundToEven(mean*weight/unit) * unit
}
