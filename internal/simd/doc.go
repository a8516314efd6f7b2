// Package simd says which vector instructions this processor has, so that kernels
// written in assembly can be chosen once, when the program starts.
//
// Every such kernel has a plain Go twin that any machine can run. The build tag
// noasm leaves only the twins.
package simd
