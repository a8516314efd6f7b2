// Package multifrontal solves with, and inverts in part, sparse symmetric positive definite
// matrices whose graph falls apart when a few points are taken out, as that of
// neighbours in the plane does.
//
// # Order
//
// Dissect halves the graph again and again by points that separate the halves (nested
// dissection, George 1973): of the two ends of a longest shortest path it takes the
// difference of the distances, cuts at the median, and takes of the ends of the edges
// that are cut the fewest that meet them all, a minimal cover by Koenig's theorem. The
// parts that are small enough, and the separators, are the fronts of a tree; a front
// has points of its own, which are eliminated with it, and a border: the points of
// fronts above that its own or those below are joined to.
//
// # Factor and inverse
//
// Every front holds a dense matrix of its points' variables (Duff and Reid 1983, The
// multifrontal solution of indefinite sparse symmetric linear equations):
//
//	Factor   from the leaves up: the factor of the own part, L11, L21; what is left of
//	         the border, A22 - L21 L21', is added to the front above
//	Invert   from the top down: with the inverse S22 of the border, which is part of the
//	         front above, S21 = -S22 L21 L11^-1 and S11 = (L11 L11')^-1 - (L21 L11^-1)' S21
//
// so that the inverse is exact for all pairs of points that are in a front together, and
// not computed for others (Takahashi, Fagan and Chen 1973; Erisman and Tinney 1975).
//
// # Contract
//
// The bits depend neither on the number of threads nor on anything but the arguments.
// n points in the plane take O(n^1.5) operations and O(n log n) numbers.
package multifrontal
