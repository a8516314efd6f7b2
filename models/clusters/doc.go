// Package clusters finds clusters of points at all densities: HDBSCAN*.
//
//	Find           clusters of the rows of a matrix
//	FindDistances  clusters of points with given distances
//	Live           the same, updated while rows are inserted and deleted
//	Predictor      the clusters of new rows
//
// # Definition
//
// For points x_1..x_n, a number m and the Euclidean distance d:
//
//	core_i   = d(x_i, its m-th nearest other point)                       (1)
//	r_ij     = max(core_i, core_j, d(x_i, x_j))                           (2)
//	lambda   = 1/r                                                        (3)
//	S(C)     = sum over i in C of lambda_i(C) - birth(C)                  (4)
//	GLOSH_i  = 1 - lambda_i / most(C_i)                                   (5)
//	share_C  = (meet_C / lambda)^dim / sum over clusters and noise         (6)
//
// (1) is the core distance and (2) the mutual reachability distance (Campello, Moulavi and Sander,
// "Density-based clustering based on hierarchical density estimates", PAKDD 2013, definitions 1 and
// 3). The minimum spanning tree of all pairs under (2) has the same single linkage hierarchy as the
// complete graph:
//
//	points -> (1) -> minimum spanning tree under (2) -> single linkage
//	       -> condensed tree -> clusters by (4), probabilities, outliers by (5)
//
// (Mutual reachability in Saul 2020, eq 23, is a different concept: a relation of steps in the
// neighbour graph, see package graph.)
//
// # The condensed tree
//
// Condensing goes down the hierarchy from all points, with growing lambda. A part with fewer than
// MinSize points leaves its cluster. If two or more larger parts separate, the cluster splits into
// new ones. lambda_i(C) is the lambda at which point i leaves C or C splits, birth(C) that at which
// C appears. S is its stability, the relative excess of mass (Campello, Moulavi, Zimek and Sander,
// "Hierarchical density estimates for data clustering, visualization, and outlier detection", TKDD
// 2015, section 4). ExcessOfMass selects disjoint clusters with the largest total stability (their
// section 5). Leaf selects the clusters that do not split. The root is only selected with
// AllowSingle. MaxSize and EpsilonMax exclude clusters from ExcessOfMass. Persistence removes brief
// splits from the tree first. Epsilon joins clusters that split at short distances
// (Malzer and Baum, "A hybrid approach to hierarchical density-based cluster selection", 2020).
//
// A point's probability is lambda_i over the largest lambda of its cluster. (5) is the outlier
// score of TKDD 2015, section 6. C_i is the smallest cluster that contained the point, and most(C)
// the largest lambda in C and all clusters inside it.
//
// # Exactness
//
// The tree is that of all pairs, not only of the neighbour lists: an edge in neither end's list can
// be shorter than any listed one. See spanner. Many edges have equal lengths, because one core
// distance determines many. All parts that equally long edges connect are joined at once, in nodes
// of two or more children, so clusters depend on the points only. Other programs break ties by the
// order of a sort. A part that leaves when a cluster splits then belongs to one of the new clusters
// or to none, depending on the order of rows. Here it belongs to none. With Epsilon, and if a tie
// joins several parts that are too small alone, the selected clusters may differ.
//
// With Ties Apart every edge joins two parts. Of all minimum spanning trees, the one is used whose
// edges of equal reachability have the shortest distances. hdbscan, too, connects a point at its
// core distance to its nearest neighbours first. The clusters are therefore those of hdbscan
// wherever these do not depend on the order of the rows.
//
// # New points
//
// A new point x joins its nearest point under (2), at lambda, and takes that point's position in
// the tree. The tree does not change. Label, probability and outlier score follow from the
// position. (6) distributes x over the clusters and noise. meet_C is the largest lambda, at most
// that of x, at which x and C are in one part of the tree. Densities scale with lambda^dim, so (6)
// compares densities at the levels where x meets each C. x meets noise where its own cluster ends.
// A noise point could be part of the first cluster that appears inside its own, at a lambda that is
// not below its own. This lambda then replaces its own in (6), and the weight of noise is 1. No
// weight exceeds that of the label: it is 1 for the point's own cluster C, and the point meets all
// others at most at C's birth, which is below lambda.
//
// # Insertion and deletion
//
// Live keeps neighbour lists with package graph/live, and with them (1). It updates the spanning
// tree by considering only edges that can enter it. Let T be the tree, w its weights (2), and
// most_T(p,q) the longest edge on the way from p to q in it. T is a minimum spanning tree if and
// only if w(p,q) >= most_T(p,q) for all pairs.
//
// Insertion. Weights only fall, and pairs of new points are added. A pair of old points with an
// unchanged weight is not below most_T, nor below that of any tree that contains T's edges among
// its candidates. So the new tree consists of edges of T, of pairs whose weight fell, and of pairs
// of new points. A pair's weight fell if it was equal to core_p and core_p fell; then q was nearer
// to p than the old core_p. All such q are in p's list, unless new points displaced them. A tree of
// T, of these pairs and of the lists of new points is an upper bound. Other pairs of new points,
// and of points whose lists lost entries, are then searched for if they are shorter than most of
// this tree.
//
// Deletion. Weights only rise. When a point is deleted, its neighbours in T are connected to the
// nearest of them, each by an edge as long as its edge to the deleted point. The resulting tree S
// of old weights has the same most between all remaining points as T. So w(p,q) >= most_S(p,q), for
// old and for new weights. S with its pairs' present lengths is an upper bound U. Only pairs with
// most_S(p,q) <= w(p,q) < most_U(p,q) can be missing. Going down U, the ends of such a pair
// separate at a level below which S still has them in one component. At that level U has an edge
// that S lacks, or has with another length: below it U's components are inside S's, and edges of S
// of this length form a forest of these. For each such edge, consider the parts that its level
// joins and that are in one component of S below it. One end of each missing pair is in a part
// other than the largest, so the points of these parts are asked: their lists are searched for
// shorter edges, U is updated, and this repeats until the lists contain none. Points whose lists
// end below the level are then searched among all rows.
//
// All parts of U at all levels are ranges of one order of the points (type levels). most is then
// the largest height between two positions, as in the reachability plot of Ankerst et al.
// ("OPTICS", SIGMOD 1999). Trees are built with Kruskal's algorithm, which merges the sorted
// unchanged edges with the few changed ones. The hierarchy and the clusters are computed from the
// tree on demand.
//
// Among equally long edges, the tree may contain others than one computed from scratch. The levels
// and clusters do not depend on that and are bit-identical.
//
// Equal rows are separate points at distance 0. A row with a count must be inserted as many times.
//
// # Cost
//
// Neighbour lists determine most edges of the tree. The others need searches among all rows: with
// boxes of a k-d tree up to 16 columns, with exact tiles of products for more. The time is about
// that of exact neighbour lists, and some times that if groups are far apart in many columns.
// Memory is O(n (m + dim)).
//
// Inserting b points costs, for each, two products of length dim with all rows, then b m short
// lists and some passes over the tree. Deleting costs the same without the products. The exception
// is deleting an end of the only short edge between two large groups: all points of the smaller
// group are then compared with all rows. docs/decisions/clusters.md has measurements.
//
// With a recall below 1, rows are searched only to connect groups that the lists leave separate.
// Find may then use approximate lists, too. Those of Live are always exact.
package clusters
