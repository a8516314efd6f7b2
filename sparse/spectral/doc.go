// Package spectral finds the lowest eigenvectors of a graph Laplacian
// Lap(W) = diag(W 1) - W: where the latent variable model starts (Saul 2020,
// supplement, "Implementation": the bottom non-trivial eigenvectors of the
// quadratic form sum_ij S_ij |mu_i - mu_j|^2).
//
// # Method
//
// Up to Settings.Dense points: a dense symmetric eigensolver. Beyond: LOBPCG
// (Knyazev 2001), the block method that finds the best vectors in the span of
// the present ones, their preconditioned residuals, and the last change. The
// preconditioner is a few iterations of conjugate gradients on the Laplacian
// itself with an approximate Cholesky factorisation (solve.Factor), since the
// lowest vectors of a large neighbourhood graph are far too smooth for the
// diagonal. The constant vector, whose eigenvalue is 0, is projected out
// throughout; the graph must be connected for the rest to be what is wanted.
//
// # Contract
//
// Vectors have unit norm, and the entry of largest magnitude (the first of equal
// ones) is positive. The result depends on the matrix, the settings and the
// seed, not on the number of threads. Iterations and the residual
// |L v - lambda v| / lambda come back as data; a start for learning needs no
// more than 1%.
package spectral
