package farfield

import "math"

// standins has the few sources that represent the points of a node: m = d+1 positions with the
// node's centroid and covariance. Their Delta^2 and sigma^2 come from a linear fit to the points'.
// Then
//
//	sum_j f(z_j) = (count/m) sum_p f(standin_p)
//
// up to third derivatives of f in the position and up to the residuals of Delta^2 and sigma^2 in
// the fit, for any f. (The unscented transform of Julier and Uhlmann 1997, with a simplex.)
//
// Near the node, where kernels are not proportional to Delta^2, its residual variance is added
// again. The stand-ins get a part 1 - w of the count and lower Delta^2. An additional stand-in at
// the centroid gets the part w and a higher Delta^2, since lengths usually have such a skewed
// distribution.
type standins struct {
	d, m   int
	design []float64 // m x d, see simplex
	value  []float64 // nodes x (d+2) x stride, component by component
	wide   []float64 // the same with the whole variance of Delta^2, m+1 of a component
	// stride and wideStride are the sizes of a component: m and m+1, rounded up to the values that
	// put copies.
	stride, wideStride int
	rest               []float64 // nodes: the standard deviation of Delta^2 about the fit

	apart, lower, higher float64 // the factors of widen
}

// centreShare is w.
const centreShare = 0.25

// least is the smallest Delta^2 or sigma^2 of a stand-in, as a part of the mean.
const least = 0.1

func newStandins(nodes, d int) standins {
	s := standins{d: d, m: d + 1, design: simplex(d)}
	s.stride, s.wideStride = (s.m+few-1)/few*few, (s.m+few)/few*few
	s.value = make([]float64, nodes*(d+2)*s.stride)
	s.wide = make([]float64, nodes*(d+2)*s.wideStride)
	s.rest = make([]float64, nodes)
	s.apart = 1 / math.Sqrt(1-centreShare)
	s.lower = math.Sqrt(centreShare / (1 - centreShare))
	s.higher = 1 / s.lower
	return s
}

// simplex returns d+1 points in d dimensions, (d+1) x d, with mean 0 and
// covariance 1.
func simplex(d int) []float64 {
	s := make([]float64, (d+1)*d)
	for k := range d {
		f := math.Sqrt(float64(d+1) / float64((k+1)*(k+2)))
		for p := range k + 1 {
			s[p*d+k] = f
		}
		s[(k+1)*d+k] = -f * float64(k+1)
	}
	return s
}

// set computes the stand-ins of node v. The factor l is a workspace.
func (s *standins) set(v int, m *moments, l []float64) {
	m.factor(v, l)
	mean, _ := m.of(v)
	cols := s.d + 1
	for j := range s.d + 2 {
		row := l[j*cols : (j+1)*cols]
		value := s.value[(v*(s.d+2)+j)*s.stride:][:s.m]
		for p := range value {
			var x float64
			for k, e := range s.design[p*s.d : (p+1)*s.d] {
				x += row[k] * e
			}
			value[p] = x
		}
		shift(value, mean[j], j >= s.d)
	}
	rest, couple := l[s.d*cols+s.d], l[(s.d+1)*cols+s.d]
	s.rest[v] = rest
	for j, x := range mean {
		switch j {
		case s.d:
			s.widen(v, j, x, rest)
		case s.d + 1:
			s.widen(v, j, x, couple) // the part that is correlated with Delta^2
		default:
			s.widen(v, j, x, 0)
		}
	}
}

// widen computes component j of the stand-ins with the full variance of Delta^2:
//
//	mean + (standin_p - mean)/sqrt(1-w) - rest sqrt(w/(1-w)),  mean + rest sqrt((1-w)/w)
func (s *standins) widen(v, j int, mean, rest float64) {
	at := v*(s.d+2) + j
	value, out := s.value[at*s.stride:][:s.m], s.wide[at*s.wideStride:][:s.m+1]
	for p, x := range value {
		out[p] = (x-mean)*s.apart - rest*s.lower
	}
	out[s.m] = rest * s.higher
	shift(out, mean, j >= s.d)
}

// shift converts deviations to values around a mean. If the values have to be positive it shrinks
// the deviations as needed; the mean stays.
func shift(values []float64, mean float64, positive bool) {
	f := 1.0
	if deepest := -(1 - least) * mean; positive {
		for _, x := range values {
			if f*x < deepest {
				f = deepest / x
			}
		}
	}
	for p, x := range values {
		values[p] = mean + f*x
	}
}

// gather writes node v, of count points, as sources of w at position at and returns the position
// after them.
func (s *standins) gather(w *worker, at, v, count int) int {
	size := (s.d + 2) * s.stride
	w.put(at, s.value[v*size:(v+1)*size], s.stride)
	weight := float64(count) / float64(s.m)
	for k := range s.m {
		w.weight[at+k] = weight
	}
	return at + s.m
}

// gatherSpread is gather with the full variance of Delta^2.
func (s *standins) gatherSpread(w *worker, at, v, count int) int {
	size := (s.d + 2) * s.wideStride
	w.put(at, s.wide[v*size:(v+1)*size], s.wideStride)
	weight := float64(count) * (1 - centreShare) / float64(s.m)
	for k := range s.m {
		w.weight[at+k] = weight
	}
	w.weight[at+s.m] = float64(count) * centreShare
	return at + s.m + 1
}

func (s *standins) bytes() int64 {
	return 8 * int64(len(s.design)+len(s.value)+len(s.wide)+len(s.rest))
}
