// Package npy reads NumPy's arrays: .npy files, and one array of an .npz archive. An array may be
// stored by rows or by columns, in either byte order, and contain floats, integers, booleans or
// strings. Pickled objects are rejected. An archive written by scipy.sparse.save_npz is read as a
// sparse matrix (package matrix).
package npy
