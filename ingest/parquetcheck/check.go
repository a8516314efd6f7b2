package parquetcheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits bound what a file may ask for. Fields that are 0 take the default.
type Limits struct {
	// Footer bounds the footer, in bytes (256 MiB).
	Footer int64
	// Page bounds a page once decompressed, in bytes (1 GiB).
	Page int64
}

const magic = "PAR1"

// codecs that the reader knows, by their numbers.
var codecs = map[int64]string{0: "", 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "LZ4_RAW"}

var unknownCodecs = map[int64]string{3: "LZO", 5: "LZ4"}

// ErrUnsupported is in errors about files that may be whole but that the reader cannot
// read.
var ErrUnsupported = errors.New("not supported")

// Check checks a file of size bytes. Its errors say what is wrong, not which
// file it is.
func Check(r io.ReaderAt, size int64, lim Limits) error {
	if lim.Footer == 0 {
		lim.Footer = 256 << 20
	}
	if lim.Page == 0 {
		lim.Page = 1 << 30
	}
	f, end, err := readFooter(r, size, lim)
	if err != nil {
		return err
	}
	leaves, err := f.leaves()
	if err != nil {
		return err
	}
	rows := int64(0)
	for i, g := range f.groups {
		if g.rows < 0 || g.rows > f.rows {
			return fmt.Errorf("row group %d says it has %d rows", i, g.rows)
		}
		rows += g.rows
		if len(g.chunks) != len(leaves) {
			return fmt.Errorf("row group %d has %d columns, the schema %d", i, len(g.chunks), len(leaves))
		}
		for k, c := range g.chunks {
			if g.rows == 0 && c.values == 0 {
				continue // nobody reads it; writers give it no place
			}
			p := pages{r: r, leaf: leaves[k], chunk: c, lim: lim}
			if err := p.check(g.rows, end); err != nil {
				return fmt.Errorf("row group %d, column %q: %w", i, leaves[k].name, err)
			}
		}
	}
	if rows != f.rows {
		return fmt.Errorf("the row groups have %d rows, the file says %d", rows, f.rows)
	}
	return nil
}

// readFooter returns the footer and where it starts.
func readFooter(r io.ReaderAt, size int64, lim Limits) (*footer, int64, error) {
	const tail = 8
	if size < int64(len(magic))+tail {
		return nil, 0, fmt.Errorf("it has only %d bytes", size)
	}
	b := make([]byte, tail)
	if _, err := r.ReadAt(b, size-tail); err != nil {
		return nil, 0, err
	}
	switch string(b[4:]) {
	case magic:
	case "PARE":
		return nil, 0, fmt.Errorf("it is encrypted, which is %w", ErrUnsupported)
	default:
		return nil, 0, fmt.Errorf("it does not end with its footer")
	}
	n := int64(binary.LittleEndian.Uint32(b))
	end := size - tail - n
	if n > lim.Footer || end < int64(len(magic)) {
		return nil, 0, fmt.Errorf("its footer says it has %d bytes", n)
	}
	b = make([]byte, n)
	if _, err := r.ReadAt(b, end); err != nil {
		return nil, 0, err
	}
	f, err := parseFooter(b)
	if err != nil {
		return nil, 0, fmt.Errorf("its footer is damaged: %w", err)
	}
	return f, end, nil
}
