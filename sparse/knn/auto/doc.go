// Package auto chooses how neighbours are searched for: the one place that says
// which of the packages below it answers.
//
//	Graph            the neighbours of all rows among themselves
//	FromGiven        the same of lists that somebody else found
//	Index            an index for other rows
//	Settings         what is asked for: a method, or a recall that decides
//	Settings.Graph,  the rule for either, as a function of n, dim and k alone
//	Settings.Index
//
// Recall is the share of true neighbours among those listed. A recall of 1 always
// means exact search. Otherwise the rule compares what the ways cost, as measured
// once with vectors of 25 to 784 values; the clock of the machine at hand never has
// a say, so that the same rows are always searched in the same way.
//
// # The graph of all rows
//
// With tiles of products every pair costs about dim + 30 steps of some picoseconds
// (package knn), with descent every row some microseconds (package nndescent). Seconds
// on two cores for the ten nearest, exact and by descent at a recall of 0.99:
//
//	10,000 x 50 (digits)     0.08   0.16      10,000 x 784 (digits)   0.64   0.36
//	30,000 x 50              0.50   0.60      20,000 x 784            2.9    1.3
//	70,000 x 50              1.46   0.78      11,925 x 25 (words)     0.09   0.18
//
// The exact ones were taken on a busy machine: left alone 70,000 x 50 takes 0.97, and
// a map learnt from lists of which 0.6% are wrong is worse by more than a fraction of
// a second is worth (MNIST in the plane, 9-NN accuracy .9765 against .9773). So
// descent takes over where n (dim + 30) passes ten million, later if it has to keep
// more candidates: for longer lists, or a higher recall. It is held to the recall: a sample of rows is compared with the truth, and if too many neighbours
// are missing, the search is repeated with twice the candidates, and then exactly.
// An HNSW index that is built and asked for every row takes longer than either, so that
// it makes no graphs (docs/decisions/search.md).
//
// # An index for other rows
//
// An exact search reads all rows for each query or, for single ones, coarse vectors
// of all rows; a search by cells reads the codes of some of them (Cells), and one in an HNSW graph
// visits some hundred rows whatever n is (Build). These
// take over where n (dim + 30) passes one million: cells, which measure on the rows at hand
// whether they are the way, and otherwise an HNSW graph. How many candidates that keeps
// follows from k and the recall, by what was measured with digits (60,000 x 50):
//
//	k = 41: 48 candidates .986   64 .993   77 .995   96 .997
//
// which is 1 - recall = 0.008 (candidates/(k + 22))^-2.4.
//
// An index of 30,000 rows and more that a fit makes is built from the lists of its graph
// (BuildFrom, Listed), in a third of the time.
//
// # Rows of bits
//
// Rows of 0 and 1 (knn.Binary) are searched exactly up to two million words of 64 bits, which is
// about 150,000 rows of 784: the graph of 69,000 takes 0.4 of the time of descent, and queries
// take less than by HNSW (docs/decisions/metrics.md).
//
// # Other distances
//
// Under another distance than the Euclidean one (knn.Settings.Distance) every search is exact.
//
// # Contract
//
// Lists are those of the package that made them: at exact distances, in the order
// (distance, row number), a function of the rows and the settings without Threads.
package auto
