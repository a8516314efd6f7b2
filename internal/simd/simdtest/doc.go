// Package simdtest helps to test kernels in assembly, with slices at the end of accessible memory,
// difficult values, and exact exponentials.
package simdtest
