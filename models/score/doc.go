// Package score measures the quality of a map from the map, the data and labels.
//
//	LeaveOneOut    kNN accuracy of labels on the map, each point left out in turn
//	HeldOutError   kNN error of labels of one map's points among another's
//	Regress        kNN error of numbers on the map, each point left out in turn
//	Neighborhoods  trustworthiness, continuity, recall and R_NX, by ranks
//	Nearest        the same without R_NX
//	Distances      correlations of distances on the map with those by other coordinates
//	Centroids      the same between the classes' centroids
//	Measure        neighbourhoods, distances and triplets against the data
//	Partitions     adjusted Rand index and normalised mutual information of groups and classes
//	AUC            area under the ROC curve of a score between two classes
//
// # Formulas
//
// For a point i, N_k(i) are its k nearest other points in the data and M_k(i)
// those on the map; r(i,j) is j's rank among all other points by distance to i in
// the data (1 = nearest), s(i,j) that on the map. Over n points, after Venna and
// Kaski, "Neighborhood preservation in nonlinear projection methods" (ICANN 2001):
//
//	trustworthiness = 1 - 2/(nk(2n-3k-1)) sum_i sum_{j in M_k(i) \ N_k(i)} (r(i,j) - k)
//	continuity      = 1 - 2/(nk(2n-3k-1)) sum_i sum_{j in N_k(i) \ M_k(i)} (s(i,j) - k)
//	recall Q(k)     = 1/(nk) sum_i |N_k(i) and M_k(i)|
//	R_NX(k)         = ((n-1) Q(k) - k) / (n-1-k), k = 1..n-2
//	R_NX            = sum_k R_NX(k)/k / sum_k 1/k
//	Shepard         = Spearman's rank correlation of |x_i-x_j| and |y_i-y_j| over pairs
//	triplets        = share of triples (i; j,k) in which the data and the map agree on
//	                  which of j and k is nearer to i
//	density         = Pearson's correlation of log R(x_i) and log R(y_i), R the mean distance
//	                  to the 15 nearest others
//	regression      = sqrt(sum_i (v_i - mean of v over M_k(i))^2 / sum_i (v_i - mean of v)^2)
//
// Let a pairs of points be in one group, b in one class and c in both, out of p pairs, and let H be
// the entropy of groups, classes or their cells (Hubert and Arabie, "Comparing partitions", 1985,
// eq 5; Strehl and Ghosh 2002, with the arithmetic mean). Then
//
//	Rand        = (c - ab/p) / ((a+b)/2 - ab/p)
//	information = (H(groups) + H(classes) - H(both)) / ((H(groups) + H(classes)) / 2)
//
// R_NX is the area under the curve over log k of Lee, Peluffo-Ordonez and Verleysen, "Multi-scale
// similarities in stochastic neighbour embedding" (Neurocomputing 2015). It is 1 for a map with the
// ranks of the data, and 0 on average for a random map. A point j counts in Q(k) from k =
// max(r(i,j), s(i,j)) on, so that the area is a mean over points of sums over other points
// (rnxWeights).
//
// Density is the objective of densMAP (Narayan, Berger and Cho, "Assessing single-cell
// transcriptomic variability through density-preserving data visualization", 2021): whether regions
// that are dense in the data are dense on the map. Points with a radius of 0 are omitted.
//
// Trustworthiness, continuity and recall measure the nearest neighbours, R_NX neighbourhoods of
// every size, and triplets, Shepard and Centroids the map as a whole.
//
// Equal distances are ordered by row number, but have their mean rank in correlations. A vote
// between equally frequent classes goes to the smaller class.
//
// # Samples
//
// Ranks of one point need its distances to all n points. Above a maximum number of points, the sums
// over i run over a seeded sample; each sampled point is still ranked against all n. Above a
// maximum number of pairs, as many are drawn independently; triples are drawn unless all points are
// ranked. The result reports this (Exact, Seed and the counts), and the same seed draws the same
// sample.
//
// An estimate has a standard error, relative to the value for all points of this map. For means
// over m of n points without replacement it is s sqrt(1/m - 1/n), with their standard deviation s.
// For triples it is the binomial one. For correlations it comes from the delta method: the root
// mean square influence of the drawn pairs, divided by the root of their number.
package score
