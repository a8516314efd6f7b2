// Package clusters finds clusters of points at all densities: HDBSCAN* (Campello, Moulavi,
// Sander 2013; Campello, Moulavi, Zimek, Sander 2015).
//
// A point's core distance is that to its m-th nearest other. The mutual reachability
// distance of two points is the largest of their core distances and their own distance:
//
//	points -> core distances -> minimum spanning tree under mutual reachability
//	       -> single linkage -> condensed tree -> clusters, probabilities, outliers
//
// (Mutual reachability of Saul 2020, eq 23, is another thing: a relation of steps in the
// neighbour graph, see package graph.)
//
// # Exactness
//
// The tree is that of all pairs, not of the neighbour lists alone: see spanner. Many of its
// edges are equally long, since one core distance is the length of many. What equally long
// edges join is joined at once, in nodes of two or more children. So clusters depend on the
// points alone; where other programs break ties by the order of a sort, theirs may differ.
//
// # The condensed tree
//
// Going down the hierarchy from all points, with lambda = 1/distance growing, a part with
// fewer than MinSize points leaves its cluster; two or more others are a split into new
// clusters. The stability of a cluster is the sum over its points of the lambdas from its
// birth to where they leave. Excess of mass selects the clusters whose stability exceeds
// that of all within them; Leaf selects those that do not split. The root is no cluster.
//
// # Cost
//
// Lists of neighbours decide most edges of the tree; the others take searches among all
// rows, of the points that lists leave open. Memory is O(n (m + 16)).
package clusters
