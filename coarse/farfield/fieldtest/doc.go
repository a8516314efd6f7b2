// Package fieldtest has the conformance tests of farfield.Field. Run tests an implementation on the
// Layouts, maps that are easy to get wrong. Forces, Exact and Error measure the error of a field's
// sums against the sums over all pairs, and Blobs makes large maps of uneven density.
package fieldtest
