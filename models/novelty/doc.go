// Package novelty computes scores of how unusual an event is among the reference points.
//
// Novelty is a property of the input space. The latent variable model cannot measure it: its length
// scales grow with the distances, so that it fits a far event as well as a near one. There are two
// scores, because neither is better everywhere:
//
//   - local: the local outlier factor of Breunig, Kriegel, Ng and Sander, "LOF: identifying
//     density-based local outliers" (SIGMOD 2000). It compares the density at the event with that
//     at its neighbours, and so detects an event next to a dense cluster.
//   - global: the mean distance to the k nearest reference points. It detects an event that is far
//     from everything, also where the reference points themselves are sparse, which the local
//     factor misses.
//
// # Symbols and formulas
//
//	d(x,o)      Euclidean distance of x and reference point o
//	N(x)        the k nearest reference points of x; a reference point is not
//	            its own neighbour
//	kdist(o)    distance from o to the last of N(o)                    KDist2 = kdist^2
//	reach(x,o)  max(kdist(o), d(x,o))                                  definition 5 of LOF
//	lrd(x)      1 / mean of reach(x,o) over o in N(x)                  definition 6, Density
//	local(x)    mean of lrd(o) over o in N(x), over lrd(x)             definition 7
//	global(x)   mean of d(x,o) over o in N(x)
//
// N(x) has exactly k members; among points at the distance of the last, the smallest numbers are
// taken. The number of events that a reference point stands for (duplicates) has no effect.
//
// # Percentiles
//
// A score is published as a percentile: the share of the reference points whose own leave-one-out
// score is smaller, with ties counted half. 0.99 means "more novel than 99% of the reference
// points". Events like the reference points have uniform percentiles between 0 and 1. A score
// beyond all of them is 1.
//
// # Contract
//
// Scores are pure functions of (tables, neighbour list), computed in the order
// of the list. Tables are immutable and safe for concurrent use.
package novelty
