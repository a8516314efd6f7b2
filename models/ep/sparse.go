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

// Process is the prior of n inputs of a sparse Gaussian process with m inducing inputs. The prior
// of alpha = <K_fu> K_uu^-1 u is N(0, Psi1 Kuu^-1 Psi1' + diag Lambda) (S5). For certain inputs
// Psi1 = K_fu and Lambda = 0, which is the DTC approximation (S3). A Process is read-only.
type Process struct {
	Kernel  *psi.Kernel
	In      psi.Inputs
	Z       vec.Matrix[float64] // m x q
	Psi     vec.Matrix[float64] // n x m, rows Psi1_n
	Lambda  []float64           // tr(Psi2n Kuu^-1) - Psi1_n' Kuu^-1 Psi1_n
	kuu     vec.Matrix[float64]
	factor  vec.Matrix[float64] // of Kuu
	inverse vec.Matrix[float64] // Kuu^-1
	white   vec.Matrix[float64] // rows L^-1 Psi1_n, Kuu = L L'
	threads int
	dtc     bool
	// Jitter is the value that was added to the diagonal of Kuu.
	Jitter float64
}

// NewProcess returns the process of uncertain inputs. It fails if inducing inputs are so close that
// no small jitter makes Kuu positive definite.
func NewProcess(k *psi.Kernel, in psi.Inputs, z vec.Matrix[float64], threads int) (*Process, error) {
	p := &Process{Kernel: k, In: in, Z: z, threads: threads}
	if err := p.prior(); err != nil {
		return nil, err
	}
	k.Traces(p.Lambda, p.inverse, in, z, threads)
	solved := vec.New[float64](in.Mu.Rows, z.Rows)
	p.mul(solved, p.Psi, p.inverse)
	for n := range p.Lambda {
		// Only rounding makes it negative.
		p.Lambda[n] = max(0, p.Lambda[n]-vec.Dot(solved.Row(n), p.Psi.Row(n)))
	}
	return p, nil
}

// NewDTC returns the process of certain inputs, x of n x q, in the DTC
// approximation (S.7, S.8).
func NewDTC(k *psi.Kernel, x, z vec.Matrix[float64], threads int) (*Process, error) {
	p := &Process{Kernel: k, In: psi.Certain(x), Z: z, threads: threads, dtc: true}
	return p, p.prior()
}

func (p *Process) prior() (err error) {
	if err := check(p.Kernel, p.In, p.Z); err != nil {
		return err
	}
	n, m := p.In.Mu.Rows, p.Z.Rows
	p.Psi, p.Lambda, p.kuu = vec.New[float64](n, m), make([]float64, n), vec.New[float64](m, m)
	p.Kernel.First(p.Psi, p.In, p.Z, p.threads)
	p.Kernel.Matrix(p.kuu, p.Z)
	p.factor = p.kuu.Clone()
	if p.Jitter, err = p.factorKuu(); err != nil {
		return fmt.Errorf("the kernel matrix of %d inducing inputs: %w", m, err)
	}
	across := vec.Transpose(p.Psi)
	spd.HalfSolve(p.factor, across, p.threads)
	p.white = vec.Transpose(across)
	p.inverse = p.factor.Clone()
	spd.Invert(p.inverse, p.threads)
	return nil
}

// Kuu gets jitter, as a share of the variance, if a pivot is below the share poor. The sites' terms
// are larger, and their rounding must not exceed Kuu's own.
const (
	poor   = 1e-10
	jitter = 1e-8
)

// factorKuu computes the factor of Kuu, with jitter on the diagonal if necessary.
func (p *Process) factorKuu() (added float64, err error) {
	copy(p.factor.Data, p.kuu.Data)
	err = spd.Factor(p.factor, p.threads)
	for a := range p.factor.Rows {
		d := p.factor.Row(a)[a]
		if err != nil || d*d < poor*p.Kernel.Variance {
			added = jitter * p.Kernel.Variance
		}
	}
	if added == 0 {
		return 0, nil
	}
	for a := range p.kuu.Rows {
		p.kuu.Row(a)[a] += added
	}
	copy(p.factor.Data, p.kuu.Data)
	return added, spd.Factor(p.factor, p.threads)
}

// factorWith replaces S, symmetric and nonnegative, by the factor of Kuu + S (lower triangle, zeros
// above). With Kuu = L L', it first computes L^-1 S L^-T.
func (p *Process) factorWith(s vec.Matrix[float64]) error {
	spd.HalfSolve(p.factor, s, p.threads)
	white := vec.Transpose(s)
	spd.HalfSolve(p.factor, white, p.threads)
	copy(s.Data, white.Data)
	return p.factorWhite(s)
}

// factorWhite replaces T by the factor of Kuu + L T L', which is L C with C C' = I + T. That is
// never nearly singular, however small the pivots of Kuu are relative to L T L'.
func (p *Process) factorWhite(t vec.Matrix[float64]) error {
	for a := range t.Rows {
		t.Row(a)[a]++
	}
	if err := spd.Factor(t, p.threads); err != nil {
		return err
	}
	lower := p.factor.Clone()
	for a := range t.Rows {
		clear(t.Row(a)[a+1:])
		clear(lower.Row(a)[a+1:])
	}
	whole := vec.New[float64](t.Rows, t.Rows)
	p.mul(whole, lower, t)
	copy(t.Data, whole.Data)
	return nil
}

func (p *Process) mul(dst, a, b vec.Matrix[float64]) {
	gemm.Implementation{Threads: p.threads}.Dgemm(gonum.NoTrans, gonum.NoTrans, a.Rows, b.Cols, a.Cols, 1, a.Data, a.Cols, b.Data, b.Cols, 0, dst.Data, b.Cols)
}

