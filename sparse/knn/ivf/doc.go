// Package ivf searches the fixed rows of a map by cells: an inverted file (Jegou, Douze and Schmid
// 2011, IEEE TPAMI 33(1), "Product quantization for nearest neighbor search") over codes with one
// byte for each element.
//
//	New             an index over rows, or nil where another way is better
//	Index.Search    near rows of others, at exact distances
//
// # The index
//
// Two levels of k-means divide the n rows into about 4 sqrt(n) cells. The codes of rows (package
// sq8) are stored cell by cell, so that a search reads a few long runs of memory and follows no
// links:
//
//	scores of all cells           -> the probes nearest ones
//	scores of all rows in these   -> the kept nearest rows
//	distances of these, exactly   -> the list
//
// Both selections use a bound: the scores below a few bounds are counted until one has about the
// required number below it. This needs neither a heap nor a sort.
//
// # How far a search goes
//
// New measures the recall on the rows themselves. It takes 160 evenly spaced rows and finds their
// neighbours among the six times as many that are nearest by codes. For each neighbour it
// determines the rank of its cell among the cells, and its own rank among the scores. The numbers
// of probes and of kept rows are the smallest that lose no more than the recall allows, three
// quarters of it by probes. There are no cells if a search would have to read a quarter of all
// rows, if codes are so coarse that it would have to compute three times as many rows as are
// listed, or if there are few rows.
//
// A query far outside the range of the rows has a coarser code (sq8.Query.SetFar), and its search
// goes four times as far. A search for more than Settings.K neighbours goes farther in proportion.
// For rows moved by 20, 100 and 100,000 standard deviations along one column, .99, .99 and .97 of
// the neighbours are found (TestWithoutCodes). Searches by links find fewer for such queries, and
// are faster for many rows (docs/decisions/search.md).
//
// # Contract
//
// Rows must be finite; invalid queries are rejected as by other indexes (knn.CheckQueries). Lists
// are ordered by (exact squared distance, row number). A list depends only on the index and the
// query, and the index only on the rows and the settings. Neither depends on the batch, the number
// of threads or the machine, since codes are integers and k-means adds in a fixed order. The
// queries of a large batch are reordered so that those with the same cells are close together.
//
// # What was tried
//
// The table has microseconds for a query of a batch of 10,000, on one thread of a busy machine, for
// 41 neighbours of 60,000 digits (50 principal components) and 20,000 points on 100 curved sheets:
//
//	                                     digits        sheets
//	package hnsw, 77 candidates          35   .9936    21  .9999
//	hnsw with rows in bytes              -             19
//	cells, choice by quickselect         26   .9956    11  .997
//	cells, choice by counting            18   .9967     7  .9989
//	cells, queries in the order of cells 17   .9967     7  .9989
//	3 sqrt(n) cells instead of 4         18            7
//	6 sqrt(n) cells, 8 sqrt(n)           18, 18        8, 8
//
// A search in a graph computes far fewer rows, 640 and 230 against 5400 and 900. But each of these
// costs a cache miss, a check whether it was visited, and an insertion in a sorted list, so storing
// rows as bytes did not help. The remaining time was mostly scores for the digits (four tenths),
// and exact distances and their order for the sheets (a half). An earlier comparison in float32, a
// selection and a sort cost more than they saved. Without them, and with positions below a bound
// found by AVX2, a search takes three quarters and two thirds of that.
//
// A list of up to some hundred rows is ordered by ranks (topk.Ranks): every distance is compared with
// every other one, eight or sixteen at a time, and none is inserted behind a branch. Codes of queries
// are made by vector instructions, too, and multiplied by VPDPBUSD where the processor has it.
//
// A kernel for two queries at a time, which reads the codes of cells of both once, does not pay:
// placing takes 1.06 of the processor time on a map of 20,000 points, and the same on 200,000 and
// on a million.
package ivf
