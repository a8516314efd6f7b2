// Package auto chooses the method of a neighbour search: exact, or one of the approximate packages
// below it.
//
//	Graph            the neighbours of all rows among themselves
//	FromGiven        the same of lists that somebody else found
//	Index            an index for other rows
//	Settings         the requested method, or a recall that decides
//	Settings.Graph,  the rule for either, as a function of n, dim and k alone
//	Settings.Index
//
// Recall is the share of true neighbours among those listed. A recall of 1 always means exact
// search. Otherwise the rule compares the costs of the methods, measured once with vectors of 25 to
// 784 values. It never measures the current machine, so that the same rows are always searched by
// the same method.
//
// # The graph of all rows
//
// With tiles of products every pair costs about dim + 30 steps of some picoseconds (package knn);
// with descent every row costs some microseconds (package nndescent). The table has seconds on two
// cores for the ten nearest, exact and by descent at a recall of 0.99:
//
//	10,000 x 50 (digits)     0.08   0.16      10,000 x 784 (digits)   0.64   0.36
//	30,000 x 50              0.50   0.60      20,000 x 784            2.9    1.3
//	70,000 x 50              1.46   0.78      11,925 x 25 (words)     0.09   0.18
//
// The exact times were measured on a busy machine; alone, 70,000 x 50 takes 0.97 seconds. The
// accuracy of exact lists is worth a fraction of a second: a map from lists with 0.6% errors is
// measurably worse (MNIST in the plane, 9-NN accuracy .9765 against .9773). So descent is used from
// n (dim + 30) = ten million on, and later if it needs more candidates, for longer lists or a
// higher recall.
//
// Codes of one byte (package codes) make pairs of wide rows cheaper. So up to 25,000 rows of 96
// values and more are searched exactly, too. The table has processor seconds for 15 neighbours of 20,000
// digits, principal components or all pixels, with VNNI and with AVX2 alone; 40,000 of 384 take 1.48 and
// 2.32 with VNNI. With AVX2 both ways take about as long from 20,000 rows on, and exact lists are worth
// more. The rule is for both, since a map must not depend on the processor.
//
//	               VNNI              AVX2
//	values     exact  descent    exact  descent
//	100         0.18   0.53       0.36   0.57
//	200         0.29   0.62       0.56   0.65
//	384         0.54   0.97       1.12   1.10
//	784         0.84   1.63       1.57   1.87
//
// Descent takes the longer, the higher the intrinsic dimension is. 57 neighbours of 20,000 rows on curved
// manifolds of 5 and 20 dimensions, with noise, took (processor seconds, VNNI):
//
//	            5 dimensions     20 dimensions
//	values     exact  descent    exact  descent
//	1024         1.1    2.4        1.6   12.0
//	1536         1.6    3.7        2.4   18.5
//	3072         3.4    9.0        5.1   39.8
//
// The recall of descent is checked: a sample of rows is compared with the true neighbours, and
// if too many are missing, the search is repeated with twice the candidates, and then exactly.
// Building an HNSW index and querying it with every row takes longer than either, so it is not used
// for graphs (docs/decisions/search.md).
//
// # An index for other rows
//
// An exact search reads all rows for each query or, for single queries, coarse vectors of all rows.
// A search by cells reads the codes of some of them (Cells), and a search in an HNSW graph visits
// some hundred rows for any n (Build). These are used from n (dim + 30) = one million on: cells if
// a measurement on the rows shows that they are faster, and otherwise an HNSW graph. Its number of
// candidates follows from k and the recall, by measurements with digits (60,000 x 50):
//
//	k = 41: 48 candidates .986   64 .993   77 .995   96 .997
//
// which fits 1 - recall = 0.008 (candidates/(k + 22))^-2.4.
//
// In many dimensions neighbours are about as far as other rows, and links find too few of them. So
// rows of 96 and more values that refuse cells are searched exactly up to 25,000 (Scans). The table
// has microseconds of processor time for a query of a batch, 15 neighbours among 18,000, and what
// HNSW found. Processors without VNNI (package codes) take about twice as long for exact lists.
//
//	                                exact   HNSW
//	sentence embeddings, 384 values    50     62   .948
//	768 random features of these       94    175   .947
//	256 components of the features     40     54   .948
//
// In a fit, an index of at least 30,000 rows is built from the lists of the graph (BuildFrom,
// Listed), in a third of the time.
//
// # Rows of bits
//
// Binary rows (knn.Binary) are searched exactly up to two million words of 64 bits, about 150,000
// rows of 784. The graph of 69,000 takes 0.4 of the time of descent, and queries take less than by
// HNSW (docs/decisions/metrics.md).
//
// # Other distances
//
// Distances other than the Euclidean (knn.Settings.Distance) are searched exactly up to 15,000 rows, and
// by descent beyond; those of bits always exactly. The table has processor seconds for 57 neighbours of
// 15,000 rows on curved manifolds of 5 and 20 dimensions, and the recall of descent at the first attempt.
//
//	                 10 values                  100 values
//	               exact  descent  recall    exact  descent  recall
//	manhattan       0.63     0.66  1.0000     2.29     1.91   .995
//	chebyshev       0.43     0.73   .9994     2.33     2.22   .948
//	canberra        1.25     0.87   .9991     2.70     2.49   .972
//	braycurtis      1.89     0.72   .9999     2.91     2.42   .995
//	minkowski:1.5   3.03     1.41  1.0000    58.6     35.4    .998
//
// Queries under them are searched exactly.
//
// # Contract
//
// Lists are those of the package that computed them: with exact distances, in the order (distance,
// row number), a function of the rows and the settings without Threads.
package auto
