// Package nndescent computes the graph of the k nearest neighbours of all rows approximately, by
// NN-descent (Dong, Charikar and Li 2011, "Efficient k-nearest neighbor graph construction for
// generic similarity measures") from random projection trees (Dasgupta and Freund 2008, "Random
// projection trees and low dimensional manifolds").
//
//	Graph      near other rows of every row, at exact distances
//	Report     what it took, and the recall of a sample
//
// # The way
//
// It first grows a few trees. Each divides the rows at the median of their projection on the line
// through two of them, until a leaf has at most some dozens, and all rows of a leaf are compared.
// This finds most of the neighbours. The rows are then processed in the order of the first tree's
// leaves, so that near rows are near in memory.
//
// Then there are rounds of descent: a neighbour's neighbours are likely to be neighbours. A row is
// compared with the rows in the lists of its neighbours, in both directions: rows that list it
// count as neighbours too. Pairs of steps from the round before are skipped. The rounds end when
// one changes few list entries.
//
// During the descent lists are longer than k, which improves the recall at a lower cost than more
// trees. Distances are float32 (package dist) until the end, when those of the candidates are
// computed again in float64.
//
// In the paper a pair with a common neighbour is compared once and may change both lists. Here each
// row reads the previous lists and changes only its own. This computes pairs twice but depends on
// no order: the graph depends on the rows, the settings and the seed, not on the number of threads
// or the machine. Joining fewer rows in the first round did not make the later rounds cheaper.
//
// # Contract
//
// The contract is that of knn.Graph, except that lists may have rows that are not the nearest.
// Distances are those of vec.SquaredDistance, in the order (distance, row number). Up to about a
// thousand rows the graph equals that of knn.Graph. Distances beyond the range of squares in
// float32 (see dist) are not distinguished until the end, which lowers the recall. With
// Settings.Sample the report has the recall.
package nndescent
