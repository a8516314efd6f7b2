// Package minplus takes least sums: rows of the product of matrices whose addition is the minimum
// and whose multiplication is the sum, as lengths of shortest paths have it.
//
// # Contract
//
// Sums are rounded to float32 one by one and compared, so that the version in assembly gives the
// bits of the plain one on every processor. Numbers are not NaN. Nothing is allocated.
package minplus
