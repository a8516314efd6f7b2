// Package idx reads IDX files, the format of MNIST: two zero bytes, the element's type,
// the number of dimensions, the big-endian sizes, then the elements.
package idx
