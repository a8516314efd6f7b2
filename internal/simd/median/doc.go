// Package median divides points at the median of one of their components: a
// node of a balanced k-d tree into its halves.
//
// # The method
//
// Points are rows of a Table, columns of numbers with each point's own. Select
// finds the element of a given rank in a column by counting alone: an interval
// that holds it is narrowed by interpolation of the counts, which are one vector
// comparison for every few elements and move nothing; the few elements that are
// left in it are taken out and sorted (regula falsi in the place of the partitions
// of Hoare's quickselect). Table.Divide then moves whole rows, once, by compressing
// registers, and keeps the order of those on either side.
//
// # Contract
//
// Elements are compared by their number and, where numbers are equal, by that of
// the point: a strict order, by which the halves are the same sets whatever the
// machine. Numbers are not NaN. Nothing is allocated. The versions in assembly
// give the same results as the plain ones to the last bit.
package median

//go:generate env GOFLAGS=-tags=noasm go run ./asm -out kernels_amd64.s -stubs stubs_amd64.go -pkg median
