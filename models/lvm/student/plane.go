package student

import "math"

// The kernels of the plane, d = 2 and a = 1, one target against a run of
// sources. With u = r^2/2, s = sigma_i^2 + sigma_j^2, q = s + u, A = Delta_i^2 and
// B = Delta_j^2 the repulsion of both directions together is (H7)
//
//	V_ij = A/(q(q+A)) + B/(q(q+B)) = ((A+B) q + 2AB) / (q (q+A)(q+B)),
//
// one division a pair. Nothing is subtracted but coordinates.

// spot is a target in the plane.
type spot struct{ x, y, s, a float64 }

// run are sources in slices of equal length.
type run struct{ x, y, s, a, w []float64 }

// cut returns sources from..to.
func (r *run) cut(from, to int) run {
	return run{r.x[from:to], r.y[from:to], r.s[from:to], r.a[from:to], r.w[from:to]}
}

// push returns sum_j V_ij (mu_i - mu_j), and sum_j V_ij.
func (t spot) push(r run) (gx, gy, v float64) {
	xs := r.x
	ys, ss, as, ws := r.y[:len(xs)], r.s[:len(xs)], r.a[:len(xs)], r.w[:len(xs)]
	for k, x := range xs {
		dx, dy := t.x-x, t.y-ys[k]
		q := 0.5*(dx*dx+dy*dy) + (t.s + ss[k])
		b := as[k]
		ab := t.a * b
		m := (t.a+b)*q + ab // (q+A)(q+B) - q^2
		f := ws[k] * (m + ab) / (q * (q*q + m))
		gx += f * dx
		gy += f * dy
		v += f
	}
	return gx, gy, v
}

// pushLocal is push with the sum of the local majoriser (H8) of both
// directions,
//
//	4 (e-s)/(s+e)^2 + 2/(q+A) + 2/(q+B),   e = max(u/2, 3s),
//
// the last two over the denominator that is there anyway.
func (t spot) pushLocal(r run) (gx, gy, v, gamma float64) {
	xs := r.x
	ys, ss, as, ws := r.y[:len(xs)], r.s[:len(xs)], r.a[:len(xs)], r.w[:len(xs)]
	for k, x := range xs {
		dx, dy := t.x-x, t.y-ys[k]
		u, s := 0.5*(dx*dx+dy*dy), t.s+ss[k]
		q, b, w := s+u, as[k], ws[k]
		ab, c := t.a*b, t.a+b
		m := c*q + ab
		over := w / (q * (q*q + m))
		e := 0.5 * u
		if least := 3 * s; e < least {
			e = least
		}
		wide := w / ((s + e) * (s + e))
		f := (m + ab) * over
		gx += f * dx
		gy += f * dy
		v += f
		gamma += 2*(e-s)*wide + (q+q+c)*q*over
	}
	return gx, gy, v, 2 * gamma
}

// pushFar is push with the sum of the majoriser Far (H8) of both directions,
// 6/(q+A) + 6/(q+B), over the denominator that is there anyway.
func (t spot) pushFar(r run) (gx, gy, v, gamma float64) {
	xs := r.x
	ys, ss, as, ws := r.y[:len(xs)], r.s[:len(xs)], r.a[:len(xs)], r.w[:len(xs)]
	for k, x := range xs {
		dx, dy := t.x-x, t.y-ys[k]
		q := 0.5*(dx*dx+dy*dy) + (t.s + ss[k])
		b := as[k]
		ab, c := t.a*b, t.a+b
		m := c*q + ab
		over := ws[k] / (q * (q*q + m))
		f := (m + ab) * over
		gx += f * dx
		gy += f * dy
		v += f
		gamma += (q + q + c) * q * over
	}
	return gx, gy, v, 6 * gamma
}

// pushGlobal is push with the sum of the tighter majoriser (H8),
// 2/(4s) + 2/V_ij + 2/V_ji.
func (t spot) pushGlobal(r run) (gx, gy, v, gamma float64) {
	for k, w := range r.w {
		s := t.s + r.s[k]
		gamma += w * 2 * (1/(4*s) + 1/(s+t.a) + 1/(s+r.a[k]))
	}
	gx, gy, v = t.push(r)
	return gx, gy, v, gamma
}

// logs returns the sum of the weighted log-likelihoods of both directions,
//
//	log(q/(q+A)) + log(q/(q+B)) = log(q^2 / (q^2 + m)),   m = (A+B) q + AB.
//
// Sources of weight 1 are multiplied up, with a logarithm where the product
// becomes small; for others, which are far, log x = 2 artanh((x-1)/(x+1)) is a
// short series.
func (t spot) logs(r run) float64 {
	xs := r.x
	ys, ss, as, ws := r.y[:len(xs)], r.s[:len(xs)], r.a[:len(xs)], r.w[:len(xs)]
	sum, product := 0.0, 1.0
	for k, x := range xs {
		dx, dy := t.x-x, t.y-ys[k]
		q := 0.5*(dx*dx+dy*dy) + (t.s + ss[k])
		b := as[k]
		m, q2 := (t.a+b)*q+t.a*b, q*q
		if ws[k] == 1 {
			product *= q2 / (q2 + m)
			if product < 1e-150 {
				sum += math.Log(product)
				product = 1
			}
			continue
		}
		z := m / (2*q2 + m)
		if z > 0.1 {
			sum += ws[k] * math.Log(q2/(q2+m))
			continue
		}
		zz := z * z
		sum -= ws[k] * 2 * z * (1 + zz*(1./3+zz*(1./5+zz*(1./7+zz*(1./9+zz*(1./11))))))
	}
	return sum + math.Log(product)
}
