package arrowipc

import "bytes"

// Known is a schema that has been checked, with the bytes that it stood in. Streams
// that begin with just these bytes need not have it checked again, which for streams
// of a few rows is most of the work.
type Known struct {
	bytes  []byte
	schema *schema
	lim    Limits
}

// Know checks the schema at the beginning of a stream.
func Know(stream []byte, lim Limits) (*Known, error) {
	s := NewBytesScanner(stream, lim)
	if _, err := s.Next(); err != nil {
		return nil, err
	}
	return &Known{bytes.Clone(stream[:s.at]), s.schema, s.lim}, nil
}

// Begins says whether a stream begins with the schema.
func (k *Known) Begins(stream []byte) bool { return bytes.HasPrefix(stream, k.bytes) }

// Bytes is how long the schema is.
func (k *Known) Bytes() int { return len(k.bytes) }

// Dictionaries says whether a column is encoded by a dictionary.
func (k *Known) Dictionaries() bool { return len(k.schema.dicts) > 0 }

// Scan returns a scanner of what comes after the schema in a stream that begins with
// it. Its frames have their nodes and buffers.
func (k *Known) Scan(stream []byte) *Scanner {
	at := len(k.bytes)
	s := &Scanner{src: &bytesSource{stream[at:]}, lim: k.lim, schema: k.schema, at: int64(at), found: &columns{
		nodes: make([]Node, 0, len(k.schema.fields)+4), buffers: make([][]byte, 0, 3*len(k.schema.fields)+4),
	}}
	if k.Dictionaries() {
		s.known = map[int64]bool{}
	}
	return s
}

// Ends says whether the stream has nothing after its end, which has been reached.
func (s *Scanner) Ends() bool {
	b, ok := s.src.(*bytesSource)
	return ok && s.done && len(b.b) == 0
}
