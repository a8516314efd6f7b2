// Package lllvm is the locally linear latent variable model of M. Park, W. Jitkrittum, A. Qamar, Z.
// Szabo, L. Buesing and M. Sahani, "Bayesian manifold learning: the locally linear latent variable
// model" (NIPS 2015). Each point y_i has a position x_i on a map and a linear map C_i from the
// tangent space there into the data. Between neighbours (eta_ij = 1)
//
//	y_j - y_i = C_i (x_j - x_i) + noise,  V = I/gamma.
//
// Both are random, with priors that keep neighbours similar (eq 2, 8). Variational EM computes q(x)
// q(C), gamma, alpha and the lower bound of log p(Y).
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
// Let n be the number of points, d and dy the dimensions of the map and the data, and e the number
// of edges. An iteration inverts two nd x nd matrices, in 2 (nd)^3 operations. The second moments
// take O(d^2 n (e + n dy)), where the paper sums over pairs of edges in O(e^2 d^2); see sandwich.
// Memory is two matrices of nd x nd and five of n x n.
//
// # Patches
//
// This is too expensive for more than a few thousand points. Write f_ij = (C_i + C_j)(x_j - x_i)
// for the flow along an edge. The term of the log-likelihood that couples all points is then
//
//	-1/2 e' Sigma_y e = -gamma/4 |Pi f|^2,  Pi = B L^+ B',
//
// where B is the incidence matrix and Pi the projection onto gradients: flows that are differences
// of a function of the points. Distribute the edges to patches b, with weights w_b that sum to one
// for each edge. Since
//
//	|Pi f|^2 = max over phi of  sum_edges 2 f (B phi) - (B phi)^2
//
// and each patch may have its own phi,
//
//	|Pi f|^2 <= sum_b |Pi_b f|^2  in the weights of b,
//
// projecting within each patch gives a lower bound of the likelihood, and so of the variational
// bound, for any q(x) and q(C). All updates maximise this lower bound as they do the exact one,
// which is the case of a single patch. Larger patches give a tighter bound.
//
// The resulting precisions are dense within patches and zero elsewhere. The patches are the leaves
// of a nested dissection of the graph, so that two patches share only points of separators. The
// steps only need covariances of points within a patch, and the selected inverse of package
// multifrontal is exact there. The prior's 1 1' is added separately (see withOnes); log |L| comes
// from a sparse factor. For points near a surface and patches of m points, time is O(n (m d)^2 d +
// n^1.5 d^3) and memory O(n m d^2). A new point joins the patch that has most of its neighbours.
//
// # Conventions
//
// Numbers in parentheses are equations of the paper's supplement. The rows of Y should be centred.
// Latent coordinate r of point i has the number r n + i, so that the prior precisions are I (x) (2
// L + ...). The linear maps are stored by rows: row r n + i of MuC is column r of C_i.
//
// # Corrections
//
// p(y|x,C) is a normalised Gaussian of y (24): its f in (17), which depends on x and C, should be
// e' Sigma_y e. q_i(j) of (32) has the scalar gamma for V^-1. mu_C is gamma <H> Sigma_C; the main
// text prints its inverse (11). The part 11'/(epsilon n^2) of the inverse of (epsilon 11' + 2 gamma
// L) cancels in (48) and (61), so that <A> and <Gamma> are gamma/2 times sums with L^+ alone.
// Traces of mu_C mu_C' should be of mu_C' mu_C.
//
// alpha is fixed by default. The update (72) is correct but makes small maps collapse: their bound
// is highest at x = 0 with a large alpha.
package lllvm
