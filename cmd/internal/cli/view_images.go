package cli

import (
	"slices"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/viewer"
	"unfold/ingest/emit"
	"unfold/ingest/table"
)

// pictureBytes bounds the memory of the pictures of a map.
const pictureBytes = 1 << 30

// pictures are the pictures of a map's points, by id.
type pictures struct {
	// columns are the columns of pictures. They are not shown as values.
	columns []string
	of      map[string][]byte
	bytes   int
	// beyond is the number of pictures that the memory limit, or that of one picture, left out.
	beyond int
}

// picturesOf returns the pictures in the columns of bytes of a map, nil if there are none. Without
// ids, rows have their numbers.
func picturesOf(m *emit.Shown) *pictures {
	out := &pictures{of: map[string][]byte{}}
	first := 0
	for _, part := range m.Parts {
		ids, there := part.Column(m.ID)
		if m.ID == "" {
			ids, there = rowNumbers(first, part.Len()), true
		}
		for _, c := range part.Columns() {
			known := slices.Contains(out.columns, c.Name())
			if !there || !known && !pictured(c) {
				continue
			}
			if !known {
				out.columns = append(out.columns, c.Name())
			}
			out.add(ids, c)
		}
		first += part.Len()
	}
	if len(out.columns) == 0 {
		return nil
	}
	return out
}

// pictured reports whether a column has bytes, the first of which are a picture.
func pictured(c table.Column) bool {
	if kind := c.DataType(); kind != "binary" && kind != "large_binary" {
		return false
	}
	for i := range c.Len() {
		if !c.IsNull(i) {
			return viewer.PictureKind(c.Text(i)) != ""
		}
	}
	return false
}

// add keeps the pictures of a column. Of several in a row the first counts.
func (p *pictures) add(ids, c table.Column) {
	for i := range c.Len() {
		id := ids.Text(i)
		if _, there := p.of[id]; there || id == "" || c.IsNull(i) {
			continue
		}
		text := c.Text(i)
		if len(text) > viewer.MostPicture || p.bytes+len(text) > pictureBytes {
			p.beyond++
			continue
		}
		p.of[id] = []byte(text)
		p.bytes += len(text)
	}
}

// note reports the number of omitted pictures.
func (p *pictures) note(to *program) {
	if p != nil && p.beyond > 0 {
		to.note("%s are left out: a page has those of up to %s, and up to %s in total", humanize.Plural(p.beyond, "picture"), humanize.Bytes(viewer.MostPicture), humanize.Bytes(pictureBytes))
	}
}

// picture returns the function that finds the picture of a point, nil if there are no pictures.
func (p *pictures) picture() func(id string) []byte {
	if p == nil {
		return nil
	}
	return func(id string) []byte { return p.of[id] }
}
