package distance

import "unfold/internal/vec"

// Distances of rows of 0 and 1 follow from the number of columns that differ, the numbers of ones of
// both rows and the number of columns. They are 0 if no column differs.

// ofBits returns the entry of a distance of rows of 0 and 1, by the functions of its Counts.
func ofBits(name, about string, dist2 func(differ, onesA, onesB, n int) float64, most func(t float64, onesA, onesB, n int) int) entry {
	return entry{name: name, about: about, term: difference, split: equalShares, domain: ZerosAndOnes, counts: &Counts{dist2, most}}
}

// byCounts returns the distance of two rows of 0 and 1.
func byCounts[T vec.Float](c *Counts, a, b []T) float64 {
	differ, onesA, onesB := 0, 0, 0
	for k, v := range a {
		if v != b[k] {
			differ++
		}
		if v != 0 {
			onesA++
		}
		if b[k] != 0 {
			onesB++
		}
	}
	return c.Dist2(differ, onesA, onesB, len(a))
}

// share returns differ / whole, 0 if no column differs.
func share(differ, whole int) float64 {
	if differ == 0 {
		return 0
	}
	return float64(differ) / float64(whole)
}

// jaccard is Counts.Dist2 of Jaccard: |A or B| = (differ + |A| + |B|)/2.
func jaccard(differ, onesA, onesB, _ int) float64 { return share(differ, (differ+onesA+onesB)/2) }

// mostByJaccard is Counts.Most of Jaccard. With h differing columns
//
//	2h / (|A| + |B| + h) <= t,   h <= t (|A| + |B|) / (2 - t),
//
// plus one for rounding, as in the functions below.
func mostByJaccard(t float64, onesA, onesB, _ int) int {
	return int(min(t, 1)*float64(onesA+onesB)/(2-min(t, 1))) + 1
}

func dice(differ, onesA, onesB, _ int) float64 { return share(differ, onesA+onesB) }

func mostByDice(t float64, onesA, onesB, _ int) int {
	return int(min(t, 1)*float64(onesA+onesB)) + 1
}

func rogersTanimoto(differ, _, _, n int) float64 { return share(2*differ, n+differ) }

// mostByRogersTanimoto: 2h / (n + h) <= t,   h <= t n / (2 - t).
func mostByRogersTanimoto(t float64, _, _, n int) int {
	return int(min(t, 1)*float64(n)/(2-min(t, 1))) + 1
}

// sokalSneath: |A and B| + 2h = (|A| + |B| + 3h)/2.
func sokalSneath(differ, onesA, onesB, _ int) float64 { return share(4*differ, onesA+onesB+3*differ) }

// mostBySokalSneath: 4h / (|A| + |B| + 3h) <= t,   h <= t (|A| + |B|) / (4 - 3t).
func mostBySokalSneath(t float64, onesA, onesB, _ int) int {
	return int(min(t, 1)*float64(onesA+onesB)/(4-3*min(t, 1))) + 1
}
