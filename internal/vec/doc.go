// Package vec has the dense vector types and kernels that everything else is built on: row-major
// matrices of float32 or float64 and the few loops over them that take most of the time. It imports
// only the standard library.
//
// # Precision
//
// Events are float32; the model's own arithmetic is float64. Sums over float32 data (Dot,
// SquaredDistance, SquaredNorm) are accumulated in float64 in order. So a distance is the same
// number in any place, batch and number of threads. In particular SquaredDistance is symmetric bit
// for bit, and zero only if the rows are equal or so close that their squares underflow.
//
// # Contract
//
// A Matrix is a view: copying the struct, Row and Slice share memory; Clone, Take, Convert and
// Transpose do not. The kernels do not allocate. Mismatched lengths are errors of the caller and
// panic.
package vec
