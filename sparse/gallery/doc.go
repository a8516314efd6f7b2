// Package gallery makes matrices, graphs and point sets for tests, examples
// and benchmarks. Everything is a function of its arguments; what is random
// takes a seed (PCG of math/rand/v2).
//
//	Matrices     Poisson1D, Poisson2D, PathLaplacian, GridLaplacian
//	Graphs       RandomGeometric
//	Systems      Systems: graphs with a diagonal, for solvers
//	Point sets   SwissRoll, Blobs, Uniform, Circle
//
// Those with closed forms say so: the eigenvalues of the grids are known
// exactly, the swiss roll comes with the two coordinates that it hides.
package gallery
