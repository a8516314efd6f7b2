package mapped

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"unfold/internal/vec"
)

// Rows is the memory of a matrix, or of lists.
type Rows struct {
	file *os.File
	data []byte
}

// New returns a matrix of zeros in a file in dir, and what it lies in. Both must have rows
// and columns.
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

// NewLists returns count entries of lists, zeros, in a file in dir: a number and a value each, and
// what they lie in. There must be some.
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
	if r.data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
		_ = r.Close()
		return nil, fmt.Errorf("mapped: %d bytes of %s: %w", size, dir, err)
	}
	return r, nil
}

// Release lets go of the memory that matrix or lists take. What is read of it next comes from
// the file, or from what the system remembers of it.
func (r *Rows) Release() error {
	if err := syscall.Madvise(r.data, syscall.MADV_DONTNEED); err != nil {
		return fmt.Errorf("mapped: %w", err)
	}
	return nil
}

// Close lets go of the file. Nobody may use matrix or lists any longer.
func (r *Rows) Close() error {
	var err error
	if r.data != nil {
		err = syscall.Munmap(r.data)
		r.data = nil
	}
	if closed := r.file.Close(); err == nil {
		err = closed
	}
	return err
}
