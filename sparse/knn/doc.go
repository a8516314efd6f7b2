// Package knn finds exact k nearest neighbours, under the Euclidean distance and those of package distance.
//
//	Graph           the k nearest other rows of every row: K of Saul 2020, eq 22
//	Exact           an index over fixed rows, searched with other vectors
//	DynamicExact    rows that come and go; who of them has a new one among its nearest
//	Sparse          the same as Graph for the rows of a sparse matrix
//	NearestUnlike   the k nearest rows that carry another label
//	Index           what Exact and package hnsw have in common; Dynamic, if rows come and go
//
// Package auto chooses between exact search and the approximate ways of packages
// hnsw and nndescent.
//
// # Exactness
//
// The result is that of the plain double loop, bit for bit: every reported
// squared distance is vec.SquaredDistance of the two rows, and the lists are
// ordered by (squared distance, row number). So they are a function of the
// data alone: not of the number of threads, nor of which other queries were in
// the batch, nor of the tiles below and the processor that multiplies them.
//
// # Speed
//
// Most of the n^2 pairs are only looked at in float32. With a centre c and a
// power of two a, let z_i = a (x_i - c). A tile of matrix products gives
//
//	q_ij = z_i z_j - |z_i|^2/2 - |z_j|^2/2 = -a^2 |x_i - x_j|^2 / 2
//
// up to rounding, and the rounding has a rigorous bound, see pack.go:
// |error| <= s_i + s_j. With the squared distance t_i of the k-th neighbour
// found so far, a pair with q_ij + s_i + s_j < -a^2 t_i / 2 cannot enter i's
// list and is dropped; the few others are measured exactly. The centre and the
// scale only decide how sharp the bound is, never the result.
//
// A list begins with a chunk of the rows, whose lower bounds of a^2 |x_i-x_j|^2 / 2
// rounded in the safe direction, package tile writes down. Package topk picks
// the k least of them and few more; these are measured, and any others whose bound is
// below the distance of the last. So a list that holds the nearest of some thousand
// rows has cost little more than k distances, where one that fills up as its rows come
// takes k log(n/k) of them, each with a place to be found in the list.
//
// From there on thresholds are tight, few pairs pass, and package tile multiplies and
// compares in one pass that returns one bit a pair; where some columns carry most of the
// variance it looks at them first, and leaves a block of pairs when they decide it. Graph
// computes every tile once and uses it in both directions. It first brings the rows into
// the order of a k-d tree, so that the block that a list begins with holds most of the
// neighbours. So the products take most of the time.
//
// Points that lie closer together than the rounding of float32 at their
// distance from the centre cannot be distinguished by the bound, and are measured
// exactly: still right, but slower.
//
// Rows of 0 and 1 are compared as bits (Binary): their squared distance is the number of
// columns in which they differ, which package hamming counts for 64 rows at a time. Rows go
// by their numbers of ones, which differ by no more than that, so that searches begin at a query's
// own number and end early, see bits.go.
//
// A single query would only wait for memory in a scan of many panels. Exact holds two
// coarse vectors of every row for it, of 16 and of 64 bytes (Weber, Schek and Blott
// 1998): the distance of coarse vectors, which are whole numbers, less a rigorous bound
// on their rounding, is below the true one, see sketch.go. The short ones stay in the
// second-level cache and leave a few percent of the rows; the long ones of these leave
// little more than the neighbours, which are measured exactly. Where the leading
// columns carry less than half of the variance, or all panels stay in that cache, there
// is no sketch, and where too many rows pass it the panels are scanned. Larger batches scan panels: eight queries at a
// time make better use of what is read.
//
// # Other distances
//
// Under another distance (Settings.Distance, NewExactBy, NewDynamicExactBy) lists hold what takes the place of a
// squared distance, distance.Between of the two rows, with the same promises. Jaccard's goes by bits as well: with
// a and b ones, rows within t differ in at most t (a + b) / (2 - t) columns, and no row is nearer than 1 - min(a, b)/max(a, b).
// Rows under the others lie in blocks, the leaves of a k-d tree; a query leaves out the blocks whose box is
// farther than the last of its list, and the rows whose distance in single precision says that they are, see plain.go.
//
// # Contract
//
// Values must be finite and below 1e150 in magnitude, otherwise the call fails
// with a *ValueError that names the row and column. Cancelling the context
// ends a search within milliseconds. Package knntest holds the conformance
// suites that every Index and every Dynamic passes.
package knn
