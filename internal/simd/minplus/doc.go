// Package minplus computes rows of min-plus matrix products, in which the minimum replaces the
// addition and the sum the multiplication, as for lengths of shortest paths.
//
// # Contract
//
// Sums are rounded to float32 one by one and compared, so that the assembly gives the bits of the
// plain version on every processor. Numbers must not be NaN. Nothing is allocated.
package minplus
