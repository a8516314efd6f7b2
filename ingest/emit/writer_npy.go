package emit

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
)

// npySink writes only the embedding, as a float32 array n x d. The header has a fixed length and is
// completed once the number of rows is known.
type npySink struct {
	w    target
	rows int64
	dims int
	raw  []byte
}

// npyHeaderLen is a multiple of 64 with room for every shape.
const npyHeaderLen = 128

func (s *npySink) write(o *Output) error {
	if s.rows == 0 {
		s.dims = o.Embedding.Cols
		if err := s.header(); err != nil {
			return err
		}
	}
	s.rows += int64(o.Len())
	s.raw = s.raw[:0]
	for _, v := range o.Embedding.Data {
		s.raw = binary.LittleEndian.AppendUint32(s.raw, math.Float32bits(v))
	}
	_, err := s.w.Write(s.raw)
	return err
}

func (s *npySink) header() error {
	dict := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", s.rows, s.dims)
	const start = 10
	text := dict + strings.Repeat(" ", npyHeaderLen-start-len(dict)-1) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(text)))
	_, err := s.w.Write(append(b, text...))
	return err
}

func (s *npySink) finish() error {
	if _, err := s.w.(io.Seeker).Seek(0, io.SeekStart); err != nil {
		return err
	}
	return s.header()
}
