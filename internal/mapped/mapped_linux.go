package mapped

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"unfold/internal/vec"
)

// Rows is the memory of a matrix.
type Rows struct {
	file *os.File
	data []byte
}

// New returns a matrix of zeros in a file in dir, and what it lies in. Both must have rows
// and columns.
func New(dir string, rows, cols int) (*Rows, vec.Matrix[float32], error) {
	var x vec.Matrix[float32]
	if rows < 1 || cols < 1 {
		return nil, x, fmt.Errorf("mapped: %d x %d values: want at least one", rows, cols)
	}
	f, err := os.CreateTemp(dir, ".unfold-*.tmp")
	if err != nil {
		return nil, x, fmt.Errorf("mapped: %w", err)
	}
	r := &Rows{file: f}
	if err := os.Remove(f.Name()); err != nil {
		_ = r.Close()
		return nil, x, fmt.Errorf("mapped: %w", err)
	}
	size := 4 * int64(rows) * int64(cols)
	if err := syscall.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		_ = r.Close()
		return nil, x, fmt.Errorf("mapped: %d bytes in %s: %w", size, dir, err)
	}
	if r.data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED); err != nil {
		_ = r.Close()
		return nil, x, fmt.Errorf("mapped: %d bytes of %s: %w", size, dir, err)
	}
	x = vec.Matrix[float32]{Rows: rows, Cols: cols, Data: unsafe.Slice((*float32)(unsafe.Pointer(&r.data[0])), rows*cols)}
	return r, x, nil
}

// Release lets go of the memory that the matrix takes. What is read of it next comes from
// the file, or from what the system remembers of it.
func (r *Rows) Release() error {
	if err := syscall.Madvise(r.data, syscall.MADV_DONTNEED); err != nil {
		return fmt.Errorf("mapped: %w", err)
	}
	return nil
}

// Close lets go of the file. Nobody may use the matrix any longer.
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
