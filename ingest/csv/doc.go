// Package csv reads separated text as tables.
//
// Properties that are not set are guessed from the text: the encoding (byte order mark), the
// separator, whether the first record contains names, and the type of each column, which is the
// type of most of its values. Options set any of them. Types are fixed from the first table on. A
// value that does not fit its column is an error with its row and line.
package csv
