// Package solve solves symmetric, diagonally dominant systems
//
//	(Lap(W) + Gamma) X = B,   Lap(W) = diag(W 1) - W,
//
// with W >= 0 symmetric and sparse, Gamma >= 0 diagonal, and several right-hand
// sides at once: the linear algebra of eq 20 of Saul 2020.
//
// # Method
//
// Preconditioned conjugate gradients with the diagonal as preconditioner, one
// recurrence a column, all columns in one sweep over the matrix. X and B are
// n x d row-major, so that the d values of a point lie together and an entry of
// W is read once for all of them.
//
// # Where it stops
//
// A column has converged when its residual has fallen to Tolerance times its
// residual at the start. With a start near the solution that is much less than
// Tolerance times the right-hand side; measuring against the right-hand side
// instead would accept such a start unchanged. EM therefore solves for the
// increment (start zero), whose right-hand side is the gradient.
//
// # Contract
//
// A CG is made once for n and d and then solves without allocating memory that
// grows with either. Sums run over fixed pieces of rows in order: the result has
// the same bits for any number of threads. Iterations, residual and bytes come
// back as data. From the start zero the quadratic form X'(A X)/2 - X'B falls in
// every iteration, so that a solve that was cut short is still an improvement.
package solve
