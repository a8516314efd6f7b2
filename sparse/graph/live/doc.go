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
// bit, ties included (Compact returns it in their form). So it is a
// function of which row is in which slot, not of the way there nor of the
// number of threads.
//
// # Slots
//
// A point is named by its slot, a small number that is its own until it is
// deleted. New points take the lowest slots that are free. Ties of distance go by
// slot, and so do those of the tree's edges.
//
// # Few points
//
// While there are no k other points, a list holds all there are. The other
// parts follow from the lists as they are; Compact fails then, as knn.Graph does.
//
// # How
//
// A batch of new rows is compared with all rows by one pass of knn.DynamicExact.SearchReverse, which
// finds both their neighbours and the points whose lists they enter. Lists hold spare neighbours
// beyond k, so that a deletion mostly takes an entry out and needs no search; a list that
// falls below k is searched for again, all such lists of a batch together.
//
// Which lists hold the dead, which edges cross a cut, who reaches whom backwards: such questions
// are answered by streaming over all lists with a set of slots in the
// first-level cache, a millisecond for 100,000 points, in place of lists of
// the other direction that would have to be kept. The comparison with all rows
// takes longer, unless batches are very small.
//
// # Cost
//
// A batch of b points takes time proportional to n (b dim + k), and mutual
// reachability in s steps grows by k with every step. Most lists that lose points have spare
// ones. Where no insertion renews these, each deleted point leaves
// about (k + spare/2)/(spare + 1) lists to be searched for again.
//
// Memory follows the largest number of points there ever was.
//
// # Example
//
//	g, err := live.New(50, live.Settings{Neighbors: 10, Parts: live.Components})
//	slots, err := g.Insert(ctx, x)     // row r is the point in slots[r]
//	err = g.Delete(ctx, slots[:100])
//	index, dist2 := g.Neighbors(slots[100])
package live
