// Package graph makes the neighbourhood graph of Saul's latent variable model
// (PNAS 2020, eq 22-24) from nearest neighbour lists.
//
//	K_ij = 1   if j is one of the k nearest neighbours of i            (22)
//	T          minimum spanning tree of the symmetrised K, K or K^T
//	R          = K + K^2 + ... + K^s                                   (23)
//	E_ij = 1   if K_ij and (T_ij or (R_ij > 0 and R_ji > 0))           (24)
//
// K alone is too permissive: an outlier names k neighbours that do not name it
// back. T keeps the graph connected with as few edges as possible, and mutual
// reachability in s steps (the core parameter) keeps the edges that both ends
// stand behind. E is directed. As K_ij implies R_ij > 0, an edge of K needs
// only that j reaches i.
//
// # Components
//
// K may fall apart. The paper then keeps the largest component (Largest):
// points are renumbered, Graph.Keep says which rows they are, and a component
// is closed under nearest neighbours, so K need not be recomputed. Connect,
// the default here, keeps every row: the shortest edges that join the
// components are added to T, and to E in one direction, from the point of the
// smaller component, so that the length scale of the larger component's point
// (the longest of its edges in E) is not stretched to reach an island.
//
// # Contract
//
// The result is a function of the rows and the lists: ties of equal length are
// broken by point numbers, never by threads. Without such ties a permutation
// of the rows permutes the result. Rows that are equal should be collapsed to
// one point beforehand (Collapse): more than k equal rows would otherwise be
// each other's only neighbours.
package graph
