package snapshot

import (
	"bytes"
	"fmt"
	"io"

	"unfold/sparse/knn/hnsw"
)

// putIndex returns the content of the block with the links of the index. The rows of the index are
// the reference points.
func putIndex(s *Snapshot) content {
	if s.Index == nil {
		return content{}
	}
	return content{bytesOfData, 1, s.Index}
}

// encodeLinks writes the links of an index and returns the number of bytes. Each pass over a file's
// content encodes them again, because all of them together need much memory.
func encodeLinks(w io.Writer, ix *hnsw.Index) (int, error) {
	out := &counter{w: w}
	err := ix.SaveLinks(out)
	return int(out.n), err
}

// takeIndex decodes the links that were read. The rows of the index are the reference points.
func (s *Snapshot) takeIndex(blocks []Block) error {
	raw := s.links
	s.links = nil
	if raw == nil {
		return nil
	}
	from := bytes.NewReader(raw)
	ix, err := hnsw.LoadLinks(from, s.Reference)
	if err == nil && from.Len() > 0 {
		err = fmt.Errorf("there are %d bytes after its end", from.Len())
	}
	if err == nil && ix.Len() != s.Reference.Rows {
		err = fmt.Errorf("it holds %d of %d reference points", ix.Len(), s.Reference.Rows)
	}
	if err == nil {
		s.Index = ix
		return nil
	}
	for _, b := range blocks {
		if b.Name == "index" {
			return b.corrupt("%v", err)
		}
	}
	return err
}
