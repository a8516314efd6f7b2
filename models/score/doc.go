// Package score measures how good a map is, from the map, the data and labels.
//
//	LeaveOneOut    kNN accuracy of labels on the map, each point left out in turn
//	HeldOutError   kNN error of labels of one map's points among another's
//	Regress        kNN error of numbers on the map, each point left out in turn
//	Measure        trustworthiness, continuity, neighbour recall, Shepard correlation, triplets
//	Distances      rank correlation of distances on the map with those by known coordinates
//	Centroids      the same between the classes' centroids, against the data
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
//	recall          = 1/(nk) sum_i |N_k(i) and M_k(i)|
//	Shepard         = Spearman's rank correlation of |x_i-x_j| and |y_i-y_j| over pairs
//	triplets        = share of random triples (i,j,k) in which the data and the map agree on
//	                  which of j and k is nearer to i; 1/2 where one of them has a tie
//	regression      = sqrt(sum_i (v_i - mean of v over M_k(i))^2 / sum_i (v_i - mean of v)^2)
//
// Trustworthiness, continuity and recall look at the nearest neighbours; triplets,
// Shepard and Centroids at the map as a whole.
//
// # Samples
//
// Ranks against all n points cost n distances a point. Above a set number of
// points the sums over i run over a seeded sample of them, each still ranked
// against all n; the result says so (Exact, Sample, Seed), and the same seed gives
// the same sample. Triplets are always drawn, from all points. Equal distances are ordered by row number;
// a vote between equally frequent classes goes to the one with the nearest neighbour.
package score
