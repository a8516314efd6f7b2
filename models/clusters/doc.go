// Package clusters finds clusters of points at all densities: HDBSCAN*.
//
//	Find        clusters of the rows of a matrix
//	Live        the same, kept while rows come and go
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
//	share_C  = (meet_C / lambda)^dim / sum over clusters and noise         (6)
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
// # New points
//
// A new point x joins the point that is nearest to it by (2), at lambda, and has that one's
// place in the tree; nothing else changes. Its label, probability and outlier score follow
// from the place. (6) divides it among the clusters and noise: meet_C is the lambda at which
// the parts around x and around C become one, going up, at most lambda. A density goes with
// the power dim of lambda, so that (6) compares how dense it is where x meets C. x meets noise
// where its own cluster ends. A point of noise could be part of the first cluster that comes
// about inside of its own, at a lambda that is not below its own and takes its place in (6);
// the weight of noise is then 1. No weight is larger than that of the label: of a point in
// C it is 1, and it meets all others at most at C's birth, which is below lambda.
//
// # Points that come and go
//
// Live has the lists of neighbours from package graph/live, and with them (1). The spanning
// tree is brought up to date by what can be in it. Let T be the tree, w its weights (2), and
// most_T(p,q) the longest edge on the way from p to q in it. T is a minimum spanning tree if
// and only if w(p,q) >= most_T(p,q) for all pairs.
//
// Insertion. Weights only fall, and pairs of new points are added. Of old points, a pair of
// which the weight stays is not below most_T, nor below that of a tree of T's edges and
// others. So the new tree is within T, the pairs that fell, and those of new points. A pair
// fell if it was as long as core_p, and core_p fell: then q was nearer to p than the old
// core_p. All such q are in p's list, unless new points pushed them out. A tree of T, of these
// pairs and of the lists of new points is an upper bound; of the other pairs of new points, and
// of points out of whose lists others were pushed, those are searched for that are shorter
// than most of this tree.
//
// Deletion. Weights only rise. Where a point goes, its neighbours in T are joined to the
// nearest of them, each by an edge as long as its own was. This tree S of old weights has the
// most_S of T between all that stay, so w(p,q) >= most_S(p,q), for old weights and for new
// ones. With S's pairs as long as they are now it is an upper bound U. Only pairs
// with most_S(p,q) <= w(p,q) < most_U(p,q) are missing. Going down U, they part at a level
// below which S has them in one component. That level has an edge of U that S has not, or not
// with this length: below it U's components are within S's, and edges of S of this length
// are a forest of these. So for each such edge, of the parts that its level joins and
// that are in one component of S below it, the points of all but the largest are asked: one of
// each missing pair is among them. Their lists are looked through, U is made with what these
// have, and this is done again until they have nothing. Points whose lists end below the level
// are then searched for among all rows.
//
// All parts of U at all levels are ranges of one order of the points (levels), in which most
// is a largest height between two places (the reachability plot of Ankerst et al., "OPTICS",
// SIGMOD 1999, of the tree). Trees are made by Kruskal's algorithm. It merges edges that are in
// order already with the few that changed. The hierarchy and all that follows from it are
// made from the tree whenever they are asked for.
//
// Of equally long edges another may be in the tree than in batch. Levels, and all else that is
// found, do not depend on that, and are the batch's bit for bit.
//
// Rows that are equal are points of their own, at distance 0: a row that stands for several
// is inserted as often.
//
// # Cost
//
// Neighbour lists decide most edges of the tree. For the others points are searched for
// among all rows, by boxes of a k-d tree up to 16 columns and by exact tiles of products
// beyond: the time is about that of exact neighbour lists, some times that where groups lie
// far apart in many columns. Memory is O(n (m + dim)).
//
// A batch of b points that come costs two products of length dim with all rows for each of
// them, b m short lists, and some passes over the tree. Points that go cost as
// much without the products, unless the end of the only short edge between two
// large groups is among them: then all points of the smaller one are compared with all rows.
// docs/decisions/clusters.md has what that comes to.
//
// Below a recall of 1 no row is searched for but where lists leave groups apart. Find may
// then have approximate lists, too; Live's stay exact.
package clusters
