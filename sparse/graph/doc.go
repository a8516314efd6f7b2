// Package graph makes the neighbourhood graph of Saul's latent variable model
// (PNAS 2020, eq 22-24) from nearest neighbour lists.
//
//	K_ij = 1   if j is one of the k nearest neighbours of i            (22)
//	T          minimum spanning tree of the symmetrised K, K or K^T
//	R          = K + K^2 + ... + K^s                                   (23)
//	E_ij = 1   if K_ij and (T_ij or (R_ij > 0 and R_ji > 0))           (24)
//
// K alone is too permissive: an outlier lists k neighbours that do not list it. T keeps the graph
// connected with as few edges as possible. Mutual reachability in s steps (the core parameter)
// keeps the edges that both ends support. E is directed. As K_ij implies R_ij > 0, an edge of K
// only requires that j reaches i.
//
// # Components
//
// K may be disconnected. The paper then keeps the largest component (Largest). Points are
// renumbered, and Graph.Keep has their rows. A component is closed under nearest neighbours, so K
// need not be recomputed. Connect, the default here, keeps every row. It adds the shortest edges
// that join the components to T, and to E in one direction, from the point of the smaller
// component. So a point of the larger component, whose length scale is the longest of its edges in
// E, is not affected by a distant island.
//
// # Contract
//
// The result is a function of the rows and the lists: edges of equal length are ordered by point
// numbers, never by threads. Without ties a permutation of the rows permutes the result. Equal rows
// should be collapsed to one point beforehand (Collapse), since otherwise more than k equal rows
// would be each other's only neighbours.
package graph
