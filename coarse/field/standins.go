package field

import "math"

// standins holds the few sources that stand for the points of a node: m = d+1
// places with the node's centroid and covariance, at which Delta^2 and sigma^2
// have the values of a linear fit to the points'. Then
//
//	sum_j f(z_j) = (count/m) sum_p f(standin_p)
//
// up to third derivatives of f in the place and up to what the linear fit
// leaves of the variances of Delta^2 and sigma^2, for whatever f. (The unscented
// transform of Julier and Uhlmann 1997, with a simplex.)
//
// Where Delta^2 matters more than in proportion, near the node, what the fit
// leaves of its variance is put back: the stand-ins get a part 1 - w of the
// count and lower Delta^2, an additional one in the centroid gets the part w and
// a higher one, as lengths usually are distributed.
type standins struct {
	d, m   int
	design []float64 // m x d, see simplex
	value  []float64 // nodes x (d+2) x m, component by component
	rest   []float64 // nodes: the standard deviation of Delta^2 about the fit
	couple []float64 // nodes: the part of sigma^2's that goes with it
}

// centreShare is w.
const centreShare = 0.25

// least is the part of the mean below which no stand-in's Delta^2 or sigma^2 is
// put.
const least = 0.1

func newStandins(nodes, d int) standins {
	s := standins{d: d, m: d + 1, design: simplex(d)}
	s.value = make([]float64, nodes*(d+2)*s.m)
	s.rest = make([]float64, nodes)
	s.couple = make([]float64, nodes)
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

// set computes the stand-ins of node v. The factor l is workspace.
func (s *standins) set(v int, m *moments, l []float64) {
	m.factor(v, l)
	mean, _ := m.of(v)
	cols := s.d + 1
	for j := range s.d + 2 {
		row := l[j*cols : (j+1)*cols]
		value := s.value[(v*(s.d+2)+j)*s.m:][:s.m]
		for p := range value {
			var x float64
			for k, e := range s.design[p*s.d : (p+1)*s.d] {
				x += row[k] * e
			}
			value[p] = x
		}
		shift(value, mean[j], j >= s.d)
	}
	s.rest[v] = l[s.d*cols+s.d]
	s.couple[v] = l[(s.d+1)*cols+s.d]
}

// shift turns deviations into values about a mean. Where these have to be
// positive, it shortens the deviations if need be; the mean stays.
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

// gather makes node v, of count points, sources of w.
func (s *standins) gather(w *worker, v, count int) {
	value := s.value[v*(s.d+2)*s.m : (v+1)*(s.d+2)*s.m]
	for k := range s.d {
		w.source.Mu[k] = append(w.source.Mu[k], value[k*s.m:(k+1)*s.m]...)
	}
	w.source.Delta2 = append(w.source.Delta2, value[s.d*s.m:(s.d+1)*s.m]...)
	w.source.Sigma2 = append(w.source.Sigma2, value[(s.d+1)*s.m:]...)
	w.weigh(s.m, float64(count)/float64(s.m))
}

// gatherSpread makes node v, of count points and mean z, sources of w with the
// whole variance of Delta^2:
//
//	mean + (standin_p - mean)/sqrt(1-w) - rest sqrt(w/(1-w)),  mean + rest sqrt((1-w)/w)
func (s *standins) gatherSpread(w *worker, v, count int, mean []float64) {
	const share = centreShare
	wide, low, high := 1/math.Sqrt(1-share), math.Sqrt(share/(1-share)), math.Sqrt((1-share)/share)
	put := func(dst []float64, j int, rest float64) []float64 {
		centre, first := mean[j], len(dst)
		for _, x := range s.value[(v*(s.d+2)+j)*s.m:][:s.m] {
			dst = append(dst, (x-centre)*wide-rest*low)
		}
		dst = append(dst, rest*high)
		shift(dst[first:], centre, j >= s.d)
		return dst
	}
	for k := range s.d {
		w.source.Mu[k] = put(w.source.Mu[k], k, 0)
	}
	w.source.Delta2 = put(w.source.Delta2, s.d, s.rest[v])
	w.source.Sigma2 = put(w.source.Sigma2, s.d+1, s.couple[v])
	w.weigh(s.m, float64(count)*(1-share)/float64(s.m))
	w.weigh(1, float64(count)*share)
}

func (s *standins) bytes() int64 {
	return 8 * int64(len(s.design)+len(s.value)+len(s.rest)+len(s.couple))
}
