// Package pca holds the linear model that comes before the others:
// principal components (Pearson 1901, Hotelling 1933).
//
// Vectors of hundreds or thousands of elements are projected onto their q
// directions of largest variance before neighbours are searched. That costs
// little of what neighbourhoods say (on MNIST, 50 of 784 directions keep the
// nearest-neighbour error where it was) and makes the search ten times cheaper.
//
// # Symbols
//
//	x  n x dim       the vectors, float32
//	m  dim           their mean
//	C  dim x dim     covariance, sum_i (x_i - m)(x_i - m)^T / n
//	V  q x dim       Components: unit eigenvectors of C as rows, by falling eigenvalue
//	z  n x q         V (x - m), the projected vectors
//
// # How
//
// Up to 2048 columns C is formed. That is most of the work, n dim^2 operations,
// and done in single precision where it is much, no value is out of range and no
// component falls below 1e-4 of the total variance: an element C_kl then errs by
// less than 1e-6 sqrt(C_kk C_ll) as a rule and 1.6e-5 at worst. Of up to 192 columns, ranges of
// rows are centred once and multiplied on their own. A few leading
// eigenvectors come from block Krylov iteration with C; those of small matrices,
// or many of them, from a dense solver.
//
// Truncated does without the mean, for sparse rows: it multiplies by A and A', and never
// fills a row.
//
// # Contract
//
// Fit never copies x as a whole; beyond x it needs what Bytes says: O(dim^2) where C is
// formed, O(n^2 + dim q) where the products of rows are, and O(dim q) else. The
// result is a function of x, the settings and the kind of processor: sums are cut
// by the size of x, not by the number of threads. Each component's entry of
// largest magnitude is positive.
//
// Apply is a pure function of (mean, components, row): every z_ij is one
// sum in float64 over the elements of x_i in their order, rounded once. The
// same row has the same bits in any batch, on any number of threads and on any
// processor.
package pca
