// Package baseline has textbook methods as models, for comparison with the other models. They are
// fitted, stored and used to place events like them.
//
//	pca         principal components (Pearson 1901; Hotelling 1933)
//	isomap      scaling of the lengths of shortest paths (Tenenbaum, de Silva and Langford 2000)
//	lle         locally linear embedding (Roweis and Saul 2000)
//	kpca        kernel principal components (Schölkopf, Smola and Müller 1998)
//	mds         classical scaling of distances (Torgerson 1952; Gower 1966)
//	eigenmaps   Laplacian eigenmaps (Belkin and Niyogi 2003)
//	ltsa        local tangent space alignment (Zhang and Zha 2004)
//	sammon      Sammon's nonlinear mapping (Sammon 1969)
//	nmds        non-metric scaling (Kruskal 1964)
//	gtm         generative topographic mapping (Bishop, Svensén and Williams 1998)
//
// # Symbols
//
//	y_j    learnt vector j, m of them, centred and of unit variance (placing.Units)
//	x_j    its place, d elements
//	a_ij   squared dissimilarity of vectors i and j
//	k      neighbours
//
// # Scaling
//
// Isomap, kernel principal components and classical scaling differ only in a:
//
//	mds      a_ij = -2 y_i'y_j                          (as |y_i - y_j|^2 once centred)
//	kpca     a_ij = -2 exp(-|y_i - y_j|^2/(q w^2)), of a width w
//	isomap   a_ij = the squared length of the shortest path from i to j, of landmarks
//
// Positions are those of classical scaling (pca.Scaling), with B = -1/2 J a J, J = 1 - 11'/m,
//
//	x_jc = v_jc lambda_c^(1/2),   B v_c = lambda_c v_c                        (1)
//
// A coordinate whose eigenvalue is at most 1e-10 of the first is 0. A new vector gets Nyström's
// position (Gower 1968; Bengio et al., NIPS 2004, section 4),
//
//	x_c = -1/2 sum_j v_jc lambda_c^(-1/2) (a_j - 1/m sum_i a_ij)              (2)
//
// where a_j is its dissimilarity to learnt vector j. Isomap's paths from it begin at its k nearest
// learnt vectors. A vector so far away that numbers overflow gets the mean position of these.
//
// # Landmarks
//
// Isomap scales only the paths between landmarks, m of n learnt vectors, and (2) places the others
// (de Silva and Tenenbaum, NIPS 2002, section 3; their -1/2 L# (a - mean a) is (2)). The graph of
// neighbours has all n vectors, and each landmark's search reaches all of them, so that path
// lengths equal those of full Isomap. If all vectors are landmarks, positions do too. Compared with
// a sample that has its own graph, the full graph preserves the neighbourhoods of a roll and the
// distances and continuity of digits better, and the nearest neighbours of digits slightly worse.
// For mds the sample itself serves as landmarks, because distances need no graph.
//
// # Locally linear embedding
//
// A learnt vector is reconstructed from its k nearest, with weights that sum to 1, from a Gram
// matrix with a ridge of 1e-3 of its trace. The positions satisfy the same reconstruction (Roweis
// and Saul, Science 290, 2000), with unit columns of mean 0:
//
//	X = argmin sum_i |x_i - sum_j w_ij x_j|^2                                 (4)
//
// The solutions are the eigenvectors of (I - W)'(I - W) above the constant one. This is the
// Laplacian of a graph with weights of either sign, which spectral.Lowest factors. A new vector
// gets the position of its own weights (Saul and Roweis 2003, section 6.1):
//
//	x = sum_j w_j x_j,   w = argmin |y - sum_j w_j y_j|^2                     (5)
//
// If the graph of neighbours has several components, the ends of the shortest bridges become
// neighbours too, so that no component gets a map of its own. The methods below do the same.
//
// # Laplacian eigenmaps
//
// Let s_ij be 1 for learnt vectors that are each among the k nearest of the other, 1/2 if only one
// is, and 0 otherwise. Positions keep neighbours together (Belkin and Niyogi, Neural Computation
// 15, 2003, section 2),
//
//	X = argmin sum_ij s_ij |x_i - x_j|^2,   X'D X = 1,   D = diag(S 1)
//	(D - S) v_c = lambda_c D v_c,   x_jc = v_jc                              (6)
//
// above the constant v. They are the lowest eigenvectors of the symmetric normalised Laplacian,
// multiplied by D^(-1/2). A new vector has s_j by the same rule, among the learnt vectors. Its
// Nyström position for the kernel D^(-1/2) S D^(-1/2) (Bengio et al., section 4) is
//
//	x_c = 1/(1 - lambda_c) sum_j s_j x_jc / sum_j s_j                        (7)
//
// which also follows from (6) for learnt points. Where lambda_c exceeds 0.99, in graphs with hardly
// more points than neighbours, the position is the mean itself.
//
// # Local tangent space alignment
//
// A learnt vector and its k nearest lie close to a plane of d dimensions. Their coordinates in it
// are V_i ((k+1) x d, orthonormal: the left singular vectors of these vectors, centred). The
// positions X_i of a neighbourhood should be a linear map of these coordinates (Zhang and Zha, SIAM
// Journal on Scientific Computing 26, 2004, section 4), for unit columns of mean 0:
//
//	X = argmin sum_i |(I - 11'/(k+1) - V_i V_i') X_i|^2                      (8)
//
// A new vector gets the position (5). The neighbourhoods of the two ends of a bridge are merged,
// because a single shared point would leave the components free to turn around it.
//
// # Sammon's mapping
//
// The distances r_ij of positions approximate the distances delta_ij of vectors, with more weight
// for short ones (Sammon, IEEE Transactions on Computers C-18, 1969, equation 1, up to a factor):
//
//	X = argmin sum_{i<j} (delta_ij - r_ij)^2/delta_ij                        (9)
//
// The result is a local minimum, found by L-BFGS from a start at principal components, and rotated
// to its principal axes. A new vector gets the position of the smallest sum over the fixed learnt
// ones, searched from (5). Distances are recomputed in every iteration instead of stored.
//
// # Generative topographic mapping
//
// Vectors are points of a sheet plus noise of variance 1/beta. The sheet is represented by K latent
// points x_k on a grid over [-1, 1]^d. B Gaussian basis functions phi_b on a wider grid, and the
// constant 1, map them to the data (Bishop, Svensén and Williams, Neural Computation 10, 1998,
// section 2):
//
//	log p(Y) = sum_j ln 1/K sum_k (beta/2 pi)^(q/2) exp(-beta/2 |y_j - W'phi(x_k)|^2)    (10)
//
// EM starts at principal components and raises (10) plus the logarithm of a normal prior of
// precision lambda on all w_bc. With the responsibilities
//
//	r_jk = p(y_j | x_k)/sum_l p(y_j | x_l)                                   (11)
//
// and g_k = sum_j r_jk, the M step updates W first, with the old beta:
//
//	(Phi'G Phi + lambda/beta I) W = Phi'R'Y                                 (12)
//	1/beta = 1/(m q) sum_jk r_jk |y_j - W'phi(x_k)|^2                        (13)
//
// An iteration is one pass over the vectors; responsibilities are computed one vector at a time and
// summed. The position of a vector, learnt or new, is its posterior mean
//
//	x = sum_k r_k x_k                                                        (14)
//
// # Non-metric scaling
//
// The distances r_ij follow the order of the distances of vectors, delta_ij, whatever their size
// (Kruskal, Psychometrika 29, 1964, pages 1 to 27). The stress is the error of the best monotone
// function f of them, the disparities f(delta_ij), which are equal where delta_ij are:
//
//	S = (sum_{i<j} (r_ij - f(delta_ij))^2 / sum_{i<j} r_ij^2)^(1/2)             (15)
//	f = argmin sum_{i<j} (r_ij - f(delta_ij))^2,   f monotone                   (16)
//
// (16) is solved by pooling adjacent violators. With disparities h_ij = c f(delta_ij), of mean
// square 1, positions are moved to a lower stress (de Leeuw 1977), from a start at principal
// components:
//
//	x_i = 1/m sum_j h_ij/r_ij (x_i - x_j)                                       (17)
//
// The first iteration uses delta for f. (15) and f are computed for the final positions, which are
// rotated to their principal axes. A new vector gets the position of the lowest stress to the fixed
// learnt ones,
//
//	x = argmin sum_j (f(delta_j) - |x - x_j|)^2                                 (18)
//
// searched from (5); f is interpolated linearly between the dissimilarities of learnt pairs.
//
// # Samples
//
// Principal components, gtm and isomap learn all vectors; the memory of the first two does not grow
// with their number, and isomap takes O(n m). The other methods learn a sample of m vectors and
// place the rest by (2), (5), (7), (9) or (18), as landmarks are used (de Silva and Tenenbaum, NIPS
// 2002). Their memory is O(m^2), except for eigenmaps with O(m k), sammon with O(m), and lle and
// ltsa with O(m k^2) plus a factor of the graph, O(m log m) near a surface.
//
// # Decoding
//
// Principal components decode linearly, gtm by W'phi(x). The other methods use the weights, summing
// to 1, that best reconstruct a position from its k nearest (Saul and Roweis, JMLR 4, 2003, section
// 6.1):
//
//	y = sum_j w_j y_j,   w = argmin |x - sum_j w_j x_j|^2                     (3)
//
// # Sigma
//
// For gtm, Sigma is the posterior standard deviation by coordinate, where each latent point stands
// for the cell around it. The other methods have no variances. Principal components publish the
// root mean square distance of a vector from their plane, for each dimension left out. The rest
// publish the standard deviation by coordinate of the positions of its k nearest learnt vectors.
// Sigma is at least 1e-6 of the map's own.
//
// # Contract
//
// A result is a function of the rows and the settings, not of the number of threads. Positions are
// in the data's units, except for kpca, lle, ltsa, eigenmaps, nmds and gtm. Columns (except those
// of gtm) are uncorrelated among the learnt points, for isomap among landmarks. Their variance
// decreases; it is equal for lle and ltsa, and weighted with D for eigenmaps. Their entry of
// largest magnitude is positive. The results of sammon, nmds, eigenmaps, gtm, mds and kpca also
// depend on the kind of processor, and so do those of pca and isomap for many vectors.
package baseline
