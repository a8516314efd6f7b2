// Package lllvm is the locally linear latent variable model of M. Park, W.
// Jitkrittum, A. Qamar, Z. Szabo, L. Buesing and M. Sahani, "Bayesian manifold
// learning: the locally linear latent variable model" (NIPS 2015): each point y_i
// has a place x_i on a map and a linear map C_i from the tangent space there into
// the data, and between neighbours, eta_ij = 1,
//
//	y_j - y_i = C_i (x_j - x_i) + noise,  V = I/gamma.
//
// Both are random, with priors that hold neighbours together (eq 2, 8), and
// variational EM finds q(x) q(C), gamma and alpha and the bound of log p(Y).
//
//	NewGraph         the neighbourhood graph and the inverse of its Laplacian
//	NewPatchedGraph  the same for many points, in patches
//	Model.Step       q(x), q(C), gamma, alpha, with the bound after each
//	Model.Learn      steps until the bound has settled
//	Extension        q(x*) and q(C*) of a new point (main text, section 3)
//	Fit              starts and numbers of neighbours, of which the best bound is kept
//
// # Cost
//
// Of n points, d dimensions of the map, dy of the data and e edges, an iteration
// takes two inverses of nd x nd matrices, 2 (nd)^3 operations, and O(d^2 n (e + n dy))
// for the second moments, which the paper sums over pairs of edges, O(e^2 d^2). How:
// see sandwich. Memory is two matrices of nd x nd and five of n x n.
//
// # Patches
//
// That is too much for more than a few thousand points. In terms of the flow along the
// edges, f_ij = (C_i + C_j)(x_j - x_i), the term of the log-likelihood that joins all
// points is
//
//	-1/2 e' Sigma_y e = -gamma/4 |Pi f|^2,  Pi = B L^+ B',
//
// B being the incidence matrix and Pi the projection onto gradients, flows that are the
// differences of something at the points. Share out the edges to patches b, with weights
// w_b that sum to one for each edge. Since
//
//	|Pi f|^2 = max over phi of  sum_edges 2 f (B phi) - (B phi)^2
//
// and each patch may have a phi of its own,
//
//	|Pi f|^2 <= sum_b |Pi_b f|^2  in the weights of b,
//
// so that with a projection in each patch there is a lower bound of the likelihood, and
// with it of the bound, for any q(x) and q(C). All updates maximise it as they do the
// bound itself, which is the case of one patch; with larger patches it comes closer.
//
// What it leaves are precisions that are dense within patches and nothing else. The
// patches are what nested dissection of the graph ends with, two of which share points
// of separators only, and the steps need covariances of points within a patch: there the
// selected inverse of package multifrontal is exact. The prior's 1 1' is put in apart (see
// withOnes), log |L| is that of a sparse factor. With points about a surface and patches of
// m points time is O(n (m d)^2 d + n^1.5 d^3), memory O(n m d^2). A new point joins the
// patch that has the most of its neighbours.
//
// # Conventions
//
// Numbers in parentheses are equations of the paper's supplement. The rows of Y
// should be centred. Latent coordinate r of point i has the number r n + i, so
// that the prior precisions are I (x) (2 L + ...), and the maps are kept by rows:
// row r n + i of MuC is column r of C_i.
//
// # Corrections
//
// p(y|x,C) is a normalised Gaussian of y (24): f of (17), which depends on x and
// C, is e' Sigma_y e there. q_i(j) of (32) has the scalar gamma for V^-1. mu_C is
// gamma <H> Sigma_C; the main text prints its inverse (11). The part 11'/(epsilon
// n^2) of the inverse of (epsilon 11' + 2 gamma L) drops out of (48) and (61), so
// that <A> and <Gamma> are gamma/2 times sums with L^+ alone. Where tr takes
// mu_C mu_C', mu_C' mu_C is meant.
//
// alpha is fixed by default. The update (72) is right and makes small maps
// collapse: their bound is best at x = 0 with a large alpha.
package lllvm
