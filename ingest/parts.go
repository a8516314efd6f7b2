package ingest

import (
	"fmt"

	"unfold/ingest/table"
)

// parts collects the columns that are passed on.
type parts struct {
	ids    []table.Column
	kept   [][]table.Column
	text   []string
	labels []table.Column
	blank  int
}

func (p *parts) appendBatch(b *Batch, o table.Origin) error {
	if p.kept == nil {
		p.kept = make([][]table.Column, len(b.Kept))
	}
	if len(p.kept) != len(b.Kept) {
		return o.Bad("it has %d kept columns, the first file has %d", len(b.Kept), len(p.kept))
	}
	if b.ID.Valid() {
		p.ids = append(p.ids, b.ID)
	}
	for i, c := range b.Kept {
		p.kept[i] = append(p.kept[i], c)
	}
	p.text = append(p.text, b.Label...)
	p.blank += b.Blank
	return nil
}

// append appends the columns of the following rows.
func (p *parts) append(next *parts) {
	p.ids, p.text = append(p.ids, next.ids...), append(p.text, next.text...)
	p.blank += next.blank
	if p.kept == nil {
		p.kept = make([][]table.Column, len(next.kept))
	}
	for i := range next.kept {
		p.kept[i] = append(p.kept[i], next.kept[i]...)
	}
}

// label adds the labels of one file. Their number must equal that of its rows.
func (p *parts) label(c table.Column, rows int, path string, files []string, i int) error {
	if !c.Valid() {
		return nil
	}
	if c.Len() != rows {
		return table.Origin{File: files[i]}.Bad("it has %d labels for the %d rows of %s", c.Len(), rows, path).
			Suggest("label files are named in the order of the inputs")
	}
	p.labels = append(p.labels, c)
	return nil
}

// draw keeps only the labels of drawn rows in the last file. row is the number of the file's first
// row among the rows of all files.
func (p *parts) draw(d *Drawn, row int) (err error) {
	if last := len(p.labels) - 1; d != nil && last >= 0 {
		p.labels[last], err = p.labels[last].Take(d.among(row, p.labels[last].Len()))
	}
	return err
}

// join sets the collected columns in the dataset.
func (p *parts) join(d *Dataset) (err error) {
	if d.ID, err = table.Concat(p.ids...); err != nil {
		return err
	}
	d.Label = p.text
	d.Blank += p.blank
	for _, k := range p.kept {
		c, err := table.Concat(k...)
		if err != nil {
			return err
		}
		d.Kept = append(d.Kept, c)
	}
	if len(p.labels) == 0 {
		return nil
	}
	c, err := table.Concat(p.labels...)
	if err != nil {
		return err
	}
	for i := range d.Kept {
		if d.Kept[i].Name() == LabelName {
			return fmt.Errorf("labels come both from a column %q and from label files; keep only one", LabelName)
		}
	}
	d.Kept = append(d.Kept, c)
	d.Label = c.Strings()
	return nil
}
