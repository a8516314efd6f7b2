package cli

import (
	"context"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream/embed"
)

// rows reads the vectors of the rows to add.
func (u *updating) rows(ctx context.Context) (x vec.Matrix[float32], err error) {
	x.Cols = u.before.Dim
	if len(u.inputs) == 0 {
		return x, nil
	}
	e, err := embedderOf(u.before, u.Model, u.Map, u.settings, embed.Explain{})
	if err != nil {
		return x, err
	}
	u.p.progress.Stage("read", "rows", totalRows(ctx, u.inputs, u.options))
	for _, path := range u.inputs {
		if err := u.read(ctx, e, path, &x); err != nil {
			return x, err
		}
	}
	return x, nil
}

// read appends the vectors, ids and labels of a file.
func (u *updating) read(ctx context.Context, e *embedder, path string, x *vec.Matrix[float32]) error {
	r, m, err := e.open(ctx, path, u.options)
	if err != nil {
		return err
	}
	defer r.Close()
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return err
		}
		b, err := m.Encoder().Encode(t)
		if err != nil {
			return err
		}
		if b.ID.Valid() {
			u.ids = append(u.ids, make([]string, x.Rows-len(u.ids))...) // earlier files may have no ids
			u.ids = append(u.ids, b.ID.Strings()...)
		}
		if b.Label != nil {
			u.labels = append(u.labels, make([]string, x.Rows-len(u.labels))...) // earlier files may have no labels
			u.labels = append(u.labels, b.Label...)
		}
		x.Data, x.Rows = append(x.Data, b.X.Data...), x.Rows+b.X.Rows
		u.p.progress.Set(int64(x.Rows))
	}
	return nil
}

// leaving reads the points whose rows are removed, given by point number or by id.
func (u *updating) leaving(ctx context.Context, numbers []int) ([]int, error) {
	r, err := ingest.Open(ctx, u.Forget, u.options)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	name := PointName
	if _, there := r.Schema().Find(PointName); !there {
		if name = u.idName(r.Schema()); name == "" {
			return nil, table.Origin{File: u.Forget}.Bad("it has neither a column %q nor ids", PointName).
				Suggest("fit --numbers writes numbers of points; a column of ids is called %q or as the model's; the columns are %s", emit.IDName, r.Schema())
		}
	}
	known := map[string]int{}
	for i, id := range u.before.IDs {
		if id != "" {
			known[id] = numbers[i]
		}
	}
	var gone []int
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, err
		}
		c, err := t.Need(name)
		if err != nil {
			return nil, err
		}
		for i := range c.Len() {
			if name == PointName {
				v, ok := c.Float(i)
				if !ok || v != float64(int32(v)) {
					return nil, t.Origin.BadAt(i, name, "%q is no number of a point", table.Clip(c.Text(i)))
				}
				gone = append(gone, int(v))
				continue
			}
			p, ok := known[c.Text(i)]
			if !ok {
				return nil, t.Origin.BadAt(i, name, "no point of %s has the id %q", u.Model, table.Clip(c.Text(i))).
					Suggest("of equal rows the last one's id is known; fit --numbers numbers all")
			}
			gone = append(gone, p)
		}
	}
	return gone, nil
}

// idName returns the id column in a table of rows to remove, "" if it has none. Candidates are the
// names from the flags and the model, and id.
func (u *updating) idName(s table.Schema) string {
	names := []string{u.settings.Source.Columns.ID, emit.IDName}
	if e, err := embed.Encoder(u.before); err == nil && e != nil {
		names = append(names, e.Selection().ID)
	}
	for _, name := range names {
		if _, there := s.Find(name); there && name != "" {
			return name
		}
	}
	return ""
}
