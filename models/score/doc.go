// Package score measures how good a map is, from the map, the data and labels.
//
//	LeaveOneOut    kNN accuracy of labels on the map, each point left out in turn
//	HeldOutError   kNN error of labels of one map's points among another's
//	Measure        trustworthiness, continuity, neighbour recall, Shepard correlation
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
//
// # Samples
//
// Ranks against all n points cost n distances a point. Above a set number of
// points the sums over i run over a seeded sample of them, each still ranked
// against all n; the result says so (Exact, Sample, Seed), and the same seed gives
// the same sample. Equal distances are ordered by row number;
// a vote between equally frequent classes goes to the one with the nearest neighbour.
package score
