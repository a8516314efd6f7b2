package parquetcheck

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits bound the memory that a file may request. Fields that are 0 take the default.
type Limits struct {
	// Footer bounds the footer, in bytes (256 MiB).
	Footer int64
	// Page bounds a page once decompressed, in bytes (1 GiB).
	Page int64
}

const magic = "PAR1"

// codecs are the numbers of those that the reader knows: none, Snappy, gzip, Brotli, LZ4, Zstandard and LZ4_RAW.
var codecs = []int64{0, 1, 2, 4, 5, 6, 7}

var unknownCodecs = map[int64]string{3: "LZO"}

// ErrUnsupported marks errors about files that may be valid but that the reader does not support.
var ErrUnsupported = errors.New("not supported")

// File is a file whose footer has been checked.
type File struct {
	r      io.ReaderAt
	footer *footer
	leaves []leaf
	end    int64 // where the footer starts
	lim    Limits
}

// Open checks the footer of a file of size bytes. Errors describe the fault without the name of the
// file.
func Open(r io.ReaderAt, size int64, lim Limits) (*File, error) {
	if lim.Footer == 0 {
		lim.Footer = 256 << 20
	}
	if lim.Page == 0 {
		lim.Page = 1 << 30
	}
	f, end, err := readFooter(r, size, lim)
	if err != nil {
		return nil, err
	}
	leaves, err := f.leaves()
	if err != nil {
		return nil, err
	}
	rows := int64(0)
	for i, g := range f.groups {
		if rows += g.rows; g.rows < 0 || rows < 0 {
			return nil, fmt.Errorf("row group %d says it has %d rows", i, g.rows)
		}
		if len(g.chunks) != len(leaves) {
			return nil, fmt.Errorf("row group %d has %d columns, the schema %d", i, len(g.chunks), len(leaves))
		}
	}
	return &File{r, f, leaves, end, lim}, nil
}

// Supported returns why a column, which is given by its number among those that have values,
// cannot be read though it may be whole: it is encrypted, or compressed by an unknown algorithm.
func (f *File) Supported(leaf int, groups []int) error {
	for _, i := range groups {
		switch c := f.footer.groups[i].chunks[leaf]; {
		case c.encrypted:
			return fmt.Errorf("it is encrypted, which is %w", ErrUnsupported)
		case unknownCodecs[c.codec] != "":
			return fmt.Errorf("its compression, %s, is %w: write snappy, gzip, zstd, brotli, LZ4_RAW or none", unknownCodecs[c.codec], ErrUnsupported)
		}
	}
	return nil
}

// Column checks the pages of a column, which is given as for Supported, in the given row groups.
func (f *File) Column(leaf int, groups []int) error {
	for _, i := range groups {
		g := f.footer.groups[i]
		c := g.chunks[leaf]
		if g.rows == 0 && c.values == 0 {
			continue // nobody reads it; writers give it no place
		}
		p := pages{r: f.r, leaf: f.leaves[leaf], chunk: c, lim: f.lim, flaws: f.footer.flaws}
		if err := p.check(g.rows, f.end); err != nil {
			return fmt.Errorf("row group %d, column %q: %w", i, f.leaves[leaf].name, err)
		}
	}
	return nil
}

// TakeFooter returns the footer without annotations that are not known, such as those of a later
// version of the format, and releases it: it is returned once.
func (f *File) TakeFooter() []byte {
	b := f.footer.bytes
	f.footer.bytes = nil
	return b
}

// MaxPage is the most bytes that a page may take decompressed.
func (f *File) MaxPage() int64 { return f.lim.Page }

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
		return nil, 0, fmt.Errorf("this is an encrypted Parquet file, which is %w: write it without encryption", ErrUnsupported)
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
