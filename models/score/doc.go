// Package score measures how good a map is, from the map, the data and labels.
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
// With a pairs that are in one group, b in one class, c in both, of all p pairs, and H
// the entropy of groups, classes or their cells (Hubert and Arabie, "Comparing partitions",
// 1985, eq 5; Strehl and Ghosh 2002, by the arithmetic mean):
//
//	Rand        = (c - ab/p) / ((a+b)/2 - ab/p)
//	information = (H(groups) + H(classes) - H(both)) / ((H(groups) + H(classes)) / 2)
//
// R_NX is the area under the curve over log k of Lee, Peluffo-Ordonez and
// Verleysen, "Multi-scale similarities in stochastic neighbour embedding"
// (Neurocomputing 2015): 1 is a map with the data's ranks, 0 what a random one has.
// A point j counts in Q(k) from k = max(r(i,j), s(i,j)) on, so that the area is a
// mean over points of sums over others (rnxWeights).
//
// Density is what densMAP aims at (Narayan, Berger and Cho, "Assessing single-cell
// transcriptomic variability through density-preserving data visualization", 2021): whether
// what is dense on the map is dense in the data. Points with a radius of 0 are left out.
//
// Trustworthiness, continuity and recall look at the nearest neighbours, R_NX at
// neighbourhoods of every size; triplets, Shepard and Centroids at the map as a
// whole.
//
// Equal distances are ordered by row number, but in correlations have their mean
// rank; a vote between equally frequent classes goes to the smaller.
//
// # Samples
//
// Ranks against all n points cost n distances a point. Above a set number of
// points the sums over i run over a seeded sample of them, each still ranked
// against all n. Of more than a set number of pairs, and of triples unless all
// points are ranked, as many are drawn independently. The result says so (Exact,
// Seed and how many), and the same seed draws the same.
//
// What is estimated comes with its standard error, that is, about the figure of all
// points of this map: of means over m of n points without replacement, s
// sqrt(1/m - 1/n) with their standard deviation s; of triples the binomial one; of
// correlations the delta method's, the root mean square of the drawn pairs'
// influences over the root of their number.
package score
