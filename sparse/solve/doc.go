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
// turns to a Factor. In the product, fetching the rows of neighbours to come ahead
// of their use saved nothing.
//
// # Mixed precision
//
// With the diagonal, two columns and a tolerance below 1e-3, iterations run in single
// precision on a copy of the matrix, scaled to a diagonal of ones and laid out for
// vector instructions (see sliced), which moves half the bytes and gathers a pair of
// columns as one word. The solution is summed up in double precision, and the residual
// is computed from it in double precision whenever it has fallen by a factor, and at
// the end (reliable updates: Sleijpen and van der Vorst 1996; Clark et al. 2010). For
// systems of EM to 1e-8 that takes the same iterations as double precision, and .4 of
// the processor's time; with weights that span decades, up to half as many more
// iterations. Where single precision does not get on, and for singular systems, a
// round in double precision does the rest. The copy costs what five iterations save:
// loose solves do without.
//
// # Loose solves
//
// To a tenth of the residual, as EM solves, a matrix and vectors in single precision are enough.
// If the caller keeps its weights in single precision (Laplacian.Single), a solve for two or three columns
// to Loose or more works on them as they are. That is half the bytes of the matrix and of the
// vectors, and .4 to .6 of the time of an iteration. The diagonal is rounded, too, which changes
// Gamma by at most 6e-8 of the diagonal. Where Gamma is less than some 1e-5 of it for many points,
// the true residual is larger than that of the recurrence, which is what a Result has. Three things are
// left to double precision: weights that are not Definite, a start that is not zero, and diagonals near
// the ends of the number range.
//
// # Approximate Cholesky factorisation
//
// A Factor is the sparse L D L' of Kyng and Sachdeva (Approximate Gaussian
// elimination for Laplacians, 2016), as Laplacians.jl does it: eliminating a point
// joins all its neighbours with each other; a tree of those edges, drawn so that
// their mean is right, takes their place. The factor has hardly more entries than
// the matrix, the order is that of the fewest edges, and trees are solved exactly.
// Gamma is an edge to a ground that is eliminated last, and is not drawn but
// shared out exactly. L D L' is symmetric and semidefinite, singular only where
// Lap(W) + Gamma is. Weights of edges are kept in single precision while points are
// eliminated, which only adds them up and multiplies them: so the relative accuracy of
// every entry is that of single precision, the edges take two thirds of the memory,
// and a factor is made in .8 of the time. Multigrid was tried, too:
// docs/decisions/solvers.md.
//
// # A sequence of systems
//
// A CG keeps its factor for the next systems, with stale values, until the
// iterations that they took beyond those of a new one add up to 30, about what a
// factor costs; then, if need be within a solve, it is made again. Auto begins with
// the diagonal; after 250 iterations it makes a factor, goes on with it from
// where it is, and keeps to it in the next solves, unless 8 iterations are enough
// for one. The systems of EM never come to that: they change so much from one to
// the next that a factor would have to be made for each. All of this follows from
// counts, never from a clock. Solving for the increment, or passing the last one
// as the start, is up to the caller.
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
// if it makes a factor or finds a null space. Sums run over fixed pieces of
// rows in order: the result has the same bits for any number of threads.
// Iterations, residual, times and bytes come back as data. From the start zero the
// quadratic form X'(A X)/2 - X'B falls in every iteration, so that a solve that
// was cut short is still an improvement.
package solve
