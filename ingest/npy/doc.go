// Package npy reads NumPy's arrays: .npy files, and one array of an .npz archive. An
// array may be stored by rows or by columns, in either byte order, of floats, integers,
// booleans or texts. Pickled objects are refused. An archive of scipy.sparse.save_npz is a sparse
// matrix (package matrix).
package npy
