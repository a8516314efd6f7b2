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
// preconditioner is an approximate Cholesky factorisation (solve.Factor), since the
// lowest vectors of a large neighbourhood graph are far too smooth for the
// diagonal. Iterations of conjugate gradients around it save iterations of LOBPCG,
// but not time. The constant vector, whose eigenvalue is 0, is projected out
// throughout; the graph must be connected for the rest to be what is wanted.
//
// With S = [X W P], the vectors, preconditioned residuals and changes, an iteration
// applies the factor once, multiplies by L once (W alone: L X and L P are the
// combinations that X and P are, formed again near the limit of rounding), and passes
// over S and L S twice: for S'S and S'L S, and for the new X, P and residuals, both with
// vector instructions for the four columns of a picture. The
// small generalised problem is whitened, which drops directions that are lost in
// rounding (Duersch, Shao, Yang and Gu 2018 discuss why that is needed).
//
// # A whole factor
//
// With Settings.Exact, where few points separate the graph, a whole factor is formed of L and a little
// more on its diagonal (package multifrontal), and the inverse iterated by Lanczos's method in blocks,
// every vector orthogonal to all before (Grimes, Lewis and Simon, SIAM Journal on Matrix Analysis
// and Applications 15, 1994). Small eigenvalues are the largest there, and far apart: ten iterations
// or so do, however close to rounding the values are, and L need not be that of positive weights.
//
// # Masses
//
// With masses, R^2 = diag(Masses), the matrix that is iterated is A = R^-1 L R^-1, whose
// eigenvectors are R v and whose kernel is spanned by R 1. It is preconditioned by R F^-1 R,
// F being the factorisation of L.
//
// # Contract
//
// Vectors have unit norm, and the entry of largest magnitude (the first of equal
// ones) is positive. The result depends on the matrix, the settings and the
// seed, not on the number of threads. Iterations and the residual
// |L v - lambda v| / lambda come back as data; a start for learning needs no
// more than 1%. Where a tolerance asks for more than rounding allows, the iteration
// ends once residuals within 256 units of rounding of L have not been halved in 10
// iterations, with the best vectors that there were, and says so (Result.Rounding).
package spectral
