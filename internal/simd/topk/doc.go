// Package topk finds the n smallest of many numbers, in no particular order among themselves.
//
//	Count    how many are below a bound
//	Below    which
//	Least    about n of them, and the bound below which they are
//	Ranks    the ranks of few numbers
//	Order    their order
//
// # Keys
//
// Numbers are int32. The bits of non-negative float32 values are ordered as the values are, so that
// they can be keys too (package tile, LowerBounds).
//
// # Bound
//
// Least searches for a bound by counting. Steps from a guess double until one bound has too few
// below it and one too many, and the interval is then halved. The bound need not give exactly n,
// which saves the last of these passes. A pass reads the numbers at the speed of the cache, and no
// data is moved as in quickselect.
package topk
