// Package gallery makes matrices, graphs and point sets for tests, examples and benchmarks.
// Everything is a function of its arguments; random ones take a seed (PCG of math/rand/v2).
//
//	Matrices     Poisson1D, Poisson2D, PathLaplacian, GridLaplacian
//	Graphs       RandomGeometric
//	Systems      Systems: graphs with a diagonal, for solvers
//	Point sets   SwissRoll, Blobs, Uniform, Circle
//
// Closed forms are documented where they exist: the eigenvalues of the grids are known exactly, and
// the swiss roll also returns its two intrinsic coordinates.
package gallery
