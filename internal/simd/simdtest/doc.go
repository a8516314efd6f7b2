// Package simdtest helps to test kernels in assembly: slices beyond whose end
// nothing can be read or written, values that are easy to get wrong, and exact ones.
package simdtest
