// Command speed measures the time and the memory of the program in comparison with other programs
// for the same tasks, and writes docs/benchmarks.md. All figures on the page are measured.
//
//	make bench UNFOLD_DATA=DIR
//
// A row is one question, such as how long an exact search for neighbours takes, in a file of its
// own. It measures this program and its peers one after the other on the same machine and data with
// as many threads, several times each; figures to reach are ratios of the best times, or seconds
// and bytes.
//
// Whole programs run as processes started by a small process of their own (see process.go), so that
// their memory is not that of the one that measures. Parts of the program are called as a library,
// parts of others by peers.py in a Python environment (requirements.txt). A peer that is not
// installed is named as missing.
//
// Results are files in OUT/results, one a row; with -keep those of an earlier run by the same
// settings are used again. -small measures the same on toy data in seconds, without files of data,
// to see that all of it works: its figures say nothing, and it gives no verdicts.
package main
