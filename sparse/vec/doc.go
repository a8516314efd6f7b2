// Package vec holds the dense vector types and kernels that everything else
// is built on: row-major matrices of float32 or float64 and the few loops over
// them that take most of the time. It imports nothing but the standard
// library.
package vec
