package emit

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"slices"

	"unfold/ingest/table"
)

// textFile is the file of CSV and JSON lines, compressed or not. All batches must have the same
// columns.
type textFile struct {
	gz    *gzip.Writer
	buf   *bufio.Writer
	names []string // of the columns, once there are some
}

func newTextFile(w io.Writer, gzipped bool) textFile {
	f := textFile{}
	if gzipped {
		f.gz = gzip.NewWriter(w)
		w = f.gz
	}
	f.buf = bufio.NewWriterSize(w, 1<<16)
	return f
}

// begin reports whether this batch, with these columns, is the first.
func (f *textFile) begin(names []string) (first bool, err error) {
	if f.names == nil {
		f.names = names
		return true, nil
	}
	if !slices.Equal(names, f.names) {
		return false, fmt.Errorf("the columns change between batches: %s, before %s", table.List(names), table.List(f.names))
	}
	return false, nil
}

func (f *textFile) finish() error {
	if err := f.buf.Flush(); err != nil {
		return err
	}
	if f.gz != nil {
		return f.gz.Close()
	}
	return nil
}
