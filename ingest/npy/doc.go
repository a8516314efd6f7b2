// Package npy reads NumPy's arrays: .npy files, and one array of an .npz archive. An
// array may be stored by rows or by columns, in either byte order, of floats, integers,
// booleans or texts. Pickled objects are refused.
package npy
