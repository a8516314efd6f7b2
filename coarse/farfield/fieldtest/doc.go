// Package fieldtest holds what every implementation of farfield.Field has to
// fulfil: Run checks one on the Layouts, maps that are easy to get wrong. Forces,
// Exact and Error measure how well a field's sums agree with those over all
// pairs, and Blobs makes large maps of uneven density to measure on.
package fieldtest
