// Package topk finds the least of many numbers: those whose place among all does not
// matter, only that they are among the first n.
//
//	Count    how many are below a bound
//	Below    which
//	Least    about n of them, and the bound below which they are
//
// # Keys
//
// Numbers are int32. The bits of float32 values that are not negative are ordered as
// the values are, so that keys may be those as well (package tile, LowerBounds).
//
// # Bound
//
// Least looks for a bound by counting: by steps that double from a guess until there is
// one with too few below and one with too many, and by halves from there. That it need
// not be of exactly n spares the last of these passes. A pass reads its numbers at the
// speed of the cache, and nothing is moved about as in quickselect.
package topk
