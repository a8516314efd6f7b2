package ep

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/psi"
)

// inputs returns q_n = Psi1_n' Kuu^-1 Psi1_n and the rows Kuu^-1 Psi1_n.
func (p *Process) inputs() (q []float64, solved vec.Matrix[float64]) {
	solved = vec.New[float64](p.Psi.Rows, p.Psi.Cols)
	p.mul(solved, p.Psi, p.inverse)
	q = make([]float64, p.Psi.Rows)
	for n := range q {
		q[n] = vec.Dot(solved.Row(n), p.Psi.Row(n))
	}
	return q, solved
}

// logNormal returns log N(mu~ | 0, Psi1 Kuu^-1 Psi1' + Lambda + Sigma~): with w =
// tau/(1 + tau Lambda), and M and gamma of Sparse,
//
//	-1/2 (log |M| - log |Kuu| - sum log w) - n/2 log 2 pi - 1/2 (sum w mu~^2 - c'M^-1 c),  M gamma = c.
//
// A site of precision 0 is left out.
func (s *Sparse) logNormal() float64 {
	sum := 0.5 * spd.LogDet(s.factor)
	for k := range s.u.Rows {
		sum -= math.Log(s.u.Row(k)[k])
	}
	for i, tau := range s.Tau {
		if tau > 0 {
			d := 1 + tau*s.Lambda[i]
			sum += 0.5 * (math.Log(tau/d) - math.Log(2*math.Pi) - s.Nu[i]*s.Nu[i]/(tau*d) + s.Nu[i]/d*vec.Dot(s.Psi.Row(i), s.gamma))
		}
	}
	return sum
}

// trace returns -1/2 sum_n tau_n (psi0_n - tr(Kuu^-1 Psi2n)), the term that turns the approximation
// into a bound. For certain inputs it is -1/2 tr((Kff - Qff) Sigma~^-1).
func (s *Sparse) trace() (sum float64) {
	q, _ := s.inputs()
	for i, tau := range s.Tau {
		sum -= 0.5 * tau * (s.Kernel.Variance - q[i] - s.Lambda[i])
	}
	return sum
}

// LogMarginal returns log Z~ + log N(mu~ | 0, prior + Sigma~).
func (s *Sparse) LogMarginal() float64 { return s.logNormalizer() + s.logNormal() }

// Bound returns LogMarginal plus the trace term. For certain inputs this is L_E (S.21). For
// uncertain ones it is the printed, moment-matched form of L_H (S.35) without KL.
func (s *Sparse) Bound() float64 { return s.LogMarginal() + s.trace() }

// BoundGradient adds the derivatives of Bound to g, with the sites and log Z~ fixed.
//
// With a = w (mu~ - Psi1 gamma) and the diagonal of C^-1, w - w^2 Psi1'M^-1 Psi1, l = dlog
// N/dLambda = (a^2 - C^-1)/2:
//
//	dlog N/dPsi1_n = a_n gamma - w_n M^-1 Psi1_n,
//	dlog N/dKuu = 1/2 (Kuu^-1 - M^-1 - gamma gamma'),
//
// Lambda and the trace term are linear in Psi2n and quadratic in Psi1.
func (s *Sparse) BoundGradient(g *psi.Gradient) {
	n, m := len(s.y), s.Z.Rows
	_, solved := s.inputs()
	inverseM := s.inverseM()
	byM := vec.New[float64](n, m)
	s.mul(byM, s.Psi, inverseM)
	dPsi, weight, lambda := vec.New[float64](n, m), make([]float64, n), make([]float64, n)
	for i, tau := range s.Tau {
		d := 1 + tau*s.Lambda[i]
		w := tau / d
		a := s.Nu[i]/d - w*vec.Dot(s.Psi.Row(i), s.gamma)
		vec.Axpy(a, s.gamma, dPsi.Row(i))
		vec.Axpy(-w, byM.Row(i), dPsi.Row(i))
		if s.certain() {
			// The trace term is -tau (k - Psi1'Kuu^-1 Psi1)/2.
			weight[i] = 0
			vec.Axpy(tau, solved.Row(i), dPsi.Row(i))
			lambda[i] = -tau / 2 // factor of Psi1 Psi1' in dKuu
		} else {
			l := 0.5 * (a*a - w + w*w*vec.Dot(byM.Row(i), s.Psi.Row(i)))
			weight[i] = l + tau/2
			vec.Axpy(-2*l, solved.Row(i), dPsi.Row(i))
			lambda[i] = l
		}
		g.Variance -= tau / 2
	}
	dK := s.inverse.Clone()
	vec.Axpy(-1, inverseM.Data, dK.Data)
	vec.Scale(0.5, dK.Data)
	for a, v := range s.gamma {
		vec.Axpy(-v/2, s.gamma, dK.Row(a))
	}
	s.addQuadratic(dK, weight, lambda)
	s.Kernel.MatrixGradient(g, dK, s.Z)
	s.Kernel.FirstGradient(g, dPsi, s.In, s.Z, s.threads)
	if !s.certain() {
		s.Kernel.SecondGradient(g, weight, s.inverse, s.In, s.Z, s.threads)
	}
}

