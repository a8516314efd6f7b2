package mapped

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"unfold/internal/vec"
)

// Rows is the mapped memory of a matrix or of lists.
type Rows struct {
	file *os.File
	data []byte
}

// New returns a matrix of zeros in a file in dir, and the Rows to release it. rows and cols must be
// positive.
func New(dir string, rows, cols int) (*Rows, vec.Matrix[float32], error) {
	if rows < 1 || cols < 1 {
		return nil, vec.Matrix[float32]{}, fmt.Errorf("mapped: %d x %d values: want at least one", rows, cols)
	}
	r, err := open(dir, 4*int64(rows)*int64(cols))
	if err != nil {
		return nil, vec.Matrix[float32]{}, err
	}
	return r, vec.Of(rows, cols, unsafe.Slice((*float32)(unsafe.Pointer(&r.data[0])), rows*cols)), nil
}

// NewLists returns two slices of count zeros in a file in dir, for the numbers and values of lists,
// and the Rows to release them. count must be positive.
func NewLists(dir string, count int) (r *Rows, index []int32, value []float64, err error) {
	if count < 1 {
		return nil, nil, nil, fmt.Errorf("mapped: %d entries: want at least one", count)
	}
	if r, err = open(dir, 12*int64(count)); err != nil {
		return nil, nil, nil, err
	}
	value = unsafe.Slice((*float64)(unsafe.Pointer(&r.data[0])), count)
	return r, unsafe.Slice((*int32)(unsafe.Pointer(&r.data[8*count])), count), value, nil
}

// open maps a new file of zeros in dir.
func open(dir string, size int64) (*Rows, error) {
	f, err := os.CreateTemp(dir, ".unfold-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("mapped: %w", err)
	}
	r := &Rows{file: f}
	if err := os.Remove(f.Name()); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("mapped: %w", err)
	}
	if err := syscall.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("mapped: %d bytes in %s: %w", size, dir, err)
	}
	if err := extendSpace(size); err != nil {
		_ = r.Close()
		return nil, err
	}
	if r.data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
		_ = errors.Join(extendSpace(-size), r.Close())
		return nil, fmt.Errorf("mapped: %d bytes of %s: %w", size, dir, err)
	}
	return r, nil
}

// Release frees the physical memory of the matrix or lists. The next access reads from the file or
// the system's page cache.
func (r *Rows) Release() error {
	if err := syscall.Madvise(r.data, syscall.MADV_DONTNEED); err != nil {
		return fmt.Errorf("mapped: %w", err)
	}
	return nil
}

// Close unmaps and removes the file. The matrix or lists must not be used any more.
func (r *Rows) Close() error {
	var err error
	if r.data != nil {
		if err = syscall.Munmap(r.data); err == nil {
			err = extendSpace(-int64(len(r.data)))
		}
		r.data = nil
	}
	if closed := r.file.Close(); err == nil {
		err = closed
	}
	return err
}
