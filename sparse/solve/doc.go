// Package solve solves symmetric, diagonally dominant systems
//
//	(Lap(W) + Gamma) X = B,   Lap(W) = diag(W 1) - W,
//
// with W >= 0 symmetric and sparse, Gamma >= 0 diagonal, and several right-hand
// sides at once: the linear algebra of eq 20 of Saul 2020.
//
// # Method
//
// Preconditioned conjugate gradients, one recurrence a column, all columns in one
// sweep over the matrix. X and B are n x d row-major, so that the d values of a
// point lie together and an entry of W is read once for all of them.
//
// The systems of EM are mostly so dominated by their diagonal that the diagonal is
// the best preconditioner: nothing else is worth its own cost. Its iteration has
// two passes over memory, the product and one that updates x, r and p together
// (Meurant 1987; see jacobi). Where the diagonal takes many iterations, Auto
// turns to multigrid.
//
// # Multigrid
//
// A Hierarchy groups strong neighbours (aggregation: Vanek, Mandel and Brezina
// 1996) and solves for the groups what is too smooth for the diagonal,
//
//	M = 1/D + P B P',   B an approximate inverse of P'(Lap(W) + Gamma)P,
//
// with P_ia = 1 where point i is in group a. The coarse matrix is a Laplacian and a
// diagonal again. On the finest level, where a product with the matrix costs most,
// the two parts are simply added: a cycle that smooths there as well takes about
// 0.6 of the iterations, each with three products instead of one. B is a W-cycle
// with one damped Jacobi step before and one after; the last level is factorised.
// Points with a Gamma above twice their weights are left to the diagonal.
// M is symmetric and positive definite by construction, and nothing in it is
// random or depends on the number of threads.
//
// # A sequence of systems
//
// A CG keeps its hierarchy for the next system, with stale values, until a solve
// takes more than 1.25 times the iterations (and 3) of the first; then it is made anew.
// Auto begins with the diagonal; after 80 iterations it makes a hierarchy, goes on
// with it from where it is, and keeps to it in the next solves, unless 15
// iterations are enough for one. All of this follows from counts, never from a
// clock. Solving for the increment, or passing the last one as the start, is up
// to the caller.
//
// # Where it stops
//
// A column has converged when its residual has fallen to Tolerance times its
// residual at the start. With a start near the solution that is much less than
// Tolerance times the right-hand side; measuring against the right-hand side
// instead would accept such a start unchanged. EM therefore solves for the
// increment (start zero), whose right-hand side is the gradient.
//
// # Singular systems
//
// Without Gamma in a component, Lap(W) is singular: constants on the component are
// in its null space, and a right-hand side can be met only if it sums to zero
// there. What does not is taken out before the first iteration and reported
// as Unreachable; of the solutions, some one is found.
//
// # Contract
//
// A CG is made once for n and d. No iteration allocates memory; a solve does only
// if it makes a hierarchy or finds a null space. Sums run over fixed pieces of
// rows in order: the result has the same bits for any number of threads.
// Iterations, residual, times and bytes come back as data. From the start zero the
// quadratic form X'(A X)/2 - X'B falls in every iteration, so that a solve that
// was cut short is still an improvement.
package solve
