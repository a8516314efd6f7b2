package emit

import (
	"context"
	"fmt"
	"strings"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Map is a map read from a file that `fit` or `embed` wrote.
type Map struct {
	// Output holds the file's columns. Epoch and Version are from the last row, MapID from the
	// file's metadata. Columns that are not a map's are kept columns.
	Output
}

// Column returns a kept column, the id or one of the figures by name. An error lists the existing
// columns.
func (m *Map) Column(name string) (table.Column, error) {
	all := m.columns()
	names := make([]string, len(all))
	for i, c := range all {
		if c.Name() == name {
			return c, nil
		}
		names[i] = c.Name()
	}
	return table.Column{}, table.UnknownColumn(table.Origin{}, name, names)
}

// Figures returns the columns with one value per row, without the places and the id.
func (o *Output) Figures() []table.Column {
	all := (&Map{*o}).columns()
	if o.ID.Valid() {
		all = all[1:] // it is the first
	}
	return all
}

// columns returns the columns with one value per row, without the places.
func (m *Map) columns() (all []table.Column) {
	for _, c := range outputColumns {
		if _, one := c.(interface{ same(a, b *Output) bool }); !one && c.there(&m.Output) && (c != idColumn{} || m.ID.Valid()) {
			all = append(all, c.columns(&m.Output, func(vec.Matrix[float32]) []table.Column { return nil })...)
		}
	}
	return all
}

// nameOf returns the name of a source for a command line.
func nameOf(o table.Origin) string {
	if o.File == "" {
		return "DATA"
	}
	return o.File
}

// ReadMap reads a map from r, written by this program or another: see Coordinates.
func ReadMap(ctx context.Context, r table.Reader, origin table.Origin) (*Map, error) {
	return readMap(ctx, r, origin, false)
}

// ReadDrawn is like ReadMap, for pictures: coordinates of rows without a place are NaN.
func ReadDrawn(ctx context.Context, r table.Reader, origin table.Origin) (*Map, error) {
	return readMap(ctx, r, origin, true)
}

func readMap(ctx context.Context, r table.Reader, origin table.Origin, holes bool) (*Map, error) {
	for _, name := range r.Schema().Names() {
		if err := r.Schema().Ambiguous(name, origin); err != nil {
			return nil, err
		}
	}
	r = ownNames(r)
	if len(placeColumn{}.names(r.Schema())) == 0 {
		if err := mistypedPlaces(ctx, r, origin); err != nil {
			return nil, err
		}
		return nil, origin.Bad("this is not a map: there is no column %q (or %s_0, ...), no pair such as x and y, and not one column of vectors", EmbeddingName, EmbeddingName).
			Suggest("the columns are %s; unfold fit learns a map of data: unfold fit %s -o MODEL --map MAP", table.List(r.Schema().Names()), nameOf(origin))
	}
	var parts []*Output
	dims := 0
	id := table.MapOf(r)
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, err
		}
		o, err := readOutput(t, dims, holes)
		if err != nil {
			if theirs, is := r.(*renamed); is {
				err = theirs.theirs(err)
			}
			return nil, err
		}
		dims = o.Embedding.Cols
		parts = append(parts, o)
	}
	if len(parts) == 0 {
		return nil, origin.Bad("the map has no rows")
	}
	o, err := concatOutputs(parts)
	if err != nil {
		return nil, err
	}
	o.MapID = id
	return &Map{*o}, nil
}

// mistypedPlaces explains why columns named as places cannot be read, or returns nil if there are
// none. This happens for a CSV file without rows, whose column types are unknown.
func mistypedPlaces(ctx context.Context, r table.Reader, origin table.Origin) error {
	candidates := []string{EmbeddingName, EmbeddingName + "_0"}
	for _, p := range pairs {
		if _, there := r.Schema().Find(p[1]); there {
			candidates = append(candidates, p[0])
		}
	}
	for _, name := range candidates {
		f, there := r.Schema().Find(name)
		if !there {
			continue
		}
		rows := 0
		for t, err := range table.All(ctx, r) {
			if err != nil {
				return err
			}
			rows += t.Len()
			if c, err := t.Need(name); err == nil && !allMissing(c) {
				return origin.BadColumn(name, "its type is %s, and places are numbers", f.Type)
			}
		}
		if rows > 0 {
			return origin.BadColumn(name, "all values are missing, so no row has a place")
		}
		return origin.Bad("the map has no rows")
	}
	return nil
}

// allMissing reports whether a column has no value, but nulls and words for them.
func allMissing(c table.Column) bool {
	for i := range c.Len() {
		if !c.IsNull(i) && !table.StandsForMissing(strings.TrimSpace(c.Text(i))) {
			return false
		}
	}
	return true
}

// String describes the map in a line.
func (m *Map) String() string {
	names := make([]string, 0, len(m.Kept))
	for _, c := range m.columns() {
		names = append(names, c.Name())
	}
	return fmt.Sprintf("%d rows in %d dimensions; columns %s", m.Len(), m.Embedding.Cols, strings.Join(names, ", "))
}
