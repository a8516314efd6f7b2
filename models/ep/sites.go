package ep

import "math"

// Sites are the Gaussian approximations of the likelihood, t_i(f) = Z~_i N(f | nu/tau, 1/tau), with
// the cavities of their last visits.
type Sites struct {
	Tau, Nu       []float64 // natural parameters
	LogZ          []float64 // log of the normaliser of the moments
	CavTau, CavNu []float64 // cavity
	// Negative counts visits that were skipped because the cavity or the new site would have a
	// negative precision.
	Negative int
}

// NewSites returns n sites of precision 0.
func NewSites(n int) *Sites {
	return &Sites{Tau: make([]float64, n), Nu: make([]float64, n), LogZ: make([]float64, n), CavTau: make([]float64, n), CavNu: make([]float64, n)}
}

// known is the least variance that is treated as nonzero.
const known = 1e-300

// visit computes the cavity of site i, whose f has the given posterior mean and variance, and
// matches moments. It moves the site by the share damping of the difference and returns the change.
func (s *Sites) visit(i int, l Likelihood, y, mean, variance, damping float64) (dtau, dnu float64) {
	if variance >= 0 {
		variance = max(variance, known)
	}
	cavTau, cavNu := 1/variance-s.Tau[i], mean/variance-s.Nu[i]
	if !(cavTau > 0) {
		s.Negative++
		return 0, 0
	}
	logZ, tau, nu := l.Match(y, cavNu/cavTau, 1/cavTau)
	dtau, dnu = damping*(tau-s.Tau[i]), damping*(nu-s.Nu[i])
	if !(s.Tau[i]+dtau >= 0) || math.IsNaN(dnu) || math.IsInf(dnu, 0) || math.IsInf(dtau, 0) {
		s.Negative++
		return 0, 0
	}
	s.CavTau[i], s.CavNu[i], s.LogZ[i] = cavTau, cavNu, logZ
	s.Tau[i] += dtau
	s.Nu[i] += dnu
	return dtau, dnu
}

// logNormalizer returns log Z~ from the cavities of the last visits,
//
//	sum_i log Zhat_i + 1/2 log 2 pi w_i + 1/2 (cavity mean - nu/tau)^2/w_i,  w = 1/tau + 1/tau_cav.
//
// A site of precision 0 has no mean and contributes only log Zhat. LogMarginal also leaves it out
// of N(mu~ | ...).
func (s *Sites) logNormalizer() (sum float64) {
	for i, tau := range s.Tau {
		sum += s.LogZ[i]
		if tau > 0 && s.CavTau[i] > 0 {
			w := 1/tau + 1/s.CavTau[i]
			d := s.CavNu[i]/s.CavTau[i] - s.Nu[i]/tau
			sum += 0.5 * (math.Log(2*math.Pi*w) + d*d/w)
		}
	}
	return sum
}

// Settings are the settings of expectation propagation; the zero value works.
type Settings struct {
	// Sweeps is the largest number of sweeps; 0 means 50.
	Sweeps int
	// Tolerance ends sweeping once no tau and nu changes by more than this share of the largest. 0
	// means 1e-6, a negative number never.
	Tolerance float64
	// Damping is the share of the difference by which a site moves; 0 means 1. It is halved after a
	// sweep with negative precisions.
	Damping float64
}

func (s Settings) withDefaults() Settings {
	if s.Sweeps == 0 {
		s.Sweeps = 50
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-6
	}
	if s.Damping == 0 {
		s.Damping = 1
	}
	return s
}

// Result is the report of a run.
type Result struct {
	Sweeps    int
	Converged bool
	// Negative counts skipped visits. Damping is that of the last sweep.
	Negative int
	Damping  float64
}

// sweeper is a posterior that is updated site by site.
type sweeper interface {
	sites() *Sites
	// sweep visits every site once, and then recomputes the posterior.
	sweep(damping float64) error
}

func run(p sweeper, set Settings) (Result, error) {
	set = set.withDefaults()
	r, s := Result{Damping: set.Damping}, p.sites()
	tau, nu := make([]float64, len(s.Tau)), make([]float64, len(s.Tau))
	for r.Sweeps < set.Sweeps && !r.Converged {
		copy(tau, s.Tau)
		copy(nu, s.Nu)
		before := s.Negative
		if err := p.sweep(r.Damping); err != nil {
			return r, err
		}
		r.Sweeps++
		if s.Negative > before {
			r.Negative += s.Negative - before
			r.Damping /= 2
		}
		r.Converged = s.Negative == before && max(moved(tau, s.Tau), moved(nu, s.Nu)) <= set.Tolerance
	}
	return r, nil
}

// moved returns the largest change relative to the largest magnitude.
func moved(old, now []float64) float64 {
	most, change := 0.0, 0.0
	for i, v := range now {
		most, change = max(most, math.Abs(v)), max(change, math.Abs(v-old[i]))
	}
	if most == 0 {
		return 0
	}
	return change / most
}
