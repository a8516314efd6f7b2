// Package spectral finds the lowest eigenvectors of a graph Laplacian Lap(W) = diag(W 1) - W. The
// latent variable model starts from them (Saul 2020, supplement, "Implementation": the bottom
// non-trivial eigenvectors of the quadratic form sum_ij S_ij |mu_i - mu_j|^2).
//
// # Method
//
// Up to Settings.Dense points a dense symmetric eigensolver is used. Beyond, it is LOBPCG (Knyazev
// 2001), a block method that finds the best vectors in the span of the current ones, their
// preconditioned residuals, and the last change. The preconditioner is an approximate Cholesky
// factorisation (solve.Factor), since the lowest vectors of a large neighbourhood graph are much
// too smooth for the diagonal. Inner iterations of conjugate gradients save iterations of LOBPCG,
// but no time. The constant vector, with eigenvalue 0, is projected out throughout. The graph must
// be connected, as otherwise more eigenvalues are 0.
//
// Let S = [X W P] be the vectors, preconditioned residuals and changes. An iteration applies the
// factor once and multiplies by L once, for W alone: L X and L P are the same combinations as X and
// P, and are recomputed near the limit of rounding. It passes over S and L S twice: for S'S and S'L
// S, and for the new X, P and residuals. Both passes use vector instructions for the four columns
// of a two-dimensional map. The small generalised problem is whitened, which drops directions lost
// in rounding (Duersch, Shao, Yang and Gu 2018 discuss why that is needed).
//
// # A whole factor
//
// With Settings.Exact, and small separators in the graph, a complete factor of L plus a small
// diagonal is computed (package multifrontal). The inverse is then iterated by Lanczos's method in
// blocks, with every vector orthogonal to all before (Grimes, Lewis and Simon, SIAM Journal on
// Matrix Analysis and Applications 15, 1994). Small eigenvalues are the largest of the inverse and
// well separated there. So about ten iterations suffice, however close to rounding the values are,
// and L need not have positive weights.
//
// # Masses
//
// With masses, R^2 = diag(Masses), the iterated matrix is A = R^-1 L R^-1, whose eigenvectors are R
// v and whose kernel is spanned by R 1. Its preconditioner is R F^-1 R, with the factorisation F of
// L.
//
// # Contract
//
// Vectors have unit norm, and the entry of largest magnitude (the first of equal ones) is positive.
// The result depends on the matrix, the settings and the seed, not on the number of threads. Result
// has the iterations and the residual |L v - lambda v| / lambda; 1% suffices for the start of
// learning. If the tolerance is below rounding, the iteration ends once residuals within 256 units
// of rounding of L have not been halved in 10 iterations. It then returns the best vectors so far
// and sets Result.Rounding.
package spectral
