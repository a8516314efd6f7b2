package solve

// The passes of an iteration for two columns, whose sums and factors stay in
// registers.

func dots2(sums, p, q, inverse []float64) {
	p, q = p[:2*len(inverse)], q[:2*len(inverse)]
	a0, a1, b0, b1 := sums[0], sums[1], sums[2], sums[3]
	for i, inv := range inverse {
		u, v := (*[2]float64)(p[2*i:]), (*[2]float64)(q[2*i:])
		a0 += u[0] * v[0]
		a1 += u[1] * v[1]
		b0 += v[0] * v[0] * inv
		b1 += v[1] * v[1] * inv
	}
	sums[0], sums[1], sums[2], sums[3] = a0, a1, b0, b1
}

func stepAndDirection2(l *worker, sums, x, r, p, q, inverse []float64) {
	size := 2 * len(inverse)
	x, r, p, q = x[:size], r[:size], p[:size], q[:size]
	alpha0, alpha1, beta0, beta1 := l.alpha[0], l.alpha[1], l.beta[0], l.beta[1]
	var a0, a1, b0, b1 float64
	for i, inv := range inverse {
		xi, ri := (*[2]float64)(x[2*i:]), (*[2]float64)(r[2*i:])
		pi, qi := (*[2]float64)(p[2*i:]), (*[2]float64)(q[2*i:])
		p0, p1 := pi[0], pi[1]
		xi[0] += alpha0 * p0
		xi[1] += alpha1 * p1
		v0, v1 := ri[0]-alpha0*qi[0], ri[1]-alpha1*qi[1]
		ri[0], ri[1] = v0, v1
		z0, z1 := v0*inv, v1*inv
		pi[0], pi[1] = z0+beta0*p0, z1+beta1*p1
		a0 += v0 * z0
		a1 += v1 * z1
		b0 += v0 * v0
		b1 += v1 * v1
	}
	sums[0], sums[1], sums[2], sums[3] = a0, a1, b0, b1
}

func step2(l *worker, sums, x, r, p, q, inverse []float64) {
	size := 2 * len(inverse)
	x, r, p, q = x[:size], r[:size], p[:size], q[:size]
	alpha0, alpha1 := l.alpha[0], l.alpha[1]
	var a0, a1, b0, b1 float64
	for i, inv := range inverse {
		xi, ri := (*[2]float64)(x[2*i:]), (*[2]float64)(r[2*i:])
		pi, qi := (*[2]float64)(p[2*i:]), (*[2]float64)(q[2*i:])
		xi[0] += alpha0 * pi[0]
		xi[1] += alpha1 * pi[1]
		v0, v1 := ri[0]-alpha0*qi[0], ri[1]-alpha1*qi[1]
		ri[0], ri[1] = v0, v1
		a0 += v0 * v0 * inv
		a1 += v1 * v1 * inv
		b0 += v0 * v0
		b1 += v1 * v1
	}
	sums[0], sums[1], sums[2], sums[3] = a0, a1, b0, b1
}

func firstDirection2(sums, r, p, inverse []float64) {
	r, p = r[:2*len(inverse)], p[:2*len(inverse)]
	var a0, a1, b0, b1 float64
	for i, inv := range inverse {
		v, u := (*[2]float64)(r[2*i:]), (*[2]float64)(p[2*i:])
		u[0], u[1] = v[0]*inv, v[1]*inv
		a0 += v[0] * u[0]
		a1 += v[1] * u[1]
		b0 += v[0] * v[0]
		b1 += v[1] * v[1]
	}
	sums[0], sums[1], sums[2], sums[3] = a0, a1, b0, b1
}
