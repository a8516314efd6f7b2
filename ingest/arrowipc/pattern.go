package arrowipc

import (
	"bytes"
	"encoding/binary"
)

// A Pattern writes uncompressed streams of one batch that differ from a given stream only in the
// number of rows and in the values.
type Pattern struct {
	// head holds all bytes before the batch's body, including the metadata of the last message.
	// rows, length (of the body), nodes and buffers are the positions in head where these numbers
	// are stored.
	head                         []byte
	rows, length, nodes, buffers int
	nnodes, nbuffers             int
}

// end is the end of a stream.
var end = [8]byte{0xFF, 0xFF, 0xFF, 0xFF}

// NewPattern makes a pattern from a stream of one batch with at least one row.
func NewPattern(stream []byte) (*Pattern, error) {
	s, err := Check(stream, Limits{})
	if err != nil {
		return nil, err
	}
	if len(s.Frames) != 1 {
		return nil, badf("a pattern needs one batch")
	}
	f := s.Frames[0]
	if f.Kind != Record || f.Compressed || len(f.Body) == 0 || f.Rows == 0 {
		return nil, badf("a pattern needs a batch of rows that is not compressed")
	}
	meta := int(f.At) + 8
	p := &Pattern{head: bytes.Clone(stream[:meta+len(f.Meta)]), nnodes: len(f.Nodes), nbuffers: len(f.Buffers)}
	return p, p.find(f.Meta, meta)
}

// find finds the positions of the numbers in the metadata, which begins at from.
func (p *Pattern) find(meta []byte, from int) error {
	message, err := buffer(meta).root()
	if err != nil {
		return err
	}
	batch, ok, err := message.child(2)
	if err != nil || !ok {
		return err
	}
	length, err1 := message.field(3, 8)
	rows, err2 := batch.field(0, 8)
	nodes, nnodes, err3 := batch.vector(1, 16)
	buffers, nbuffers, err4 := batch.vector(2, 16)
	for _, err := range []error{err1, err2, err3, err4} {
		if err != nil {
			return err
		}
	}
	if length == 0 || rows == 0 || int(nnodes) != p.nnodes || int(nbuffers) != p.nbuffers {
		return badf("a pattern's numbers are not all there")
	}
	p.length, p.rows, p.nodes, p.buffers = from+int(length), from+int(rows), from+int(nodes), from+int(buffers)
	return nil
}

// aligned rounds n up to a multiple of 8, the alignment of buffers in a body.
func aligned(n int) int { return (n + 7) &^ 7 }

// Write returns a stream with this number of rows, at least one. Nodes and buffers are in the order
// of the schema. If their numbers differ from the pattern's, Write returns false.
func (p *Pattern) Write(rows int, nodes []Node, buffers [][]byte) ([]byte, bool) {
	body := 0
	for _, b := range buffers {
		body += aligned(len(b))
	}
	if rows == 0 || body == 0 || len(nodes) != p.nnodes || len(buffers) != p.nbuffers {
		return nil, false
	}
	le := binary.LittleEndian
	out := make([]byte, len(p.head)+body+len(end))
	copy(out, p.head)
	le.PutUint64(out[p.rows:], uint64(rows))
	le.PutUint64(out[p.length:], uint64(body))
	for i, n := range nodes {
		le.PutUint64(out[p.nodes+16*i:], uint64(n.Len))
		le.PutUint64(out[p.nodes+16*i+8:], uint64(n.Nulls))
	}
	at := 0
	for i, b := range buffers {
		le.PutUint64(out[p.buffers+16*i:], uint64(at))
		le.PutUint64(out[p.buffers+16*i+8:], uint64(len(b)))
		copy(out[len(p.head)+at:], b)
		at += aligned(len(b))
	}
	copy(out[len(p.head)+body:], end[:])
	return out, true
}
