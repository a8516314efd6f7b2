// Package nndescent makes the graph of the k nearest neighbours of all rows,
// approximately, by NN-descent (Dong, Charikar and Li 2011, "Efficient k-nearest
// neighbor graph construction for generic similarity measures") from random
// projection trees (Dasgupta and Freund 2008, "Random projection trees and low
// dimensional manifolds").
//
//	Graph      near other rows of every row, at exact distances
//	Report     what it took, and the recall of a sample
//
// # The way
//
// A few trees are grown. Each splits the rows at the median of a projection on
// the line through two of them, until at most some dozens are together in a
// leaf, and all rows of a leaf are compared. This finds most of the neighbours.
// The order of the first tree's leaves is also the order in which the rows are
// worked on, so that near rows are near in memory.
//
// Then rounds of descent: my neighbour's neighbours are likely to be mine. A row
// is compared with the rows in the lists of those in its own, in both
// directions: rows in whose lists it is count, too. Pairs of steps that were
// there in the round before are left out. The rounds end when one changes few
// places of the lists.
//
// Lists are longer than k while this goes on, which finds more for less than
// more trees do. Distances are float32 (package dist) until the end, when the
// candidates are measured again in float64.
//
// In the paper a pair that is near the same row is compared once and both sides
// may be changed. Here each row looks at the lists as they were and changes its
// own alone, which measures pairs twice but depends on no order: the graph is a
// function of the rows, the settings and the seed, not of the number of threads,
// nor of the machine. Joining fewer rows in the first round made the later
// rounds no cheaper.
//
// # Contract
//
// As for knn.Graph, except that lists may hold rows that are not the nearest.
// Their distances are those of vec.SquaredDistance, in the order (distance, row
// number). Up to about a thousand rows the graph is that of knn.Graph. Distances
// beyond the range of squares in float32 (see dist) are not distinguished until the
// end, at the cost of recall; Settings.Sample makes the report say how much was
// found.
package nndescent
