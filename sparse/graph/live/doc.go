// Package live keeps the neighbourhood graph of a point set whose points come and go:
// the lists of the k nearest neighbours and, as far as they are asked for, what
// package graph makes of them.
//
//	Lists        K, the k nearest neighbours of every point (Saul 2020, eq 22)
//	Components   the connected components of the symmetrised K
//	Tree         T, the minimum spanning forest of the symmetrised K
//	Reach        R_ij R_ji > 0 for the entries of K (eq 23)
//	Similar      E, the entries of K that are in T or mutually reachable (eq 24)
//
// # Exactness
//
// After any sequence of Insert and Delete each part is what the functions of packages knn and
// graph return for the points that are there, in ascending order of their slots: bit for
// bit, ties included (Compact returns it in their form). So it depends on which row is in
// which slot, and neither on the way there nor on the number of threads.
//
// # Slots
//
// A point is named by its slot, a small number that is its own until it is deleted.
// New points take the lowest slots that are free. Equal distances are ordered by
// slot, and so are equally long edges of the tree.
//
// # Longer lists
//
// With Settings.Lists, Compact lists more than k neighbours of every point, for those who
// need them beside the graph. All other parts are of the first k.
//
// # Few points
//
// A point with fewer than k others has all of them in its list. The other parts
// follow from the lists as they are. Compact fails then, as knn.Graph does.
//
// # How
//
// A batch of new rows is compared with all rows by one pass of knn.DynamicExact.SearchReverse, which
// finds both their neighbours and the points whose lists they enter. Lists hold spare
// neighbours, so that a deletion mostly takes an entry out and needs no search. Lists that
// become too short are searched for again, all of a batch together.
//
// No lists of the other direction are kept. Which lists hold deleted points, which edges
// cross a cut and who reaches whom backwards is found by one pass over all lists, with a set
// of slots in the first-level cache. That takes a millisecond for 100,000 points; the
// comparison with all rows takes longer, unless batches are very small.
//
// # Cost
//
// A batch of b points takes time proportional to n (b dim + k). Mutual reachability in s
// steps takes k times as long with every step. Most lists that lose points have spare
// neighbours. Where no insertion renews these, each deleted point leaves
// about (k + spare/2)/(spare + 1) lists to be searched for again. docs/refresh.md has what
// the parts cost in a refresh, beside making them in batch.
//
// Memory is that of the largest number of points there ever was.
//
// # Example
//
//	g, err := live.New(50, live.Settings{Neighbors: 10, Parts: live.Components})
//	slots, err := g.Insert(ctx, x)     // row r is the point in slots[r]
//	err = g.Delete(ctx, slots[:100])
//	index, dist2 := g.Neighbors(slots[100])
package live
