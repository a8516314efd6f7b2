package cli

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/placing"
	"unfold/stream/embed"
)

// framed describes the rows of a fit that need coordinates from a frame.
type framed struct {
	inputs []string
	read   ingest.ReadOptions
	rows   int
	id     table.Column // invalid if the rows have no ids
	dims   int
	// threads is the number of threads for placing rows on a model; 0 uses all cores.
	threads int
}

// frameReport describes the source of a frame and the number of rows with a coordinate in it.
type frameReport struct {
	File string `json:"file"`
	// By is the way rows were matched: by "id" or "order" of a table, or "model" for rows placed by
	// a model.
	By     string `json:"by"`
	Rows   int    `json:"rows"`
	Placed int    `json:"placed"`
}

// String formats the report in one line.
func (r frameReport) String() string {
	by := map[string]string{"id": ", by id", "order": ", row by row", "model": ", placed on its map"}[r.By]
	return fmt.Sprintf("%s gave coordinates to %s of %s%s", r.File, humanize.Count(r.Placed), humanize.Plural(r.Rows, "row"), by)
}

// frameOf reads the frame from a model or a table. The result has shape rows x dims. A row without
// coordinates is free and has NaN in all of them.
func frameOf(ctx context.Context, p *program, file string, f framed) (vec.Matrix[float64], *frameReport, error) {
	read := f.table
	if file != "-" && isModel(file) {
		read = f.model
	}
	at, by, err := read(ctx, p, file)
	if err != nil {
		return at, nil, err
	}
	r := &frameReport{File: file, By: by, Rows: f.rows}
	for i := range at.Rows {
		if !math.IsNaN(at.Row(i)[0]) {
			r.Placed++
		}
	}
	if r.Placed == 0 {
		return at, nil, table.Origin{File: file}.Bad("no row has a coordinate in it: all are missing or not finite")
	}
	return at, r, nil
}

// table reads the coordinates from a table. Rows are matched by id if both sides have ids,
// otherwise by order.
func (f framed) table(ctx context.Context, p *program, file string) (at vec.Matrix[float64], by string, err error) {
	if err := p.vet(ctx, file); err != nil {
		return at, "", err
	}
	var ids []string
	if f.id.Valid() {
		ids = append(ids, f.id.Name())
	}
	places, err := ingest.ReadPlaces(ctx, file, p.inputs(), f.dims, append(ids, emit.IDName)...)
	if err != nil {
		return at, "", err
	}
	if f.id.Valid() && places.ID.Valid() {
		at, err = f.byID(places, file)
		return at, "id", err
	}
	if n := places.At.Rows; n != f.rows {
		e := table.Origin{File: file}.Bad("%s for the %s to be learnt", humanize.Plural(n, "row"), humanize.Plural(f.rows, "row"))
		return at, "", e.Suggest("without an id in both, the rows are taken in their order: name the data's by --id, and give the table a column %q or of the same name", emit.IDName)
	}
	return places.At, "order", nil
}

// byID returns the coordinates of every row by its id.
func (f framed) byID(places *emit.Places, file string) (vec.Matrix[float64], error) {
	row := make(map[string]int, places.ID.Len())
	for i, id := range places.ID.Strings() {
		if id == "" {
			continue
		}
		if first, twice := row[id]; twice && !samePlace(places.At.Row(first), places.At.Row(i)) {
			return places.At, table.Origin{File: file}.BadAt(i, places.ID.Name(), "the id %q is that of row %d, too", table.Clip(id), first+1).
				Suggest("and their places differ: leave one of them out")
		}
		row[id] = i
	}
	at := vec.New[float64](f.rows, f.dims)
	matched := 0
	for i, id := range f.id.Strings() {
		from, known := row[id]
		if known {
			copy(at.Row(i), places.At.Row(from))
			matched++
			continue
		}
		for k := range f.dims {
			at.Row(i)[k] = math.NaN()
		}
	}
	if matched == 0 {
		return at, table.Origin{File: file}.BadColumn(places.ID.Name(), "none of its %s is one of the data's: it begins with %q, the data's column %q with %q",
			humanize.Plural(places.ID.Len(), "id"), table.Clip(places.ID.Text(0)), f.id.Name(), table.Clip(f.id.Text(0)))
	}
	return at, nil
}

// samePlace reports whether two places are equal. Two free rows are equal, too.
func samePlace(a, b []float64) bool {
	return slices.Equal(a, b) || math.IsNaN(a[0]) && math.IsNaN(b[0])
}

// model places the rows on the map of a model. A row that equals a reference point gets that
// point's place.
func (f framed) model(ctx context.Context, p *program, file string) (at vec.Matrix[float64], by string, err error) {
	s, err := readModel(ctx, file)
	if err != nil {
		return at, "", err
	}
	if s.Mu.Cols != f.dims {
		return at, "", table.Origin{File: file}.Bad("its map has %s, the one to be learnt %d", humanize.Plural(s.Mu.Cols, "dimension"), f.dims).
			Suggest("learn with --dims %d, or take a model of %d", s.Mu.Cols, f.dims)
	}
	m, err := embed.Open(s, embed.Settings{
		Place: placing.Options{Threads: f.threads}, Files: true, Missing: f.read.Mapping.Missing, Classes: embed.ClassesNever,
		Mapping: ingest.Mapping{Selection: ingest.Selection{ReplaceText: true}},
	})
	if err != nil {
		return at, "", fmt.Errorf("%s: %w", file, err)
	}
	p.progress.Stage("frame", "rows", int64(f.rows))
	at = vec.New[float64](f.rows, f.dims)
	n := 0
	for _, path := range f.inputs {
		if n, err = f.place(ctx, p, m, path, at, n); err != nil {
			return at, "", fmt.Errorf("the rows on the map of %s: %w", file, err)
		}
	}
	p.progress.End()
	if n != f.rows {
		return at, "", table.Origin{File: f.inputs[0]}.Bad("the files changed while they were read: %d rows, then %d", f.rows, n)
	}
	return at, "model", nil
}

// place places the rows of an input and stores them in at, starting at row n. It returns the next
// free row.
func (f framed) place(ctx context.Context, p *program, m *embed.Map, path string, at vec.Matrix[float64], n int) (int, error) {
	r, err := ingest.Open(ctx, path, f.read.Options)
	if err != nil {
		return n, err
	}
	defer r.Close()
	if m, err = m.For(r.Schema(), path); err != nil {
		return n, err
	}
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return n, err
		}
		if n+t.Len() > at.Rows {
			return n, t.Origin.Bad("the file grew while it was read")
		}
		placed, err := m.Table(ctx, t)
		if err != nil {
			return n, err
		}
		for i, v := range placed.Embedding.Data {
			at.Data[n*f.dims+i] = float64(v)
		}
		n += t.Len()
		p.progress.Set(int64(n))
	}
	return n, nil
}
