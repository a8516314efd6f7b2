package cli

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"unfold/internal/vec"
)

// aside keeps vectors in a file while memory is short: a report compares the map with its
// input, which nothing needs while the map is learnt.
type aside struct {
	file       *os.File
	rows, cols int
}

// asideBlock is how many values are written or read at a time.
const asideBlock = 1 << 18

// setAside writes x to a file without a name in dir.
func setAside(dir string, x vec.Matrix[float32]) (*aside, error) {
	f, err := os.CreateTemp(dir, ".unfold-*.tmp")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // where open files keep their name, close removes it
	a := &aside{f, x.Rows, x.Cols}
	var buf []byte
	for rest := x.Data[:x.Rows*x.Cols]; len(rest) > 0; {
		n := min(len(rest), asideBlock)
		if buf, err = binary.Append(buf[:0], binary.NativeEndian, rest[:n]); err == nil {
			_, err = f.Write(buf)
		}
		if err != nil {
			a.close()
			return nil, fmt.Errorf("%s: %w", filepath.Dir(f.Name()), errors.Unwrap(err))
		}
		rest = rest[n:]
	}
	return a, nil
}

// fetch reads the vectors back.
func (a *aside) fetch() (vec.Matrix[float32], error) {
	x := vec.New[float32](a.rows, a.cols)
	if _, err := a.file.Seek(0, io.SeekStart); err != nil {
		return x, err
	}
	buf := make([]byte, 4*asideBlock)
	for rest := x.Data; len(rest) > 0; {
		n := min(len(rest), asideBlock)
		if _, err := io.ReadFull(a.file, buf[:4*n]); err != nil {
			return x, fmt.Errorf("vectors that were set aside: %w", err)
		}
		if _, err := binary.Decode(buf[:4*n], binary.NativeEndian, rest[:n]); err != nil {
			return x, err
		}
		rest = rest[n:]
	}
	return x, nil
}

// close lets the file go.
func (a *aside) close() {
	_ = a.file.Close()
	_ = os.Remove(a.file.Name())
}
