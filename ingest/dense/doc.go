// Package dense reads the rows of one dense array of numbers, booleans or strings, the content of
// IDX and .npy files. A row of several numbers becomes the vector column "vector"; an array of one
// dimension becomes the plain column "value". Arrays stored by columns are transposed in blocks.
package dense
