// Package arrays makes Arrow arrays from untrusted bytes safe to use.
//
// Arrow's decoder does not look at values: a wrong offset or index panics when the value
// is read. Validate functions check an array to its last value. A Plainer turns views and
// run-end encoded arrays into the plain arrays of the same values, which all code behind
// it expects. An Allocator bounds what decoding may take, and Recovered turns the
// library's panics into errors.
package arrays
