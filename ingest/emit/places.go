package emit

import (
	"context"
	"math"
	"slices"
	"strings"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Places are the coordinates of rows, read from a map or from any table of numbers.
type Places struct {
	// ID holds the ids of the rows, or no column if the table has none.
	ID table.Column
	// At is the n x d matrix of coordinates. A row with a coordinate that is missing or not finite
	// is NaN.
	At vec.Matrix[float64]
}

// ReadPlaces reads coordinates in dims dimensions from the columns that Coordinates returns.
// Otherwise it reads the columns of numbers, if there are exactly dims besides the id. The id
// column is the first of ids that exists.
func ReadPlaces(ctx context.Context, r table.Reader, origin table.Origin, dims int, ids ...string) (*Places, error) {
	s := r.Schema()
	id := ""
	if i := slices.IndexFunc(ids, func(name string) bool { return len(present(s, name)) > 0 }); i >= 0 {
		id = ids[i]
	}
	names, err := coordinates(s, origin, dims, id)
	if err != nil {
		return nil, err
	}
	for _, name := range append([]string{id}, names...) {
		if err := s.Ambiguous(name, origin); err != nil {
			return nil, err
		}
	}
	p := &Places{At: vec.Matrix[float64]{Cols: dims}}
	var keys []table.Column
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, err
		}
		if id != "" {
			c, err := t.Need(id)
			if err != nil {
				return nil, err
			}
			keys = append(keys, c)
		}
		if err := p.add(t, names); err != nil {
			return nil, err
		}
	}
	if p.At.Rows == 0 {
		return nil, origin.Bad("there are no rows")
	}
	p.ID, err = table.Concat(keys...)
	return p, err
}

// coordinates returns the names of the columns with the coordinates: one of vectors, or dims of
// numbers.
func coordinates(s table.Schema, o table.Origin, dims int, id string) ([]string, error) {
	names := Coordinates(s)
	if len(names) == 0 {
		for _, f := range s {
			if f.Kind == table.Number && f.Name != id && !f.Index {
				names = append(names, f.Name)
			}
		}
		if len(names) != dims {
			return nil, o.Bad("it is not known which columns are coordinates: those of numbers are %s, for a map of %d dimensions", table.List(names), dims).
				Suggest("name the coordinates %s_0 and so on, or leave other numbers out; the columns are %s", EmbeddingName, s)
		}
		return names, nil
	}
	if f, _ := s.Find(names[0]); f.Kind == table.Vector {
		if f.Dim != 0 && f.Dim != dims {
			return nil, otherDims(o, names, f.Dim, dims)
		}
	} else if len(names) != dims {
		return nil, otherDims(o, names, len(names), dims)
	}
	return names, nil
}

func otherDims(o table.Origin, names []string, have, want int) error {
	return o.Bad("it has %d coordinates (%s), the map to be learnt %d dimensions", have, strings.Join(names, ", "), want).
		Suggest("learn with --dims %d, or give a table with %d coordinates", have, want)
}

// add reads the coordinates of a table's rows.
func (p *Places) add(t *table.Table, names []string) error {
	read, err := rowReader(t, names, p.At.Cols)
	if err != nil {
		return err
	}
	row := make([]float64, p.At.Cols)
	for i := range t.Len() {
		if err := read(i, row); err != nil {
			return err
		}
		if !vec.Finite(row) {
			for k := range row {
				row[k] = math.NaN()
			}
		}
		p.At.Data = append(p.At.Data, row...)
		p.At.Rows++
	}
	return nil
}

// rowReader returns a function that writes the coordinates of row i to row, NaN for missing ones.
func rowReader(t *table.Table, names []string, dims int) (func(i int, row []float64) error, error) {
	columns := make([]table.Column, len(names))
	values := make([][]float64, len(names))
	for k, name := range names {
		var err error
		if columns[k], err = t.Need(name); err != nil {
			return nil, err
		}
		values[k], _ = columns[k].Floats()
	}
	if columns[0].Kind() != table.Vector {
		return func(i int, row []float64) error {
			for k, c := range columns {
				if row[k] = values[k][i]; c.IsNull(i) {
					row[k] = math.NaN()
				}
			}
			return nil
		}, nil
	}
	vector := table.VectorRows(columns[0])
	return func(i int, row []float64) error {
		v := vector(i)
		if v == nil {
			row[0] = math.NaN()
			return nil
		}
		if len(v) != dims {
			return t.Origin.BadAt(i, names[0], "the vector has %d elements, the map to be learnt %d dimensions", len(v), dims)
		}
		copy(row, v)
		return nil
	}, nil
}
