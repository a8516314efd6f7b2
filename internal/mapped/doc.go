// Package mapped keeps vectors in a file that is mapped into memory, so that they take
// memory only while they are used.
//
//	New            a matrix in a file without a name
//	Rows.Release   lets go of the memory that it takes at present
//	Rows.Close     lets go of the file, and the matrix with it
//
// The file has its blocks from the beginning: a full disk is an error of New, and never a
// fault where a value is written. Nobody else can shorten the file, since it has no name.
// Systems other than Linux have no such matrix: New says errors.ErrUnsupported.
package mapped
