package lllvm

import "math"

// bestAlpha solves eq 72 for alpha: d sum_j 1/(alpha + 2 w_j) = tr Sigma_x + |mu_x|^2. The left
// side is convex and decreasing, between d/alpha and nd/alpha. So Newton's method, started at d
// over the right side, rises to the root.
func (m *Model) bestAlpha(st *State) (float64, error) {
	trace, square := m.norms(st)
	d, want := float64(m.set.Dims), trace+square
	if !m.g.exact() {
		return m.bestAlphaByTraces(want / d)
	}
	alpha := d / want
	for range 100 {
		f, slope := 0.0, 0.0
		for _, w := range m.g.eigenvalues() {
			q := 1 / (alpha + 2*w)
			f += d * q
			slope += d * q * q
		}
		step := (f - want) / slope
		alpha += step
		if !(step > 1e-15*alpha) {
			break
		}
	}
	return alpha, nil
}

// bestAlphaByTraces solves sum_j 1/(alpha + 2 w_j) = want without eigenvalues. The logarithms of
// both sides are almost linear in log alpha, and the root lies between 1/want and n/want. So it
// uses regula falsi, with the value at a retained end halved (Dowell and Jarratt 1971).
func (m *Model) bestAlphaByTraces(want float64) (float64, error) {
	at := func(u float64) (float64, error) {
		f, err := m.g.traceShifted(math.Exp(u), m.set.Threads)
		return math.Log(f / want), err
	}
	low, high := -math.Log(want), math.Log(float64(m.g.Len())/want)
	fLow, err := at(low)
	if err != nil {
		return 0, err
	}
	fHigh, err := at(high)
	if err != nil {
		return 0, err
	}
	for range 60 {
		if !(fLow > 0) {
			return math.Exp(low), nil
		}
		if !(fHigh < 0) {
			return math.Exp(high), nil
		}
		u := (low*fHigh - high*fLow) / (fHigh - fLow)
		f, err := at(u)
		if err != nil {
			return 0, err
		}
		if math.Abs(f) < 1e-12 || high-low < 1e-13 {
			return math.Exp(u), nil
		}
		if f > 0 {
			low, fLow, fHigh = u, f, fHigh/2
		} else {
			high, fHigh, fLow = u, f, fLow/2
		}
	}
	return math.Exp((low + high) / 2), nil
}

// setAlpha sets alpha and log |alpha I + 2 L|.
func (m *Model) setAlpha(st *State, alpha float64) (err error) {
	if alpha == st.Alpha && st.shifted != 0 {
		return nil
	}
	st.Alpha = alpha
	if !m.set.LearnAlpha || !m.g.exact() {
		st.shifted, err = m.g.logDetShifted(alpha, m.set.Threads)
		return err
	}
	st.shifted = 0
	for _, w := range m.g.eigenvalues() {
		st.shifted += math.Log(alpha + 2*w)
	}
	return nil
}
