// Package mapped keeps vectors, and lists of neighbours, in a file that is mapped into memory,
// so that they take memory only while they are used.
//
//	New            a matrix in a file without a name
//	NewLists       numbers and values in one
//	Rows.Release   lets go of the memory that they take at present
//	Rows.Close     lets go of the file, and what lies in it
//
// The file has its blocks from the beginning: a full disk is an error then, and never a
// fault where a value is written. Nobody else can shorten the file, since it has no name.
// Systems other than Linux have no such files: New and NewLists say errors.ErrUnsupported.
package mapped
