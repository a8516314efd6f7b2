// Package dense reads the rows of one dense array of numbers, booleans or texts, which is
// what IDX and .npy files hold. A row of several numbers becomes the vector column
// "vector"; an array of one dimension becomes the plain column "value". Arrays that are
// stored by columns are transposed block by block.
package dense
