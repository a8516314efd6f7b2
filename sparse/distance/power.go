package distance

import (
	"fmt"
	"math"
	"strconv"

	"unfold/internal/vec"
)

// Distances with a power P, of which Minkowski's is one: the P-th root of the sum of the P-th powers
// of differences. Differences are divided by the largest first if P exceeds 2, so that no power is
// beyond float64.

// thousand is the number of steps of a power from one whole number to the next.
const thousand = 1000

// mostPower is the largest power. Beyond it the distance is Chebyshev's in all but name.
const mostPower = 100

// withPower returns Minkowski's distance with a power in thousandths.
func withPower(thousandths int) Distance { return minkowski | Distance(thousandths)<<8 }

func (d Distance) thousandths() int { return int(d >> 8) }

// power returns the power of a distance, 0 for one without.
func (d Distance) power() float64 { return float64(d.thousandths()) / thousand }

// Minkowski returns Minkowski's distance with power p, from 1 to 100 in steps of 0.001, or infinity.
// Powers of 1, 2 and infinity are Manhattan, Euclidean and Chebyshev.
func Minkowski(p float64) (Distance, error) {
	steps := math.Round(p * thousand)
	switch {
	case p == 1:
		return Manhattan, nil
	case p == 2:
		return Euclidean, nil
	case math.IsInf(p, 1):
		return Chebyshev, nil
	case p > 1 && p <= mostPower && steps/thousand == p:
		return withPower(int(steps)), nil
	}
	return Euclidean, fmt.Errorf("the power of minkowski is a number from 1 to %d with at most three decimals, or inf, not %v", mostPower, p)
}

// parsePower returns the distance of a name with its power, such as minkowski:1.5.
func parsePower(name, power string) (Distance, error) {
	p, err := strconv.ParseFloat(power, 64)
	if err != nil {
		return Euclidean, fmt.Errorf("the distance %s needs a power as a number, as in minkowski:1.5, not %q", name, power)
	}
	return Minkowski(p)
}

// raise returns v^p for v >= 0. For small multiples of 1/2 it multiplies, which is faster and gives
// the same bits on all processors.
func raise(v, p float64) float64 {
	whole := math.Floor(p)
	if p > 8 || p-whole != 0 && p-whole != 0.5 {
		return math.Pow(v, p)
	}
	r := 1.0
	for range int(whole) {
		r = float64(r * v) // not fused on any processor
	}
	if p != whole {
		r = float64(r * math.Sqrt(v))
	}
	return r
}

// powersWithin is Within for power p. d2 is the sum of p-th powers for p < 2, and the square of the
// distance for p > 2.
func powersWithin[T vec.Float](p float64, a, b []T, most float64) float64 {
	b = b[:len(a)]
	if p < 2 {
		sum := 0.0
		for k, v := range a {
			if sum += raise(difference(float64(v), float64(b[k])), p); sum > most {
				break
			}
		}
		return sum
	}
	largest := 0.0
	for k, v := range a {
		largest = larger(largest, difference(float64(v), float64(b[k])))
	}
	if square := largest * largest; square == 0 || square > most {
		return square
	}
	sum := 0.0
	for k, v := range a {
		sum += raise(difference(float64(v), float64(b[k]))/largest, p)
	}
	return largest * largest * math.Pow(sum, 2/p)
}

// powerLength returns the distance for d2.
func powerLength(p, d2 float64) float64 {
	if p < 2 {
		return math.Pow(d2, 1/p)
	}
	return math.Sqrt(d2)
}

// powerBox is Box for power p.
func powerBox[T vec.Float](p float64, row []T, low, high []float64) float64 {
	largest := 1.0
	if p > 2 {
		largest = 0
		for k, v := range row {
			largest = larger(largest, outside(float64(v), low[k], high[k]))
		}
		if largest == 0 {
			return 0
		}
	}
	sum := 0.0
	for k, v := range row {
		sum += raise(outside(float64(v), low[k], high[k])/largest, p)
	}
	if p > 2 {
		sum = largest * largest * math.Pow(sum, 2/p)
	}
	return bySum(sum, 0)
}

// outside returns the difference between a value and an interval.
func outside(v, low, high float64) float64 { return max(low-v, v-high, 0) }

// powerShares replaces differences by contributions to d2.
func powerShares(p float64, to []float64, d2 float64) {
	largest := 0.0
	for _, v := range to {
		largest = larger(largest, v)
	}
	if largest == 0 {
		return
	}
	for k, v := range to {
		to[k] = raise(v/largest, p)
	}
	inProportion(to, d2)
}
