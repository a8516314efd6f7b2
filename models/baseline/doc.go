// Package baseline holds textbook methods as models of their own: what the other models
// are compared with, learnt, stored and placed by as they are.
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
// Isomap, kernel principal components and classical scaling differ in a alone:
//
//	mds      a_ij = -2 y_i'y_j                          (as |y_i - y_j|^2 once centred)
//	kpca     a_ij = -2 exp(-|y_i - y_j|^2/(q w^2)), of a width w
//	isomap   a_ij = the squared length of the shortest path from i to j, of landmarks
//
// Places are those of classical scaling (pca.Scaling), with B = -1/2 J a J, J = 1 - 11'/m,
//
//	x_jc = v_jc lambda_c^(1/2),   B v_c = lambda_c v_c                        (1)
//
// A coordinate whose eigenvalue is no more than 1e-10 of the first is 0. A new vector has
// Nyström's place (Gower 1968; Bengio et al., NIPS 2004, section 4),
//
//	x_c = -1/2 sum_j v_jc lambda_c^(-1/2) (a_j - 1/m sum_i a_ij)              (2)
//
// with a_j its dissimilarity to learnt vector j; that of Isomap leads over its k nearest
// learnt vectors. A vector beyond the range of numbers has the mean place of these.
//
// # Landmarks
//
// Isomap scales the paths between landmarks alone, m of n learnt vectors, and (2) places the others
// (de Silva and Tenenbaum, NIPS 2002, section 3; their -1/2 L# (a - mean a) is (2)). The graph of
// neighbours has all n vectors, and each landmark's search reaches them all, so that paths are those
// of Isomap. Where all are landmarks, places are, too. Beside a sample with a graph of its own, that of
// all keeps neighbourhoods of a roll better, and distances and continuity of digits; nearest neighbours
// of digits it keeps a little worse. The sample of mds is its landmarks: distances need no graph.
//
// # Locally linear embedding
//
// A learnt vector is reconstructed by its k nearest, with weights that sum to 1, of a Gram
// matrix with a ridge of 1e-3 of its trace. Its place is, too (Roweis and Saul, Science 290,
// 2000), for unit columns of mean 0:
//
//	X = argmin sum_i |x_i - sum_j w_ij x_j|^2                                 (4)
//
// which are the eigenvectors of (I - W)'(I - W) above the constant one: those of a graph with
// weights of either sign, whose factor spectral.Lowest makes. A new vector has the
// place that its own weights say (Saul and Roweis 2003, section 6.1):
//
//	x = sum_j w_j x_j,   w = argmin |y - sum_j w_j y_j|^2                     (5)
//
// Where the graph of neighbours falls apart, the ends of its shortest bridges are
// neighbours as well, so that no part has a map of its own; likewise below.
//
// # Laplacian eigenmaps
//
// With s_ij = 1 of learnt vectors of which each is among the k nearest of the other, 1/2 where
// only one is, and 0 otherwise, places are those that keep neighbours together (Belkin and
// Niyogi, Neural Computation 15, 2003, section 2),
//
//	X = argmin sum_ij s_ij |x_i - x_j|^2,   X'D X = 1,   D = diag(S 1)
//	(D - S) v_c = lambda_c D v_c,   x_jc = v_jc                              (6)
//
// above the constant v: the least eigenvectors of the symmetric normalised Laplacian, by D^(-1/2).
// A new vector has s_j by the same rule, among the learnt ones. Nyström's place for the kernel
// D^(-1/2) S D^(-1/2) (Bengio et al., section 4) is then
//
//	x_c = 1/(1 - lambda_c) sum_j s_j x_jc / sum_j s_j                        (7)
//
// which (6) says of learnt points, too. Where lambda_c is above 0.99, of graphs of hardly more
// points than neighbours, it is the mean itself.
//
// # Local tangent space alignment
//
// A learnt vector and its k nearest lie close to a plane of d dimensions, in which they have the
// coordinates V_i ((k+1) x d, orthonormal: left singular vectors of these vectors, centred).
// Places X_i of a neighbourhood are those by one linear map of its own, as far as possible (Zhang
// and Zha, SIAM Journal on Scientific Computing 26, 2004, section 4), for unit columns of mean 0:
//
//	X = argmin sum_i |(I - 11'/(k+1) - V_i V_i') X_i|^2                      (8)
//
// A new vector has the place (5). Across a bridge the neighbourhoods of its ends are one, so that
// parts do not hang as by a hinge.
//
// # Sammon's mapping
//
// Places are where distances r_ij are those of vectors, delta_ij, short ones counting more
// (Sammon, IEEE Transactions on Computers C-18, 1969, equation 1, but for a factor):
//
//	X = argmin sum_{i<j} (delta_ij - r_ij)^2/delta_ij                        (9)
//
// a local minimum, found by L-BFGS from principal components on, along its principal axes. A new
// vector has the place of the least sum over learnt ones, which stay, from (5) on. Distances are
// computed again in every iteration instead of being kept.
//
// # Generative topographic mapping
//
// Vectors are those of a sheet, with noise of variance 1/beta. K latent points x_k stand for the
// sheet, a grid over [-1, 1]^d, which Gaussian basis functions phi_b, B of them on a wider grid,
// and 1 lead to the data (Bishop, Svensén and Williams, Neural Computation 10, 1998, section 2):
//
//	log p(Y) = sum_j ln 1/K sum_k (beta/2 pi)^(q/2) exp(-beta/2 |y_j - W'phi(x_k)|^2)    (10)
//
// EM from principal components on raises (10) and the logarithm of a normal prior of precision
// lambda of all w_bc. With the responsibilities
//
//	r_jk = p(y_j | x_k)/sum_l p(y_j | x_l)                                   (11)
//
// and g_k = sum_j r_jk its M step is, W first, by the old beta,
//
//	(Phi'G Phi + lambda/beta I) W = Phi'R'Y                                 (12)
//	1/beta = 1/(m q) sum_jk r_jk |y_j - W'phi(x_k)|^2                        (13)
//
// An iteration is one pass over the vectors, whose responsibilities are formed one vector at a
// time and summed up. The place of a vector, learnt or new, is its posterior mean
//
//	x = sum_k r_k x_k                                                        (14)
//
// # Non-metric scaling
//
// Distances r_ij are as the order of those of vectors, delta_ij, says, whatever their size (Kruskal,
// Psychometrika 29, 1964, pages 1 to 27). The stress is that to the best monotone function f of
// them, the disparities f(delta_ij), equal where delta_ij are:
//
//	S = (sum_{i<j} (r_ij - f(delta_ij))^2 / sum_{i<j} r_ij^2)^(1/2)             (15)
//	f = argmin sum_{i<j} (r_ij - f(delta_ij))^2,   f monotone                   (16)
//
// (16) is found by pooling adjacent violators. With disparities h_ij = c f(delta_ij), of mean square 1,
// places are moved to where the stress is less (de Leeuw 1977), from principal components on:
//
//	x_i = 1/m sum_j h_ij/r_ij (x_i - x_j)                                       (17)
//
// In the first iteration delta stand for f. (15) is of the last places, which lie along their principal
// axes, and so is f. A new vector has the place of the least stress to learnt ones, which stay,
//
//	x = argmin sum_j (f(delta_j) - |x - x_j|)^2                                 (18)
//
// from (5) on; f is linear between the dissimilarities that it is known at.
//
// # Samples
//
// All but principal components, gtm and isomap learn a sample of the vectors, m of them in O(m^2) memory
// (eigenmaps in O(m k), sammon in O(m), lle and ltsa in O(m k^2) and what separates the graph:
// O(m log m) near a surface), and place the rest by (2), (5), (7), (9) or (18), which is
// how landmarks are used (de Silva and Tenenbaum, NIPS 2002). Principal components and gtm are of
// all vectors, in memory that does not grow with their number, isomap in O(n m).
//
// # Decoding
//
// Principal components lead back linearly, gtm by W'phi(x). Otherwise the vector at a place has the weights
// that best reconstruct the place from its k nearest, summing to 1 (Saul and Roweis, JMLR 4,
// 2003, section 6.1):
//
//	y = sum_j w_j y_j,   w = argmin |x - sum_j w_j x_j|^2                     (3)
//
// # Sigma
//
// With gtm it is the standard deviation of the posterior by coordinate, where each latent point
// stands for the cell around it. The others have no variances. Published is, of principal
// components, the root mean square distance of a vector from their plane by dimension left out;
// of the rest, the standard deviation by coordinate of the places of its k nearest learnt
// vectors. It is at least 1e-6 of the map's own.
//
// # Contract
//
// A result is a function of the rows and the settings, not of the number of threads. Places
// are in the data's units, but for kpca, lle, ltsa, eigenmaps, nmds and gtm. Columns, but for those of
// gtm, are uncorrelated among the learnt points (with isomap among landmarks), of falling variance (with lle and ltsa of equal;
// with eigenmaps so where points weigh their D), their entry of largest magnitude positive. With
// sammon, nmds, eigenmaps, gtm, mds and kpca a result is one of the kind of processor, too, and with
// pca and isomap of many vectors.
package baseline
