package ingest

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"io"
	"strconv"
)

// csvSink writes CSV: the columns of a map, with the embedding's elements as
// embedding_0, embedding_1, ... Numbers are in the shortest form that reads back
// the same. A null is an empty field.
type csvSink struct {
	gz    *gzip.Writer
	buf   *bufio.Writer
	csv   *csv.Writer
	begun bool
}

func newCSVSink(w io.Writer, gzipped bool) *csvSink {
	s := &csvSink{}
	if gzipped {
		s.gz = gzip.NewWriter(w)
		w = s.gz
	}
	s.buf = bufio.NewWriterSize(w, 1<<16)
	s.csv = csv.NewWriter(s.buf)
	return s
}

func (s *csvSink) write(o *Output) error {
	left, err := o.before()
	if err != nil {
		return err
	}
	right, err := o.after()
	if err != nil {
		return err
	}
	if !s.begun {
		s.begun = true
		if err := s.csv.Write(csvHeader(left, o.Embedding.Cols, right)); err != nil {
			return err
		}
	}
	row := make([]string, 0, len(left)+o.Embedding.Cols+len(right))
	for i := range o.Len() {
		row = row[:0]
		for _, c := range left {
			row = append(row, c.Text(i))
		}
		for _, v := range o.Embedding.Row(i) {
			row = append(row, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		for _, c := range right {
			row = append(row, c.Text(i))
		}
		if err := s.csv.Write(row); err != nil {
			return err
		}
	}
	return nil
}

func csvHeader(left []Column, dims int, right []Column) []string {
	var names []string
	for _, c := range left {
		names = append(names, c.Name())
	}
	for k := range dims {
		names = append(names, EmbeddingName+"_"+strconv.Itoa(k))
	}
	for _, c := range right {
		names = append(names, c.Name())
	}
	return names
}

func (s *csvSink) finish() error {
	s.csv.Flush()
	if err := s.csv.Error(); err != nil {
		return err
	}
	if err := s.buf.Flush(); err != nil {
		return err
	}
	if s.gz != nil {
		return s.gz.Close()
	}
	return nil
}
