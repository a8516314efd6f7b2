package drift

import "math"

// Counts are a weighted graph on two samples, as far as the test of its cross edges needs it.
// All are sums over edges or points, so that they can be kept while edges come and go.
type Counts struct {
	// Reference and Newest are the numbers of points, n and m.
	Reference, Newest int
	// Weight, Squares and Strengths are W, Q and S of (D1).
	Weight, Squares, Strengths int64
	// Cross is X, the weight of the edges between the samples, and Ends is Y, the strengths of
	// the newest points.
	Cross, Ends int64
}

// Test is a count of cross edges beside what it would be if the samples were drawn from one
// distribution.
type Test struct {
	// Cross is the count, Mean and Deviation are those of the null distribution.
	Cross           int64
	Mean, Deviation float64
	// Z is by how many deviations there are fewer cross edges than that, and P the
	// probability of as many or more under a normal distribution: near 0 if the samples
	// differ. Without a deviation Z is 0 and P is 1.
	Z, P float64
	// Degree is by how many deviations the newest points have more edges than others: less
	// than 0 if they lie where points are sparse, or more than 0 where they crowd. It sees
	// what Z may not, samples of one centre and different spread.
	Degree float64
}

// Test holds the count against its mean and variance over all choices of the Newest points
// among all, the graph being given:
//
//	E X   = W a                                                            (D2)
//	Var X = Q a + (S - 2 Q) b + (W^2 - S + Q) c - (W a)^2                   (D3)
//
// where N = n + m, and a, b, c are the probabilities that an edge is a cross edge, that two
// edges which share a point both are, and that two which share none are:
//
//	a = 2 n m / N(N-1)    b = n m / N(N-1)    c = 4 n(n-1) m(m-1) / N(N-1)(N-2)(N-3)
//
// and likewise the strengths of the newest points, of which S/N - (2W/N)^2 is the variance:
//
//	E Y = 2 W m/N    Var Y = n m / N(N-1) (S - (2 W)^2 / N)                 (D4)
func (c Counts) Test() Test {
	t := Test{Cross: c.Cross, P: 1}
	n, m := float64(c.Reference), float64(c.Newest)
	all := n + m
	if all < 2 {
		return t
	}
	both := n * m / (all * (all - 1))
	var apart float64 // of fewer than four points there are no two edges that share none
	if all >= 4 {
		apart = 4 * n * (n - 1) * m * (m - 1) / (all * (all - 1) * (all - 2) * (all - 3))
	}
	w, q, s := float64(c.Weight), float64(c.Squares), float64(c.Strengths)
	t.Mean = w * 2 * both
	if t.Deviation = deviation(q*2*both+(s-2*q)*both+(w*w-s+q)*apart-t.Mean*t.Mean, t.Mean); t.Deviation > 0 {
		t.Z = (t.Mean - float64(c.Cross)) / t.Deviation
		t.P = 0.5 * math.Erfc(t.Z/math.Sqrt2)
	}
	ends := 2 * w * m / all
	if d := deviation(both*(s-4*w*w/all), ends); d > 0 {
		t.Degree = (float64(c.Ends) - ends) / d
	}
	return t
}

// deviation is the root of a variance, 0 where that is but the rounding of its terms.
func deviation(variance, mean float64) float64 {
	if variance <= 1e-12*(mean*mean+1) {
		return 0
	}
	return math.Sqrt(variance)
}

// edge adds a weight of 1 between two points, or takes it out if sign is -1. It changes their
// strengths; was is the weight between them without it.
func (c *Counts) edge(sign, was int64, strength [2]*int32, newest [2]bool) {
	c.Weight += sign
	c.Squares += sign * (2*was + 1) // (was+1)^2 - was^2
	if newest[0] != newest[1] {
		c.Cross += sign
	}
	for end, s := range strength {
		c.Strengths += sign*2*int64(*s) + 1
		*s += int32(sign)
		if newest[end] {
			c.Ends += sign
		}
	}
}
