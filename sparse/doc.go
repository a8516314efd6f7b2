// Package sparse assembles sparse matrices and exchanges them with github.com/james-bowman/sparse.
// Its subpackages are:
//
//	knn           nearest neighbours, exact and approximate
//	graph         the neighbourhood graph E, and in graph/live that of points that come and go
//	solve         linear systems with a Laplacian and a diagonal
//	multifrontal  factors and partial inverses of larger blocks
//	spectral      the lowest eigenvectors of a Laplacian
//	gallery       matrices, graphs and point sets for tests and benchmarks
//
// # The matrix
//
// A CSR is a sparse matrix stored by rows: the columns of row i are Index[Start[i]:Start[i+1]],
// strictly ascending, with their values in Data. No entry occurs twice. FromTriplets sorts and sums
// before it builds. Every product here overwrites its destination.
//
// Rows are the rows of a matrix that comes from outside or goes there. They hold the CSR of the other
// library itself: what reads files fills its arrays, and the search for neighbours and the truncated
// SVD read them, with no copy between. FromBowman checks what callers give, and repairs copies of
// matrices whose columns are not sorted or come twice, as that library's conversion from coordinates
// leaves them. Its kernels do not check indices, and its products add to their destination.
//
// The EM algorithm solves systems with a fixed pattern whose values change in every step. Pattern
// builds such a symmetric matrix once from a list of pairs, and returns the position of each pair's
// value. CSR.Scatter then refills it without building, sorting or allocating anything.
//
// # Glossary
//
// The symbols are those of L. K. Saul, A tractable latent variable model for nonlinear
// dimensionality reduction, PNAS 2020 (equation numbers in parentheses). Formulas in comments use
// the symbols, code uses the words.
//
//	symbol        word in code            meaning
//	n             N                       number of points
//	x_i           x, row i                input of point i
//	              dim                     dimension of the input
//	d             dims                    dimension of the map
//	k             neighbors, k            neighbours of a point (22)
//	s             core                    steps of the directed walk (23)
//	l             level                   rounds of coarse-graining
//	K_ij          knn.Neighbors           1 if j is among i's k nearest (22)
//	T             Graph.Tree              minimum spanning tree of K or K^T
//	R             graph.MutualReach       K + K^2 + ... + K^s, zero pattern (23)
//	E_ij          graph.Graph             1 if j is a trusted neighbour of i (24)
//	S_ij, D_ij    similar, dissimilar     weights of pairs in the likelihood (6)
//	delta_ij      delta                   length scale of a similar pair (3)
//	Delta_ij      Delta, bandwidth        length scale of a dissimilar pair (4)
//	Omega_a       group, landmark         points whose nearest landmark is a
//	mu_i          mu                      latent mean, the place on the map
//	sigma_i^2     sigma2                  latent variance
//	P             prob                    probability that two draws coincide (5)
//	nu_ij         odds                    P / (1 - P) of a dissimilar pair
//	W             weights                 symmetric weights of the system (18)
//	Lap(W)        Laplacian               diag(W 1) - W (19)
//	Gamma         shift                   diagonal added to the Laplacian (19)
//	L             loglik                  log conditional likelihood (6)
//
// "Place" is out-of-sample embedding, "refresh" is learning again, and the "reference set" is the
// points that a map is learnt from.
package sparse
