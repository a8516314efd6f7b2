// Package arrays makes Arrow arrays that were decoded from untrusted bytes safe to use.
//
// Arrow's decoder does not check values, so a wrong offset or index panics only when the value is
// read. The Validate functions check all values of an array. A Plainer converts views and run-end
// encoded arrays to plain arrays of the same values, the only ones that later code supports. An
// Allocator bounds the memory of decoding, and Recovered turns the library's panics into errors.
package arrays
