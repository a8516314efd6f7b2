// Package solve solves symmetric, diagonally dominant systems
//
//	(Lap(W) + Gamma) X = B,   Lap(W) = diag(W 1) - W,
//
// with W >= 0 symmetric and sparse, Gamma >= 0 diagonal, and several right-hand sides at once: the
// linear algebra of eq 20 of Saul 2020.
//
// # Method
//
// The method is preconditioned conjugate gradients with one recurrence for each column and all
// columns in one sweep over the matrix. X and B are n x d row-major, so that the d values of a
// point are adjacent and an entry of W is read once for all of them.
//
// The diagonal dominates the systems of EM so strongly that it is the best preconditioner. Its
// iteration has two passes over memory: the product, and one that updates x, r and p together
// (Meurant 1987; see jacobi). docs/decisions/solvers.md has the variants that were removed.
//
// # Loose solves
//
// EM only solves to a tenth of the residual, for which single precision suffices. If the caller
// stores its weights in single precision (Laplacian.Single), a solve for two or three columns to
// Loose or more uses them without a copy. This halves the bytes of the matrix and of the vectors,
// and takes .4 to .6 of the time of an iteration. The diagonal is rounded too, which changes Gamma
// by at most 6e-8 of the diagonal. Where Gamma is less than about 1e-5 of it for many points, the
// true residual exceeds that of the recurrence, which Result reports. Three cases use double
// precision: weights that are not Definite, a non-zero start, and diagonals near the ends of the
// number range.
//
// # Approximate Cholesky factorisation
//
// A Factor is the sparse L D L' of Kyng and Sachdeva (Approximate Gaussian elimination for
// Laplacians, 2016), as in Laplacians.jl. Eliminating a point would join all its neighbours with
// each other; a random tree of those edges with the right mean replaces them. The factor has hardly
// more entries than the matrix, the elimination order is by fewest edges, and trees are solved
// exactly. Gamma is an edge to a ground that is eliminated last, and is distributed exactly. L D L'
// is symmetric and semidefinite, singular only where Lap(W) + Gamma is. During the elimination edge
// weights are in single precision, since they are only added and multiplied. So the relative
// accuracy of every entry is that of single precision, the edges take two thirds of the memory, and
// the factorisation .8 of the time. Package spectral preconditions its eigensolver with a Factor.
//
// # Where it stops
//
// A column has converged when its residual has fallen to Tolerance times its residual at the start.
// With a start near the solution, that is much less than Tolerance times the right-hand side;
// comparing with the right-hand side would accept such a start unchanged. EM therefore solves for
// the increment (start zero), whose right-hand side is the gradient.
//
// # Singular systems
//
// Without Gamma in a component, Lap(W) is singular: constants on the component are in its null
// space, and a right-hand side has a solution only if it sums to zero there. The rest is removed
// before the first iteration and reported as Unreachable. Of the solutions, an arbitrary one is
// found.
//
// # Contract
//
// A CG is made once for n and d. A solve allocates memory only if it finds a null space, or if
// single precision does not suffice. Sums run over fixed pieces of rows in order, so the result has
// the same bits for any number of threads. Result has iterations, residual, time and bytes. From
// the start zero the quadratic form X'(A X)/2 - X'B falls in every iteration, so that a solve that
// is stopped early is still an improvement.
package solve
