// Package budget predicts the memory and the approximate time of a fit before it runs, and finds
// settings that fit in a given memory.
//
// # Memory
//
// A [Plan] lists the stages of a fit in order, each with the reachable bytes at its peak. The
// formulas in memory.go count the arrays of package saul and of the packages below it, by the
// numbers
//
//	n rows, D their values, q the values that the model sees (after projection),
//	d dimensions of the map, k similar neighbours, L neighbours listed,
//
// with all rows assumed distinct. Sparse rows count by their entries (sparse.go). A test compares
// the formulas with Model.Bytes, Field.Bytes and the sizes of the lists. The memory of the process
// is
//
//	base + (1 + slack) max over stages,
//
// where base is the memory without data. The slack is that of the garbage collector, which lets the
// heap grow by a share of the bytes that were reachable at the last collection. The default share
// of 1 would make any prediction within 10% impossible, so Collect sets it to growthPercent, most
// of which occurs at the peak. A running fit allocates little, so that the collector still has
// little to do. A large fit returns freed memory to the system between stages (Plan.Returning),
// which removes most of the slack.
//
// Rows in a file (Plan.SetsAside) count in the stages that use them. The caller releases their
// pages at each call of the progress function.
//
// Other kinds of models predict the memory and the time of their learning themselves
// (fit.Spec.Memory and Seconds).
//
// # Time
//
// No constant of any machine is stored. [Measure] fits 4,096 of the rows (16,384 for fits of
// minutes), for a few steps with the settings of the plan and for none. It repeats each up to three
// times as time allows, for some tenths of a second or some seconds. It measures the kernel of the
// neighbour search separately. If no rows have been read yet, as in a dry run, it generates rows in
// ten groups. These fill all their dimensions, so that their neighbours take longer to find than
// most. The time of every stage is its measured time scaled by its order of growth:
//
//	knn       a n^2/2 + b n log n      a from the kernel, b from what else was measured
//	          n log n                  where it is not exact
//	graph     n log n, n; the same for the cells or the index that place events
//	pca       by the rates of products, bases and eigenvectors (pca.Rates)
//	em        (steps + c) x sources    c for the likelihood before and after; sources:
//	                                   all pairs n^2, cells n log n, samples n,
//	                                   level l n^(1 + 3^-l)
//
// Sparse rows are measured themselves (MeasureSparse), once they have been read: the search for the
// neighbours of some of them, whose time grows with the pairs of rows and of entries in a column, and a
// product of their matrix with some vectors. From the latter follows the time of the truncated SVD, for
// a typical number of rounds; rows without structure take half as many more.
//
// The prediction cannot account for three things. Rows whose first columns decide most pairs are
// searched up to several times faster, so that the time is rather an upper bound. Hard systems take
// more iterations. Other programs use the machine too, now or later.
//
// TestMeasured compares both predictions with a fit of any number of rows.
package budget
