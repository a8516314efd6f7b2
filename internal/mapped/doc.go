// Package mapped keeps vectors and neighbour lists in a memory-mapped file, so that they use memory
// only while they are accessed.
//
//	New            a matrix in a file without a name
//	NewLists       numbers and values in one
//	Rows.Release   lets go of the memory that they take at present
//	Rows.Close     lets go of the file, and what lies in it
//	BoundSpace     limits the process's address space, beside such files
//
// All blocks of the file are allocated at once, so that a full disk is an error there and never a
// fault on a later write. The file has no name, so nobody else can shorten it. On systems other
// than Linux, New and NewLists return errors.ErrUnsupported.
package mapped
