// Package vec holds the dense vector types and kernels that everything else
// is built on: row-major matrices of float32 or float64 and the few loops over
// them that take most of the time. It imports nothing but the standard
// library.
//
// # Precision
//
// Events travel as float32; the model's own arithmetic is float64. Sums over
// float32 data (Dot, SquaredDistance, SquaredNorm) are accumulated in float64,
// one element after the other, so that a distance is one number: the same
// wherever, in whatever batch and on however many threads it is computed. In
// particular SquaredDistance is symmetric bit for bit, and zero only if the
// rows are equal or so close that their squares underflow.
//
// # Contract
//
// A Matrix is a view: copying the struct, Row and Slice share memory, Clone,
// Take, Convert and Transpose do not. The kernels do not allocate. Lengths
// that do not fit are mistakes of the caller and panic.
package vec
