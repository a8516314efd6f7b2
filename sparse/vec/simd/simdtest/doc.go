// Package simdtest helps to test kernels in assembly: slices beyond whose end
// nothing can be read or written, and values that are easy to get wrong.
package simdtest
