package ingest

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"unfold/sparse/vec"
)

// Map is a map read back: what `fit` and `embed` wrote.
type Map struct {
	// ID is the id column, or none.
	ID Column
	// Embedding holds the coordinates, n x d.
	Embedding vec.Matrix[float32]
	// Sigma, NoveltyLocal and NoveltyGlobal have n values, or are nil if the file
	// has no such column.
	Sigma, NoveltyLocal, NoveltyGlobal []float32
	// Epoch and Version are those of the last row; 0 if the file has none.
	Epoch   uint32
	Version uint64
	// Kept are the other columns.
	Kept []Column
}

// Len returns the number of rows.
func (m *Map) Len() int { return m.Embedding.Rows }

// Column returns a kept column, the id or one of the figures by name. The error
// lists the columns that exist.
func (m *Map) Column(name string) (Column, error) {
	all := m.columns()
	names := make([]string, len(all))
	for i, c := range all {
		if c.Name() == name {
			return c, nil
		}
		names[i] = c.Name()
	}
	return Column{}, unknownColumn(Origin{}, name, names)
}

func (m *Map) columns() []Column {
	var all []Column
	if m.ID.Valid() {
		all = append(all, m.ID)
	}
	all = append(all, m.Kept...)
	for _, c := range []struct {
		name   string
		values []float32
	}{{SigmaName, m.Sigma}, {NoveltyLocalName, m.NoveltyLocal}, {NoveltyGlobalName, m.NoveltyGlobal}} {
		if c.values != nil {
			all = append(all, Float32Column(c.name, c.values))
		}
	}
	return all
}

// ReadMap reads a map in any of the formats that Create writes.
func ReadMap(ctx context.Context, path string, opts Options) (*Map, error) {
	r, err := Open(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	origin := Origin{File: path}
	embedding, err := embeddingOf(r.Schema(), origin)
	if err != nil {
		return nil, err
	}
	m := &Map{}
	parts := map[string][]Column{}
	for {
		t, err := r.Next(ctx)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := m.addEmbedding(t, embedding); err != nil {
			return nil, err
		}
		for _, c := range t.Columns() {
			parts[c.Name()] = append(parts[c.Name()], c)
		}
	}
	if m.Embedding.Rows == 0 {
		return nil, origin.bad("the map has no rows")
	}
	for _, f := range r.Schema() {
		if slices.Contains(embedding, f.Name) {
			continue
		}
		c, err := Concat(parts[f.Name]...)
		if err != nil {
			return nil, err
		}
		if err := m.set(c, origin); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// embeddingOf finds the embedding: the column of that name, embedding_0.., or
// the only vector there is (a npy file).
func embeddingOf(s Schema, o Origin) ([]string, error) {
	if f, ok := s.Find(EmbeddingName); ok && f.Kind == Vector {
		return []string{f.Name}, nil
	}
	var names []string
	for {
		name := EmbeddingName + "_" + strconv.Itoa(len(names))
		if f, ok := s.Find(name); !ok || f.Kind != Number {
			break
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		return names, nil
	}
	if len(s) == 1 && s[0].Kind == Vector {
		return []string{s[0].Name}, nil
	}
	return nil, o.bad("this is not a map: there is no column %q (or %s_0, ...)", EmbeddingName, EmbeddingName).
		hint("the columns are %s", list(s.Names()))
}

// addEmbedding appends the coordinates of a table.
func (m *Map) addEmbedding(t *Table, names []string) error {
	dims := len(names)
	c, err := t.need(names[0])
	if err != nil {
		return err
	}
	vectors := c.Kind() == Vector
	if vectors {
		dims = m.Embedding.Cols
		if m.Embedding.Rows == 0 {
			dims, _ = vectorDim(c)
		}
	}
	if dims == 0 {
		return t.Origin.badColumn(c.Name(), "the vectors are empty")
	}
	x := vec.New[float32](t.Len(), dims)
	if vectors {
		err = copyVectors(x.Data, dims, c, t.Origin, false)
	} else {
		err = gather(x, t, names)
	}
	if err != nil {
		return err
	}
	m.Embedding.Cols = dims
	m.Embedding.Rows += x.Rows
	m.Embedding.Data = append(m.Embedding.Data, x.Data...)
	return nil
}

func gather(x vec.Matrix[float32], t *Table, names []string) error {
	for k, name := range names {
		c, err := t.need(name)
		if err != nil {
			return err
		}
		get, err := numbersOf(c, t.Origin, false)
		if err != nil {
			return err
		}
		for i := range x.Rows {
			v, err := get(i)
			if err != nil {
				return err
			}
			x.Data[i*x.Cols+k] = float32(v)
		}
	}
	return nil
}

// set puts a column where it belongs.
func (m *Map) set(c Column, o Origin) error {
	var to *[]float32
	switch c.Name() {
	case IDName:
		m.ID = c
		return nil
	case EpochName, VersionName:
		v, _ := c.Float(c.Len() - 1)
		if c.Name() == EpochName {
			m.Epoch = uint32(v)
		} else {
			m.Version = uint64(v)
		}
		return nil
	case SigmaName:
		to = &m.Sigma
	case NoveltyLocalName:
		to = &m.NoveltyLocal
	case NoveltyGlobalName:
		to = &m.NoveltyGlobal
	default:
		m.Kept = append(m.Kept, c)
		return nil
	}
	values, missing := c.Floats()
	if missing >= 0 {
		return null(o, missing, c.Name())
	}
	*to = make([]float32, len(values))
	for i, v := range values {
		(*to)[i] = float32(v)
	}
	return nil
}

// String describes the map in a line.
func (m *Map) String() string {
	names := make([]string, 0, len(m.Kept))
	for _, c := range m.columns() {
		names = append(names, c.Name())
	}
	return fmt.Sprintf("%d rows in %d dimensions; columns %s", m.Len(), m.Embedding.Cols, strings.Join(names, ", "))
}
