// Package ep implements expectation propagation for Gaussian process classification: with a full
// kernel matrix, with inducing inputs, and for uncertain inputs (R. Andrade-Pacheco, J. Hensman, M.
// Zwiessele and N. Lawrence, "Hybrid discriminative-generative approach with Gaussian processes",
// AISTATS 2014, supplement).
//
//	Dense        the posterior of f with a kernel matrix, O(n^3) a sweep
//	Process      the prior of n inputs given m inducing inputs: NewDTC for certain ones
//	             (S3), NewProcess for uncertain ones (S5), and their bounds
//	Sparse       expectation propagation on a Process, O(n m^2) a sweep
//	Predictor    f at new inputs, certain or not; Joint, of many functions at once
//	Hybrid       a classifier and a GP-LVM that share their inputs, learnt by
//	             gradients of the bound that alternate with sweeps
//
// # One algorithm
//
// S3 and S5 are the same algorithm: DTC is S5 with Lambda = 0. A change of a site is a rank-one
// change of an m x m matrix, whose Cholesky factor is updated; see Sparse.
//
// # Stability
//
// Sites are computed from derivatives of log Z, not from differences of precisions, which remains
// accurate for inputs without variance. Factors are those of I plus a sum, in coordinates in which
// Kuu is I. A visit with a cavity or a new site of negative precision is skipped and counted, and
// the damping of the next sweeps is halved.
//
// # Corrections
//
// Corrections of the printed text: (S.14) must be dtau/(tau (tau + dtau)); (S.15) L L' + dtau k k';
// (S.16) lacks e_i; (S.20) needs log |Sigma~| and 1/2 of the integral; (S.21), (S.34) and (S.35)
// need log Z~; (S.27) e_i psi_i'; (S.32) gamma + (dnu - dtau mu_i) R'R psi_i, mu_i the posterior
// mean before; in (S.35) psi0~ and the trace have 1/2, KL is subtracted, once, and the rest summed
// over the outputs. The first term of (S.35) does not follow from (S.33) and (S.34). These lead to
// Process.Collapsed, which is a bound. The printed form, Sparse.Bound, is larger and not known to
// be a bound.
package ep
