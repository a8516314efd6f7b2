package emit

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"unfold/ingest/table"
)

// renamed renames the coordinates of another program's map to the names of this program.
type renamed struct {
	table.Reader
	names map[string]string
}

// ownNames renames the coordinates of a map, unless they have the names of this program.
func ownNames(r table.Reader) table.Reader {
	s := r.Schema()
	if len(placeColumn{}.names(s)) > 0 {
		return r
	}
	names := Coordinates(s)
	for _, name := range []string{EmbeddingName, EmbeddingName + "_0", EmbeddingName + "_1"} {
		if _, taken := s.Find(name); taken {
			return r // it is a map with invalid coordinates
		}
	}
	out := &renamed{Reader: r, names: map[string]string{}}
	for i, name := range names {
		to := EmbeddingName + "_" + strconv.Itoa(i)
		if f, _ := s.Find(name); f.Kind == table.Vector {
			to = EmbeddingName
		}
		out.names[name] = to
	}
	return out
}

// Schema returns the schema with this program's names.
func (r *renamed) Schema() table.Schema {
	s := slices.Clone(r.Reader.Schema())
	for i := range s {
		if to, is := r.names[s[i].Name]; is {
			s[i].Name = to
		}
	}
	return s
}

// Next renames the columns of the next table.
func (r *renamed) Next(ctx context.Context) (*table.Table, error) {
	t, err := r.Reader.Next(ctx)
	if err != nil {
		return nil, err
	}
	for i, c := range t.Columns() {
		if to, is := r.names[c.Name()]; is {
			t = t.Swap(i, c.Renamed(to))
		}
	}
	return t, nil
}

// MapID returns the map id of the source.
func (r *renamed) MapID() string { return table.MapOf(r.Reader) }

// theirs replaces the names in an error by those of the source.
func (r *renamed) theirs(err error) error {
	var e *table.Error
	if errors.As(err, &e) {
		for from, to := range r.names {
			if e.Column == to {
				e.Column = from
			}
		}
	}
	return err
}
