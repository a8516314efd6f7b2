package emit

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"slices"

	"unfold/ingest/table"
)

// jsonSink writes JSON lines: an object a row, with the columns of a map under their names.
type jsonSink struct {
	gz    *gzip.Writer
	buf   *bufio.Writer
	names []string // of the columns, once there are some
}

func newJSONSink(w io.Writer, gzipped bool) *jsonSink {
	s := &jsonSink{}
	if gzipped {
		s.gz = gzip.NewWriter(w)
		w = s.gz
	}
	s.buf = bufio.NewWriterSize(w, 1<<16)
	return s
}

func (s *jsonSink) write(o *Output) error {
	t, err := o.table(fixedLayout)
	if err != nil {
		return err
	}
	names := t.Names()
	if s.names == nil {
		s.names = names
	}
	if !slices.Equal(names, s.names) {
		return fmt.Errorf("the columns change between batches: %s, before %s", table.List(names), table.List(s.names))
	}
	lines, err := JSON{lines: true}.Encode(o)
	if err != nil {
		return err
	}
	_, err = s.buf.Write(lines)
	return err
}

func (s *jsonSink) finish() error {
	if err := s.buf.Flush(); err != nil {
		return err
	}
	if s.gz != nil {
		return s.gz.Close()
	}
	return nil
}
