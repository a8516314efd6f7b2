// Package multifrontal factors, solves with, and partially inverts sparse symmetric positive
// definite matrices whose graph has small separators, such as neighbour graphs in the plane.
//
// # Order
//
// Dissect halves the graph recursively by separators (nested dissection, George 1973). It computes
// the difference of the distances to the two ends of a longest shortest path and cuts at the
// median. Of the ends of the cut edges it takes a minimal cover, by Koenig's theorem. The parts
// that are small enough, and the separators, are the fronts of a tree. A front has its own points,
// which are eliminated with it, and a border: the points of fronts above that are joined to it or
// to fronts below it.
//
// # Factor and inverse
//
// Every front has a dense matrix of its points' variables (Duff and Reid 1983, The multifrontal
// solution of indefinite sparse symmetric linear equations):
//
//	Factor   from the leaves up: the factor of the own part, L11, L21; what is left of
//	         the border, A22 - L21 L21', is added to the front above
//	Invert   from the top down: with the inverse S22 of the border, which is part of the
//	         front above, S21 = -S22 L21 L11^-1 and S11 = (L11 L11')^-1 - (L21 L11^-1)' S21
//
// So the inverse is exact for all pairs of points that share a front, and is not computed for
// others (Takahashi, Fagan and Chen 1973; Erisman and Tinney 1975).
//
// # Contract
//
// The bits of the result depend only on the arguments, not on the number of threads. n points in
// the plane take O(n^1.5) operations and O(n log n) numbers.
package multifrontal
