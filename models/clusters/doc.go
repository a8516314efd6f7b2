// Package clusters finds clusters of points at all densities: HDBSCAN*.
//
//	Find        clusters of the rows of a matrix
//	Predictor   which of them rows belong to that were not there
//
// # Definition
//
// Of points x_1..x_n and a number m, with d the Euclidean distance:
//
//	core_i   = d(x_i, its m-th nearest other point)                       (1)
//	r_ij     = max(core_i, core_j, d(x_i, x_j))                           (2)
//	lambda   = 1/r                                                        (3)
//	S(C)     = sum over i in C of lambda_i(C) - birth(C)                  (4)
//	GLOSH_i  = 1 - lambda_i / most(C_i)                                   (5)
//
// (1) is the core distance and (2) the mutual reachability distance (Campello, Moulavi and
// Sander, "Density-based clustering based on hierarchical density estimates", PAKDD 2013,
// definitions 1 and 3). The minimum spanning tree of all pairs under (2) has the
// single linkage hierarchy of all of them:
//
//	points -> (1) -> minimum spanning tree under (2) -> single linkage
//	       -> condensed tree -> clusters by (4), probabilities, outliers by (5)
//
// (Mutual reachability of Saul 2020, eq 23, is another thing: a relation of steps in the
// neighbour graph, see package graph.)
//
// # The condensed tree
//
// Going down the hierarchy from all points, with lambda growing, a part with fewer than
// MinSize points leaves its cluster; two or more others are a split into new clusters.
// lambda_i(C) is where point i leaves C or C splits, birth(C) where C came about. S is its
// stability, the relative excess of mass (Campello, Moulavi, Zimek and Sander,
// "Hierarchical density estimates for data clustering, visualization, and outlier
// detection", TKDD 2015, section 4). ExcessOfMass selects the clusters that together have
// most of it, none inside another (their section 5); Leaf selects those that do not split.
// The root is no cluster. Epsilon joins what splits at short distances (Malzer and Baum,
// "A hybrid approach to hierarchical density-based cluster selection", 2020).
//
// A point's probability is lambda_i over the largest lambda of its cluster. In (5), the
// outlier score of TKDD 2015, section 6, C_i is the smallest cluster that the point was in,
// and most(C) the largest lambda in C and all within.
//
// # Exactness
//
// The tree is that of all pairs, not of the neighbour lists alone: an edge that is in
// neither end's list can be shorter than any that is. See spanner. Many of its edges are
// equally long, since one core distance is the length of many. What equally long edges join
// is joined at once, in nodes of two or more children. So clusters depend on the points
// alone. Other programs break ties by the order of a sort. A part that leaves where a cluster
// splits then goes with one of the new clusters or with none, as the rows happen to lie; here
// it goes with none. With Epsilon, and where a tie joins several parts that are too small
// alone, that may choose other clusters.
//
// # Cost
//
// Neighbour lists decide most edges of the tree. For the others points are searched for
// among all rows, by boxes of a k-d tree up to 16 columns and by exact tiles of products
// beyond: the time is about that of exact neighbour lists, some times that where groups lie
// far apart in many columns. Memory is O(n (m + dim)).
package clusters
