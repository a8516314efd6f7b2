package farfield

import "math"

// moments has, for every node of a tree, the mean and covariance of its points'
//
//	z = (mu_1, ..., mu_d, Delta^2, sigma^2)
type moments struct {
	d    int
	mean []float64 // nodes x (d+2)
	cov  []float64 // nodes x (d+2)(d+3)/2: the lower triangles by rows
}

func newMoments(nodes, d int) moments {
	return moments{d: d, mean: make([]float64, nodes*(d+2)), cov: make([]float64, nodes*triangle(d+2))}
}

// triangle returns the number of entries in the first k rows of a lower triangle, which is the
// index of the first entry of row k.
func triangle(k int) int { return k * (k + 1) / 2 }

// of returns the mean and covariance of node v.
func (m *moments) of(v int) (mean, cov []float64) {
	z, t := m.d+2, triangle(m.d+2)
	return m.mean[v*z : (v+1)*z], m.cov[v*t : (v+1)*t]
}

// column returns the j-th component of z.
func (c *Columns) column(j int) []float64 {
	switch d := len(c.Mu); j {
	case d:
		return c.Delta2
	case d + 1:
		return c.Sigma2
	default:
		return c.Mu[j]
	}
}

// count computes the moments of node v from its points from..to.
func (m *moments) count(v int, c *Columns, from, to int) {
	mean, cov := m.of(v)
	share := 1 / float64(to-from)
	for j := range mean {
		var s float64
		for _, x := range c.column(j)[from:to] {
			s += x
		}
		mean[j] = s * share
	}
	at := 0
	for j := range mean {
		a, meanA := c.column(j)[from:to], mean[j]
		for k := range j + 1 {
			b, meanB := c.column(k)[from:to], mean[k]
			var s float64
			for p, x := range a {
				s += (x - meanA) * (b[p] - meanB)
			}
			cov[at] = s * share
			at++
		}
	}
}

// merge computes the moments of v from those of its halves, of a and b points:
//
//	mean = (a mean_a + b mean_b)/(a+b)
//	cov = (a cov_a + b cov_b)/(a+b) + a b/(a+b)^2 (mean_a - mean_b)(mean_a - mean_b)'
func (m *moments) merge(v, a, b int) {
	mean, cov := m.of(v)
	meanA, covA := m.of(2 * v)
	meanB, covB := m.of(2*v + 1)
	shareA := float64(a) / float64(a+b)
	shareB := 1 - shareA
	for j := range mean {
		mean[j] = shareA*meanA[j] + shareB*meanB[j]
	}
	at := 0
	for j := range mean {
		f := shareA * shareB * (meanA[j] - meanB[j])
		for k := range j + 1 {
			cov[at] = shareA*covA[at] + shareB*covB[at] + f*(meanA[k]-meanB[k])
			at++
		}
	}
}

// extent returns the mean squared distance from the centroid, tr C.
func (m *moments) extent(v int) float64 {
	_, cov := m.of(v)
	var trace float64
	for k := range m.d {
		trace += cov[triangle(k)+k]
	}
	return trace
}

// widest returns an upper bound of the variance of positions along any direction: the largest row
// sum of |C|. It is exact if C is a multiple of the identity.
func (m *moments) widest(v int) float64 {
	_, cov := m.of(v)
	var most float64
	for j := range m.d {
		var sum float64
		for k := range m.d {
			sum += math.Abs(cov[triangle(max(j, k))+min(j, k)])
		}
		most = max(most, sum)
	}
	return most
}

// factor computes the first d+1 columns of the Cholesky factor of v's covariance, l of (d+2) x
// (d+1): cov = l l' except for the variance of sigma^2. A direction without extent has a column of
// zeros.
func (m *moments) factor(v int, l []float64) {
	_, cov := m.of(v)
	cols := m.d + 1
	for k := range cols {
		whole := cov[triangle(k)+k]
		pivot := whole
		for _, x := range l[k*cols : k*cols+k] {
			pivot -= x * x
		}
		inverse := 0.0
		if pivot > 1e-14*whole { // smaller values are rounding errors
			inverse = 1 / math.Sqrt(pivot)
		}
		for j := range cols + 1 {
			if j < k {
				l[j*cols+k] = 0
				continue
			}
			s := cov[triangle(j)+k]
			for i, x := range l[k*cols : k*cols+k] {
				s -= l[j*cols+i] * x
			}
			l[j*cols+k] = s * inverse
		}
	}
}

func (m *moments) bytes() int64 { return 8 * int64(len(m.mean)+len(m.cov)) }