// Sparse is expectation propagation on a Process, O(n m^2) per sweep. With M = Kuu + sum_n w_n
// Psi1_n Psi1_n', w = tau/(1 + tau Lambda0), the posterior of f is
//
//	Sigma = Psi M^-1 Psi' + diag(Lambda),  mu = omega + Psi gamma   (S.25, S.30)
//	Psi_n = Psi1_n/(1 + tau_n Lambda0_n),  Lambda = Lambda0/(1 + tau Lambda0),
//	omega = Lambda nu,  gamma = M^-1 sum_n Psi1_n nu_n/(1 + tau_n Lambda0_n).
//
// A change of one site is a rank-one change of M, whose factor L is updated. This is (S.15), and
// equivalent to (S.26) to (S.32) with R'R = M^-1.
type Sparse struct {
	*Sites
	*Process
	l Likelihood
	y []float64
	// u is L' by rows (M = L L'), gamma as above.
	u     vec.Matrix[float64]
	gamma []float64
	// reduced is L' gamma, which visits update. work and column are scratch memory.
	reduced, work, column []float64
}

// NewSparse returns expectation propagation for the values y, with uninformative sites. NaN is an
// unobserved value, whose site does not change.
func NewSparse(l Likelihood, p *Process, y []float64) (*Sparse, error) {
	m := p.Z.Rows
	if err := checkValues(l, p.In.Mu.Rows, y); err != nil {
		return nil, err
	}
	s := &Sparse{Sites: NewSites(len(y)), Process: p, l: l, y: y, u: vec.New[float64](m, m),
		gamma: make([]float64, m), reduced: make([]float64, m), work: make([]float64, m), column: make([]float64, m)}
	return s, s.recompute()
}

// Warm copies the sites of another run over the same values.
func (s *Sparse) Warm(old *Sites) error {
	copy(s.Tau, old.Tau)
	copy(s.Nu, old.Nu)
	return s.recompute()
}

// Run sweeps over the sites until they converge.
func (s *Sparse) Run(set Settings) (Result, error) { return run(s, set) }

func (s *Sparse) sites() *Sites { return s.Sites }

func (s *Sparse) sweep(damping float64) error {
	for i := range s.y {
		if err := s.update(i, damping); err != nil {
			return err
		}
	}
	return s.recompute()
}

// half solves L x = Psi1_i and returns |x|^2 = Psi1_i' M^-1 Psi1_i; x is in s.work.
func (s *Sparse) half(i int) (square float64) {
	copy(s.work, s.Psi.Row(i))
	forward(s.u, s.work)
	return vec.SquaredNorm(s.work)
}

// marginal returns the posterior mean and variance of f_i after half(i).
func (s *Sparse) marginal(i int, square float64) (mean, variance float64) {
	d := 1 + s.Tau[i]*s.Lambda[i]
	return s.Lambda[i]/d*s.Nu[i] + vec.Dot(s.work, s.reduced)/d, s.Lambda[i]/d + square/(d*d)
}

// update visits site i. With w and v = nu/(1 + tau Lambda) before and after, M changes by dw Psi1
// Psi1' and M gamma by dv Psi1. settle updates gamma later.
func (s *Sparse) update(i int, damping float64) error {
	if math.IsNaN(s.y[i]) {
		return nil
	}
	square := s.half(i)
	mean, variance := s.marginal(i, square)
	lambda, before, nu := s.Lambda[i], s.Tau[i], s.Nu[i]
	dtau, dnu := s.visit(i, s.l, s.y[i], mean, variance, damping)
	if dtau == 0 && dnu == 0 {
		return nil
	}
	was, is := 1+before*lambda, 1+s.Tau[i]*lambda
	dw, dv := s.Tau[i]/is-before/was, s.Nu[i]/is-nu/was
	if 1+dw*square < leastPivot {
		return s.recompute() // the change is too large for an accurate update
	}
	copy(s.column, s.Psi.Row(i))
	rankOne(s.u, dw, dv, s.work, s.column, s.reduced)
	return nil
}

// settle computes gamma from the factor: L' gamma = L^-1 c.
func (s *Sparse) settle() {
	copy(s.gamma, s.reduced)
	backward(s.u, s.gamma)
}

// recompute computes the factor and gamma from the sites.
func (s *Sparse) recompute() error {
	n, m := len(s.y), s.Z.Rows
	scaled := vec.New[float64](n, m)
	clear(s.gamma)
	for i := range n {
		d := 1 + s.Tau[i]*s.Lambda[i]
		vec.Axpy(math.Sqrt(s.Tau[i]/d), s.white.Row(i), scaled.Row(i))
		vec.Axpy(s.Nu[i]/d, s.Psi.Row(i), s.gamma)
	}
	a := vec.New[float64](m, m)
	g := gemm.Implementation{Threads: s.threads}
	g.Dsyrk(gonum.Lower, gonum.Trans, m, n, 1, scaled.Data, m, 0, a.Data, m)
	if err := s.factorWhite(a); err != nil {
		return fmt.Errorf("the posterior of %d inducing inputs: %w", m, err)
	}
	for i := range m {
		for j := range i + 1 {
			s.u.Row(j)[i] = a.Row(i)[j]
		}
	}
	copy(s.reduced, s.gamma)
	forward(s.u, s.reduced)
	s.settle()
	return nil
}

// Marginals returns the posterior means and variances of f.
func (s *Sparse) Marginals() (mean, variance []float64) {
	mean, variance = make([]float64, len(s.y)), make([]float64, len(s.y))
	for i := range s.y {
		mean[i], variance[i] = s.marginal(i, s.half(i))
	}
	return mean, variance
}
