package ep

import (
	"fmt"
	"math"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// Dense is expectation propagation with a full kernel matrix, O(n^3) per sweep. It is the reference
// for Sparse.
type Dense struct {
	*Sites
	l       Likelihood
	y       []float64
	k       vec.Matrix[float64]
	threads int
	// Mean and Cov are the posterior of f.
	Mean []float64
	Cov  vec.Matrix[float64]
	// b is the Cholesky factor of I + T^1/2 K T^1/2, T = diag(tau), after a sweep.
	b vec.Matrix[float64]
}

// newDense returns the process with the prior N(0, K) and uninformative sites.
func newDense(l Likelihood, k vec.Matrix[float64], y []float64, threads int) *Dense {
	return &Dense{Sites: NewSites(len(y)), l: l, y: y, k: k, threads: threads, Mean: make([]float64, len(y)), Cov: k.Clone(), b: vec.New[float64](len(y), len(y))}
}

// Run sweeps over the sites until they converge.
func (p *Dense) Run(s Settings) (Result, error) { return run(p, s) }

func (p *Dense) sites() *Sites { return p.Sites }

func (p *Dense) sweep(damping float64) error {
	for i := range p.y {
		p.update(i, damping)
	}
	return p.recompute()
}

// update visits site i: Sigma -= dtau/(1 + dtau s_ii) s_i s_i', mu += (dnu - dtau mu_i) s_i^new.
func (p *Dense) update(i int, damping float64) {
	row := p.Cov.Row(i)
	dtau, dnu := p.visit(i, p.l, p.y[i], p.Mean[i], row[i], damping)
	s := append([]float64(nil), row...)
	scale := 1 / (1 + dtau*s[i])
	vec.Axpy((dnu-dtau*p.Mean[i])*scale, s, p.Mean)
	for j, v := range s {
		vec.Axpy(-dtau*scale*v, s, p.Cov.Row(j))
	}
}

// recompute computes the posterior from the sites: with B = I + T^1/2 K T^1/2 = L L', Sigma = K -
// V'V, V = L^-1 T^1/2 K.
func (p *Dense) recompute() error {
	n := len(p.y)
	if err := p.factor(); err != nil {
		return err
	}
	v := vec.New[float64](n, n)
	for i := range n {
		vec.Axpy(math.Sqrt(p.Tau[i]), p.k.Row(i), v.Row(i))
	}
	spd.HalfSolve(p.b, v, p.threads)
	copy(p.Cov.Data, p.k.Data)
	g := gemm.Implementation{Threads: p.threads}
	g.Dsyrk(gonum.Lower, gonum.Trans, n, n, -1, v.Data, n, 1, p.Cov.Data, n)
	spd.Mirror(p.Cov, p.threads)
	for i := range n {
		p.Mean[i] = vec.Dot(p.Cov.Row(i), p.Nu)
	}
	return nil
}

func (p *Dense) factor() error {
	for i := range p.y {
		for j := range p.y {
			p.b.Row(i)[j] = math.Sqrt(p.Tau[i]*p.Tau[j]) * p.k.Row(i)[j]
		}
		p.b.Row(i)[i]++
	}
	if err := spd.Factor(p.b, p.threads); err != nil {
		return fmt.Errorf("the posterior of %d sites: %w", len(p.y), err)
	}
	return nil
}

// LogMarginal returns log Z~ + log N(mu~ | 0, K + Sigma~), after a sweep:
// |K + T^-1| = |B|/|T|, and mu~'(K + T^-1)^-1 mu~ = |L^-1 T^-1/2 nu|^2.
func (p *Dense) LogMarginal() float64 {
	sum := p.logNormalizer() - 0.5*spd.LogDet(p.b)
	half := vec.New[float64](len(p.y), 1)
	for i, tau := range p.Tau {
		if tau > 0 {
			sum += 0.5 * (math.Log(tau) - math.Log(2*math.Pi))
			half.Data[i] = p.Nu[i] / math.Sqrt(tau)
		}
	}
	spd.HalfSolve(p.b, half, 1)
	return sum - 0.5*vec.SquaredNorm(half.Data)
}

// Predict returns the mean and the variance of f at a point. k are its covariances with the inputs,
// and self is its prior variance.
func (p *Dense) Predict(k []float64, self float64) (mean, variance float64) {
	n := len(p.y)
	// (K + T^-1)^-1 = T^1/2 B^-1 T^1/2
	two := vec.New[float64](n, 2)
	for i := range n {
		root := math.Sqrt(p.Tau[i])
		two.Row(i)[0] = root * k[i]
		if root > 0 {
			two.Row(i)[1] = p.Nu[i] / root
		}
	}
	spd.HalfSolve(p.b, two, 1)
	variance = self
	for i := range n {
		mean += two.Row(i)[0] * two.Row(i)[1]
		variance -= two.Row(i)[0] * two.Row(i)[0]
	}
	return mean, variance
}

// refresh computes cavities and normalisers from posterior marginals.
func (s *Sites) refresh(l Likelihood, y, mean, variance []float64) {
	for i := range s.Tau {
		s.CavTau[i], s.CavNu[i] = 1/variance[i]-s.Tau[i], mean[i]/variance[i]-s.Nu[i]
		s.LogZ[i], _, _ = l.Match(y[i], s.CavNu[i]/s.CavTau[i], 1/s.CavTau[i])
	}
}
