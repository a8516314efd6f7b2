// Package matrix returns the rows of a sparse matrix as vectors. It reads Matrix Market's
// coordinate files itself; package npy reads scipy's archives and passes their arrays.
//
// The whole matrix is read into memory by rows (sparse.Rows), in single precision like all vectors,
// when rows are first requested. Its shape and number of entries are known before. Callers that do
// not need full rows use the matrix itself (table.Sparse).
package matrix
