// Package knn finds exact k nearest neighbours, under the Euclidean distance and those of package distance.
//
//	Graph           the k nearest other rows of every row: K of Saul 2020, eq 22
//	Exact           an index over fixed rows, searched with other vectors
//	DynamicExact    rows that come and go; who of them has a new one among its nearest
//	Sparse          the same as Graph for the rows of a sparse matrix
//	NearestUnlike   the k nearest rows that carry another label
//	Index           what Exact and package hnsw have in common; Dynamic, if rows come and go
//
// Package auto chooses between exact search and the approximate packages hnsw and nndescent.
//
// # Exactness
//
// The result equals that of the plain double loop, bit for bit: every squared distance is
// vec.SquaredDistance of the two rows, and lists are ordered by (squared distance, row number). So
// lists are a function of the data alone. They do not depend on the number of threads, other
// queries in the batch, the tiles below or the processor.
//
// # Speed
//
// Most of the n^2 pairs are only compared in float32. With a centre c and a power of two a, let z_i
// = a (x_i - c). A tile of matrix products computes
//
//	q_ij = z_i z_j - |z_i|^2/2 - |z_j|^2/2 = -a^2 |x_i - x_j|^2 / 2
//
// up to rounding errors with a rigorous bound, see pack.go: |error| <= s_i + s_j. Let t_i be the
// squared distance of the k-th neighbour found so far. A pair with q_ij + s_i + s_j < -a^2 t_i / 2
// cannot enter i's list and is skipped; the few others are computed exactly. The centre and the
// scale only affect the tightness of the bound, never the result.
//
// A list starts with a chunk of the rows. Package tile computes lower bounds of their a^2
// |x_i-x_j|^2 / 2, rounded in the safe direction. Package topk selects the k smallest and a few
// more, whose distances are then computed exactly, and after them any others whose bound is below
// the distance of the last. So a list of the nearest of some thousand rows costs little more than k
// distances. A list that is filled row by row would need k log(n/k) distances, each with an
// insertion.
//
// From then on thresholds are tight and few pairs pass. Package tile multiplies and compares in one
// pass that returns one bit for each pair. If some columns have most of the variance it compares
// them first, and skips a block of pairs when they decide it. Graph computes every tile once and
// uses it in both directions. It first sorts the rows by a k-d tree, so that the first chunk of a
// list has most of the neighbours. So the products take most of the time.
//
// On amd64 rows of many columns are compared by codes of one byte instead (package codes), about
// three times as many at a time, and four times with VNNI. Codes round rows to a box around the
// centre; the error of rounding is measured for every row, so the bound is rigorous too, see
// coded.go. A sample decides which box and, without VNNI, which range of codes takes least time, and
// whether codes exclude enough. Lists are the same either way, in a quarter of the memory.
//
// Points that are closer together than the rounding of float32 at their distance from the centre
// cannot be separated by the bound. Their distances are computed exactly, which is right but
// slower.
//
// Binary rows are compared as bits (Binary). Their squared distance is the number of differing
// columns, which package hamming counts for 64 rows at a time. Rows are ordered by their numbers of
// ones. These differ by at most the distance, so that searches start at the query's number and stop
// early, see bits.go.
//
// A single query that scanned many panels would mostly wait for memory. For it, Exact has two
// coarse vectors of every row, of 16 and of 64 bytes (Weber, Schek and Blott 1998). The distance of
// coarse vectors, which are integers, minus a rigorous bound on their rounding, is below the true
// one, see sketch.go. The short vectors stay in the second-level cache and leave a few percent of
// the rows. Of these the long vectors leave little more than the neighbours, whose distances are
// computed exactly. There is no sketch if the leading columns have less than half of the variance,
// or if all panels fit in that cache. If too many rows pass the sketch, the panels are scanned.
// Larger batches scan panels, because eight queries at a time make better use of each read.
//
// # Other distances
//
// Under another distance (Settings.Distance, NewExactBy, NewDynamicExact) lists have
// distance.Between of the two rows instead of the squared distance, with the same promises.
// Jaccard's distance uses bits too: with a and b ones, rows within t differ in at most t (a + b) /
// (2 - t) columns, and no row is nearer than 1 - min(a, b)/max(a, b). For the other distances rows
// are in blocks, the leaves of a k-d tree. A query skips the blocks whose box is farther than the
// last of its list, and the rows whose distance in single precision excludes them, see plain.go.
//
// # Contract
//
// Values must be finite and below 1e150 in magnitude; otherwise the call returns a *ValueError with
// the row and column. Cancelling the context ends a search within milliseconds. Package knntest has
// the conformance suites of Index and Dynamic.
package knn
