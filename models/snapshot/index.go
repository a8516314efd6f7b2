package snapshot

import (
	"bytes"
	"fmt"

	"unfold/sparse/knn/hnsw"
)

// putIndex is the content of the block that holds the links of the index; its rows
// are the reference points.
func putIndex(s *Snapshot) content {
	if s.Index == nil {
		return content{}
	}
	var b bytes.Buffer
	if err := s.Index.SaveLinks(&b); err != nil {
		panic(fmt.Sprintf("snapshot: writing to memory failed: %v", err))
	}
	return content{b.Len(), 1, b.Bytes()}
}

// takeIndex decodes the links that were read, with the reference points as rows.
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
