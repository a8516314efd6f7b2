// Package matrix gives the rows of a sparse matrix as vectors. It reads Matrix Market's
// coordinate files itself; package npy finds scipy's archives, and hands their arrays over.
//
// A matrix is read into memory as a whole, by rows (sparse.Rows), and in single precision as all
// vectors are, when rows are first asked for; its shape and the number of its entries are known
// before. Who wants no full rows takes the matrix itself (table.Sparse).
package matrix
