// Package gplvm is the Gaussian process latent variable model of N. Lawrence,
// "Probabilistic non-linear principal component analysis with Gaussian process
// latent variable models" (JMLR 6, 2005): the D columns of Y are independent
// Gaussian processes of the same places X on the map, and X is what makes Y most
// likely. With a linear kernel that is probabilistic principal component analysis.
//
//	Model        all rows: likelihood, gradients, learning, O(N^3)
//	Jump         single points go where they are more likely than gradients lead them
//	Sparse       an active set of rows that says most (4.1), Algorithm 1
//	Selection    the informative vector machine that chooses it
//	Active       predictions from a place (eq 12), and the place of a vector
//	Gaussian, Probit    how a value comes of its process (5)
//	Sites        what stands for values where noise is not Gaussian (15, 16)
//	Fit, Placer         a bounded sample of a table, and events placed beside it
//	Back                a smooth map from vectors to places
//
// Values may be missing (6), as NaN: every output is taken over the rows in which
// it is observed, and outputs that miss the same rows share their matrices.
//
// # Placing
//
// A vector belongs where ln p(y|x) - x.x/2 is largest: from the best of the places of
// the nearest learnt vectors and their mean some steps of conjugate gradients lead
// there, and the curvature gives the variance (Laplace). That takes O(N^2) a step for
// the variance of the prediction. Back takes O(N (D + q)) in all; its error is known
// from leaving one out.
//
// # Cost
//
// A gradient of the full model takes N^3 operations for the inverse of K, the
// exponentials of N^2 kernel values, and two products of N^2 D. A round of
// Algorithm 1 takes O(N d^2) for the active set, d rows, of an output with noise
// that treats all alike, D times as much else.
//
// # Corrections
//
// dL/dK (10) lacks a factor 1/2. In 2.3 l_j is (lambda_j - 1/beta)^(+1/2). (11) has
// |K_II|^(D/2) and (2 pi)^(D |I|/2). In (12) and (20) Y has the rows of the active
// set. (17) is, for each value by itself, Z = int p(y|f) N(f|mean, variance) df.
// Eigenvalues are kept in B.1 if they are larger than 1/beta.
package gplvm