// addQuadratic adds Kuu^-1 (sum_n lambda_n Psi1_n Psi1_n' - weight_n Psi2n) Kuu^-1.
func (s *Sparse) addQuadratic(dK vec.Matrix[float64], weight, lambda []float64) {
	m := s.Z.Rows
	inner := vec.New[float64](m, m)
	if !s.certain() {
		s.Kernel.Second(inner, weight, s.In, s.Z, s.threads)
		vec.Scale(-1, inner.Data)
	}
	scaled := s.Psi.Clone()
	for i, l := range lambda {
		vec.Scale(l, scaled.Row(i))
	}
	g := gemm.Implementation{Threads: s.threads}
	g.Dgemm(gonum.Trans, gonum.NoTrans, m, m, len(s.y), 1, s.Psi.Data, m, scaled.Data, m, 1, inner.Data, m)
	left := vec.New[float64](m, m)
	s.mul(left, s.inverse, inner)
	s.mul(inner, left, s.inverse)
	vec.Axpy(1, inner.Data, dK.Data)
}

// certain reports whether Lambda is absent: the inputs have no variance and the approximation is
// DTC.
func (p *Process) certain() bool { return p.dtc }

// inverseM returns M^-1.
func (s *Sparse) inverseM() vec.Matrix[float64] {
	l := vec.Transpose(s.u)
	spd.Invert(l, s.threads)
	return l
}

// Collapsed returns the bound that follows from (S.33) and (S.34), without log Z~ and KL. With
// Psi2~ = sum tau_n Psi2n, A = Kuu + Psi2~ and b = Psi1'nu it is
//
//	1/2 sum log(tau/2 pi) - 1/2 sum nu^2/tau + 1/2 log |Kuu| - 1/2 log |A| + 1/2 b'A^-1 b
//	- 1/2 sum tau psi0 + 1/2 tr(Kuu^-1 Psi2~).
//
// With Gaussian sites it is the bound of Titsias and Lawrence (2010). nu has a column for each
// output with these precisions. If g is not nil, derivatives are added to it. If dtau is not nil,
// the derivatives by tau_n are written to it (with nu = tau mu~, mu~ fixed; tau_n > 0).
func (p *Process) Collapsed(tau []float64, nu vec.Matrix[float64], g *psi.Gradient, dtau []float64) (float64, error) {
	n, m, outputs := p.Psi.Rows, p.Z.Rows, nu.Cols
	d := float64(outputs)
	second := vec.New[float64](m, m)
	p.Kernel.Second(second, tau, p.In, p.Z, p.threads)
	a := second.Clone()
	if err := p.factorWith(a); err != nil {
		return 0, fmt.Errorf("the bound of %d inducing inputs: %w", m, err)
	}
	value := 0.5 * d * (spd.LogDet(p.factor) - spd.LogDet(a) + vec.Dot(p.inverse.Data, second.Data))
	for i, t := range tau {
		if t > 0 { // a site of precision 0 is left out
			value += 0.5*d*(math.Log(t)-math.Log(2*math.Pi)-t*p.Kernel.Variance) - 0.5*vec.SquaredNorm(nu.Row(i))/t
		}
	}
	spd.Invert(a, p.threads)
	b, w := vec.New[float64](m, outputs), vec.New[float64](m, outputs)
	gemm.Implementation{Threads: p.threads}.Dgemm(gonum.Trans, gonum.NoTrans, m, outputs, n, 1, p.Psi.Data, m, nu.Data, outputs, 0, b.Data, outputs)
	p.mul(w, a, b)
	value += 0.5 * vec.Dot(b.Data, w.Data)
	if g == nil && dtau == nil {
		return value, nil
	}
	p.collapsedGradient(tau, nu, second, a, w, g, dtau)
	return value, nil
}

