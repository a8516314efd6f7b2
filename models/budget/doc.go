// Package budget says before a fit how much memory and roughly how much time it
// will take, and finds settings that keep it within a given memory.
//
// # Memory
//
// A [Plan] lists the stages of a fit in their order, each with the bytes that
// are reachable when it holds the most: the formulas in memory.go count the
// arrays of package saul and of the packages below it, by the numbers
//
//	n rows, D their values, q the values that the model sees (after projection),
//	d dimensions of the map, k similar neighbours, L neighbours listed,
//
// all rows taken as distinct. Sparse rows count by their entries (sparse.go). A test holds them against what Model.Bytes,
// Field.Bytes and the sizes of the lists say. The memory of the process is
//
//	base + (1 + slack) max over stages,
//
// base being what it takes without data. The second factor is the garbage
// collector's: it lets the heap grow by a share of what was reachable last time.
// That share is 1 by default, and then nobody can say within 10% what a process
// will take; Collect sets it to growthPercent, most of which is seen at the peak. A
// fit allocates little once it runs, so that the collector has little to do all the
// same. A large fit gives back between its stages what they leave (Plan.Returning), and
// little of that share is seen.
//
// Rows that lie in a file (Plan.SetsAside) count in the stages that use them: the caller
// lets go of their pages whenever it hears of the progress.
//
// Other kinds of models say themselves what their learning holds, and how long it takes
// (fit.Spec.Memory and Seconds).
//
// # Time
//
// No constant of any machine is stored. [Measure] learns 4,096 of the rows, or 16,384 where a fit
// takes minutes, for a few steps with the settings of the plan and for none, up to three times each as
// far as there is time, which takes some tenths of a second, or some seconds. It times the kernel of the
// neighbour search on its own. Before the rows are read, as for a dry run, it makes rows in ten
// groups; these fill all their dimensions, so that their neighbours take longer to find than most.
// Every stage of the plan takes what it took there, scaled by its order of growth:
//
//	knn       a n^2/2 + b n log n      a from the kernel, b from what else was measured
//	          n log n                  where it is not exact
//	graph     n log n, n; the same for the cells or the index that place events
//	em        (steps + c) x sources    c for the likelihood before and after; sources:
//	                                   all pairs n^2, cells n log n, samples n,
//	                                   level l n^(1 + 3^-l)
//
// What this cannot know: rows whose first columns decide most pairs are searched
// up to several times faster, so that the time is rather an upper bound; hard
// systems take more iterations; other programs take their share of the machine,
// now or later.
//
// TestMeasured compares both predictions with a fit of as many rows as one likes.
package budget
