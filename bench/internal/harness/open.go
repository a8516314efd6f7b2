package harness

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Open opens a file of a data set, and decompresses it if its name ends in .gz.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || filepath.Ext(path) != ".gz" {
		return f, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}
