// Package csv reads separated text as tables.
//
// What a text leaves open is found out by a first look at it: the encoding (byte order
// mark), the separator, whether the first record holds names, and the type of each
// column, which is that of most of its values. Options set any of them. Types are held
// from the first table on; a value that does not fit its column is an error with its row
// and line.
package csv
