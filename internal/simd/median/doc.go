// Package median divides points at the median of a component, as a balanced k-d tree divides its
// nodes.
//
// # The method
//
// Points are rows of a Table: columns of numbers, and each point's own index. Select finds the
// element of a given rank in a column by counting alone. An interval that contains it is narrowed
// by interpolating the counts; a count is one vector comparison for every few elements and moves no
// data. The few elements that remain in the interval are copied and sorted. (This is regula falsi
// in place of the partitions of Hoare's quickselect.) Table.Divide then moves whole rows, once, by
// compressing registers, and keeps the order on either side.
//
// # Contract
//
// Elements are compared by their number and, for equal numbers, by the point's index. This is a
// strict order, so the halves are the same sets on any machine. Numbers must not be NaN. Nothing is
// allocated. The assembly gives the same bits as the plain versions.
package median

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/median -out ../simd/median/kernels_amd64.s -stubs ../simd/median/stubs_amd64.go -pkg median
