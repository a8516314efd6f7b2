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
// The diagonal dominates most systems of EM so strongly that it is the best preconditioner. Its
// iteration has two passes over memory: the product, and one that updates x, r and p together
// (Meurant 1987; see jacobi). If the diagonal takes many iterations, Auto changes to a Factor.
// Prefetching rows of neighbours in the product gained nothing.
//
// # Mixed precision
//
// With the diagonal, two columns and a tolerance below 1e-3, iterations run in single precision on
// a copy of the matrix. The copy is scaled to a unit diagonal and laid out for vector instructions
// (see sliced), which halves the bytes and gathers a pair of columns as one word. The solution is
// accumulated in double precision. Its residual is recomputed in double precision whenever it has
// fallen by a factor, and at the end (reliable updates: Sleijpen and van der Vorst 1996; Clark et
// al. 2010). For systems of EM to 1e-8 this takes the same iterations as double precision, and .4
// of the processor time; with weights that span decades, up to half as many more iterations. If
// single precision stagnates, or the system is singular, a round in double precision finishes. The
// copy costs as much as five iterations save, so loose solves do not use it.
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
// the factorisation .8 of the time. docs/decisions/solvers.md describes multigrid, which was
// rejected.
//
// # A sequence of systems
//
// A CG keeps its factor for the next systems, until the iterations beyond those with a new one add
// up to 30, which is about the cost of a factor. It is then made again, if necessary within a
// solve. Auto starts with the diagonal. After 250 iterations it makes a factor, continues with it
// from the current solution, and keeps it in the next solves, until one of them takes at most 8
// iterations. Systems of EM never reach that: they change so much that each would need a new
// factor. All of this depends on counts, never on a clock. The caller may solve for the increment
// or pass the last one as the start.
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
// A CG is made once for n and d. Iterations allocate no memory; a solve does only if it makes a
// factor or finds a null space. Sums run over fixed pieces of rows in order, so the result has the
// same bits for any number of threads. Result has iterations, residual, times and bytes. From the
// start zero the quadratic form X'(A X)/2 - X'B falls in every iteration, so that a solve that is
// stopped early is still an improvement.
package solve
