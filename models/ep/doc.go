// Package ep is expectation propagation for Gaussian process classification: with a
// whole kernel matrix, through inducing inputs, and for inputs that are themselves
// uncertain (R. Andrade-Pacheco, J. Hensman, M. Zwiessele and N. Lawrence, "Hybrid
// discriminative-generative approach with Gaussian processes", AISTATS 2014,
// supplement).
//
//	Dense        the posterior of f with a kernel matrix, O(n^3) a sweep
//	Process      what m inducing inputs say of n inputs: NewDTC for certain ones
//	             (S3), NewProcess for uncertain ones (S5), and their bounds
//	Sparse       expectation propagation on a Process, O(n m^2) a sweep
//	Predictor    f at new inputs, certain or not; Joint, of many functions at once
//	Hybrid       a classifier and a GP-LVM that share their inputs, learnt by
//	             gradients of the bound in turn with sweeps
//
// # One algorithm
//
// S3 and S5 are one: DTC is S5 with Lambda = 0. What changes with a site is a
// matrix of m x m by a term of rank one, whose Cholesky factor is kept; see Sparse.
//
// # Stability
//
// Sites follow from derivatives of log Z, not from differences of precisions, so that
// an input without variance has its limit. Factors are those of I + a sum in
// coordinates in which Kuu is I. A visit that finds a cavity of negative precision, or would leave a site with
// one, changes nothing and is counted; the next sweeps go half as far.
//
// # Corrections
//
// Of the printed text: (S.14) has dtau/(tau (tau + dtau)); (S.15) L L' + dtau k k';
// (S.16) lacks e_i; (S.20) has log |Sigma~| and 1/2 of the integral; (S.21), (S.34)
// and (S.35) have log Z~; (S.27) e_i psi_i'; (S.32) gamma + (dnu - dtau mu_i) R'R
// psi_i, mu_i the posterior mean before; in (S.35) psi0~ and the trace have 1/2, KL
// is subtracted, once, and the rest summed over the outputs. The first term of
// (S.35) is not what (S.33) and (S.34) derive, which is Process.Collapsed, a bound;
// the printed one, Sparse.Bound, is larger and not known to be one.
package ep