// collapsedGradient: dPsi1_n = W nu_n, W = A^-1 B; dPsi2~ = 1/2 (D Kuu^-1 - D A^-1 -
// W W'); dKuu the same less D/2 Kuu^-1 Psi2~ Kuu^-1.
func (p *Process) collapsedGradient(tau []float64, nu, second, a, w vec.Matrix[float64], g *psi.Gradient, dtau []float64) {
	n, m, outputs := p.Psi.Rows, p.Z.Rows, nu.Cols
	d := float64(outputs)
	b := gemm.Implementation{Threads: p.threads}
	d2 := p.inverse.Clone()
	vec.Axpy(-1, a.Data, d2.Data)
	vec.Scale(d/2, d2.Data)
	b.Dgemm(gonum.NoTrans, gonum.Trans, m, m, outputs, -0.5, w.Data, outputs, w.Data, outputs, 1, d2.Data, m)
	dPsi := vec.New[float64](n, m)
	b.Dgemm(gonum.NoTrans, gonum.Trans, n, m, outputs, 1, nu.Data, outputs, w.Data, outputs, 0, dPsi.Data, m)
	if dtau != nil {
		p.Kernel.Traces(dtau, d2, p.In, p.Z, p.threads)
		for i, t := range tau {
			dtau[i] += d/2*(1/t-p.Kernel.Variance) + vec.Dot(dPsi.Row(i), p.Psi.Row(i))/t - 0.5*vec.SquaredNorm(nu.Row(i))/(t*t)
		}
	}
	if g == nil {
		return
	}
	dK, left, right := d2.Clone(), vec.New[float64](m, m), vec.New[float64](m, m)
	p.mul(left, p.inverse, second)
	p.mul(right, left, p.inverse)
	vec.Axpy(-d/2, right.Data, dK.Data)
	for _, t := range tau {
		g.Variance -= d / 2 * t
	}
	p.Kernel.MatrixGradient(g, dK, p.Z)
	p.Kernel.FirstGradient(g, dPsi, p.In, p.Z, p.threads)
	p.Kernel.SecondGradient(g, tau, d2, p.In, p.Z, p.threads)
}

// Divergence returns KL(q(X) || N(0, I)) = 1/2 sum (S + mu^2 - 1 - log S). If g is not nil, it
// subtracts the derivatives from g.
func Divergence(in psi.Inputs, g *psi.Gradient) (sum float64) {
	for i, mu := range in.Mu.Data {
		s := in.S.Data[i]
		sum += 0.5 * (s + mu*mu - 1 - math.Log(s))
		if g != nil {
			g.Mu.Data[i] -= mu
			g.S.Data[i] -= 0.5 * (1 - 1/s)
		}
	}
	return sum
}
