package emit

import (
	"cmp"
	"context"
	"slices"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Shown contains the rows of a map, from this program or another, for display in a viewer.
type Shown struct {
	// At is the n x d matrix of places, d >= 2. A row with a coordinate that is missing or not
	// finite is NaN.
	At vec.Matrix[float32]
	// Parts are tables with the columns other than the coordinates, with n rows in total.
	Parts []*table.Table
	// ID is the name of the id column, or "".
	ID string
	// MapID is the id of the map, or "" if the file has none.
	MapID string
}

// pairs are the names that common programs give to the two coordinates of a map.
var pairs = [][2]string{
	{"x", "y"}, {"X", "Y"}, {"projection_x", "projection_y"}, {"umap_x", "umap_y"}, {"umap_0", "umap_1"}, {"umap_1", "umap_2"}, {"UMAP1", "UMAP2"}, {"UMAP_1", "UMAP_2"},
	{"tsne_x", "tsne_y"}, {"tsne_1", "tsne_2"}, {"TSNE1", "TSNE2"}, {"pca_1", "pca_2"}, {"PC1", "PC2"}, {"dim_0", "dim_1"}, {"0", "1"},
}

// ReadShown reads the rows that r returns. The coordinates are in the named columns, one of vectors
// or several of numbers. Without names they are those of a map in its usual columns, or a known
// pair (x and y, UMAP1 and UMAP2, ...), or the only column of vectors. The id column is id or, if
// that is "", a column named id if there is one.
func ReadShown(ctx context.Context, r table.Reader, origin table.Origin, id string, names ...string) (*Shown, error) {
	s := r.Schema()
	named := len(names) > 0
	names, err := shownCoordinates(s, origin, names)
	if err != nil {
		if !named {
			err = cmp.Or(mistypedPlaces(ctx, r, origin), err)
		}
		return nil, err
	}
	if _, there := s.Find(IDName); id == "" && there {
		id = IDName
	}
	if _, there := s.Find(id); id != "" && !there {
		return nil, table.UnknownColumn(origin, id, s.Names())
	}
	for _, name := range append([]string{id}, names...) {
		if err := s.Ambiguous(name, origin); err != nil {
			return nil, err
		}
	}
	out := &Shown{ID: id, MapID: table.MapOf(r)}
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, err
		}
		if err := out.add(t, names); err != nil {
			return nil, err
		}
	}
	if out.At.Rows == 0 {
		return nil, origin.Bad("there are no rows")
	}
	return out, nil
}

// shownCoordinates returns the names of the coordinate columns.
func shownCoordinates(s table.Schema, o table.Origin, names []string) ([]string, error) {
	for _, name := range names {
		if _, there := s.Find(name); !there {
			return nil, table.UnknownColumn(o, name, s.Names())
		}
	}
	if len(names) > 0 {
		return names, nil
	}
	if names = Coordinates(s); len(names) > 0 {
		return names, nil
	}
	return nil, o.Bad("it is not known which columns are the coordinates: there is no column %q, no pair such as x and y, and not one column of vectors", EmbeddingName).
		Suggest("name them, as --places x,y; the columns are %s; unfold fit learns a map of data: unfold fit %s -o MODEL --map MAP", s, nameOf(o))
}

// Coordinates returns the names of the coordinate columns of any map, or none. It tries the columns
// of this program's maps, a known pair of names (x and y, UMAP1 and UMAP2, ...), and the only
// column of vectors, in this order.
func Coordinates(s table.Schema) []string {
	if names := (placeColumn{}).names(s); len(names) > 0 {
		return names
	}
	numbers := s.Of(table.Number)
	for _, p := range pairs {
		if slices.Contains(numbers, p[0]) && slices.Contains(numbers, p[1]) {
			return p[:]
		}
	}
	if vectors := s.Of(table.Vector); len(vectors) == 1 {
		return vectors
	}
	return nil
}

// flatColumns returns the columns of a table, those of structs by their dotted paths.
func flatColumns(t *table.Table) []table.Column {
	var out []table.Column
	s := t.Schema()
	for i, f := range s {
		if f.Parts == nil || f.Kind == table.SparseVector {
			out = append(out, t.At(i))
			continue
		}
		for _, p := range (table.Schema{f}).Flat() {
			if c, there := t.Column(p.Name); there && s.Index(p.Name) < 0 {
				out = append(out, c)
			}
		}
	}
	return out
}

// add adds the rows of a table.
func (m *Shown) add(t *table.Table, names []string) error {
	d := len(names)
	if c, err := t.Need(names[0]); err != nil {
		return err
	} else if c.Kind() == table.Vector {
		if d > 1 {
			return t.Origin.BadColumn(names[0], "it holds vectors: no other column can be a coordinate beside it")
		}
		d = m.At.Cols
		for i := 0; d == 0 && i < t.Len(); i++ {
			d = len(table.VectorRows(c)(i))
		}
	}
	if d < 2 {
		return t.Origin.BadColumn(names[0], "a place has %d of the coordinates, and a map needs two: learn it with --dims 2, or name two columns with --places", d)
	}
	read, err := rowReader(t, names, d)
	if err != nil {
		return err
	}
	m.At.Cols = d
	row := make([]float64, d)
	for i := range t.Len() {
		if err := read(i, row); err != nil {
			return err
		}
		for _, v := range row {
			m.At.Data = append(m.At.Data, float32(v))
		}
	}
	m.At.Rows += t.Len()
	var rest []table.Column
	for _, c := range flatColumns(t) {
		if slices.Contains(names, c.Name()) || c.Name() == EpochName || c.Name() == VersionName {
			continue
		}
		if c, err = table.SoundColumn(c, t.Origin, true); err != nil {
			return err
		}
		rest = append(rest, c)
	}
	if len(rest) == 0 { // a table without columns would have no rows
		rest = append(rest, table.BoolColumn("", make([]bool, t.Len())))
	}
	part, err := table.NewTable(t.Origin, rest...)
	m.Parts = append(m.Parts, part)
	return err
}
