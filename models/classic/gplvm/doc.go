// Package gplvm implements the Gaussian process latent variable model of N. Lawrence,
// "Probabilistic non-linear principal component analysis with Gaussian process latent variable
// models" (JMLR 6, 2005). The D columns of Y are independent Gaussian processes of the same places
// X on the map, and X maximises the likelihood of Y. With a linear kernel this is probabilistic
// principal component analysis.
//
//	Model        all rows: likelihood, gradients, learning, O(N^3)
//	Jump         moves single points to more likely places that gradients do not reach
//	Sparse       learning with an informative active set of rows (4.1), Algorithm 1
//	Selection    the informative vector machine that selects it
//	Active       predictions from a place (eq 12), and the place of a vector
//	Gaussian, Probit    noise models of values given the process (5)
//	Sites        Gaussian approximations for other noise models (15, 16)
//	Fit, Placer         learn a bounded sample of a table, and place events
//	Back                a smooth map from vectors to places
//
// Values may be missing (6), as NaN. Every output is evaluated over the rows in which it is
// observed. Outputs with the same missing rows share their matrices, and outputs with few missing
// rows share the inverse of all rows.
//
// # Placing
//
// The place of a vector maximises ln p(y|x) - x.x/2. Conjugate gradients start from the best of the
// places of the nearest learnt vectors and their mean. The curvature at the maximum gives the
// variance (Laplace). A step takes O(N^2) for the variance of the prediction. Back takes O(N (D +
// q)) in total, and its error is the leave-one-out error.
//
// # Cost
//
// A gradient of the full model takes N^3 operations for the inverse of K, the exponentials of N^2
// kernel values, and two products of N^2 D. A round of Algorithm 1 with an active set of d rows
// takes O(N d^2) if all outputs share their covariance, otherwise D times as much.
//
// # Corrections
//
// dL/dK (10) lacks a factor 1/2. In 2.3 l_j is (lambda_j - 1/beta)^(+1/2). (11) has |K_II|^(D/2)
// and (2 pi)^(D |I|/2). In (12) and (20) Y has the rows of the active set. (17) is, for each value
// by itself, Z = int p(y|f) N(f|mean, variance) df. Eigenvalues are kept in B.1 if they are larger
// than 1/beta.
package gplvm
