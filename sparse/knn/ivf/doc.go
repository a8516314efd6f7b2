// Package ivf searches the rows of a map that does not change by cells: an inverted
// file (Jegou, Douze and Schmid 2011, IEEE TPAMI 33(1), "Product quantization for
// nearest neighbor search") over codes of one byte an element.
//
//	New             an index over rows, or nil where another way is better
//	Index.Search    near rows of others, at exact distances
//
// # The index
//
// Two levels of k-means cut the n rows into about 4 sqrt(n) cells. The codes of rows
// (package sq8) lie cell by cell, so that a search reads a few long runs of memory and
// follows no links:
//
//	scores of all cells           -> the probes nearest ones
//	scores of all rows in these   -> the kept nearest rows
//	distances of these, exactly   -> the list
//
// Either choice is one of a bound: the numbers of scores below a few bounds are counted
// until one has about as many below as wanted, which takes neither a heap nor a sort.
//
// # How far a search goes
//
// New takes 160 of the rows, evenly spaced, finds their neighbours among the six times
// as many that are nearest by codes, and sees in which place of the order of cells the
// cell of each of these comes, and in which place of the order of scores the row itself:
// the numbers of probes and of rows kept are
// those that lose no more than the recall allows, three quarters of it by probes. So the
// recall is measured on the rows at hand. Where a quarter of all would have to be read
// to reach it, or codes are so coarse that three times as many rows would have to be
// measured as are listed, or where there are few rows, there are no cells.
//
// A query far outside of the range of the rows has a coarser code (sq8.Query.SetFar), and a search
// for it goes four times as far; one for more than Settings.K neighbours goes farther in proportion.
// Of the neighbours of rows that are moved by 20, 100 and 100,000 standard deviations along one
// column .99, .99 and .97 are found (TestWithoutCodes). Links find less from outside, and take less
// time where rows are many (docs/decisions/search.md).
//
// # Contract
//
// Rows are finite; mistakes of queries are refused as by other indexes (knn.CheckQueries). Lists
// are ordered by (exact squared distance, row number). A list is a function of the index and the
// query, and the index of the rows and the settings: not of the batch or the number of threads
// nor, since codes are integers and k-means adds in a given order, of the machine. Queries of a large batch
// are taken in an order in which those that need the same cells are close together.
//
// # What was tried
//
// Of 60,000 digits (50 principal components), 41 neighbours, and 20,000 points on 100
// curved sheets; microseconds of one thread of a busy machine for a query of a batch of
// 10,000:
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
// A search in a graph measures far fewer rows, 640 and 230 against 5400 and 900, but
// each of these is a miss of the cache, a look at who was met before and a place in a
// sorted list; so rows in bytes did not help it. What was left was scores for the digits,
// four tenths, and exact distances and their order for the sheets, a half. These had a look
// in float32, a selection and a sort before them, which cost more than they spared: without,
// and with positions below a bound by AVX2, a search takes three quarters and two thirds of that.
//
// Two queries at a time, by a kernel that reads the codes of cells of both once: placing takes 1.06 of
// the processor's time on a map of 20,000 points, and the same on 200,000 and on a million.
package ivf
