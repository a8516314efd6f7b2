package serve

import (
	"cmp"
	"net/http"
	"slices"

	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/stream/embed"
)

// request is where the rows of a request come from, for errors.
var request table.Origin

// Description is what GET /model says of a map.
type Description struct {
	MapID   string `json:"map_id"`
	Epoch   uint32 `json:"map_epoch"`
	Version uint64 `json:"model_version"`
	// Kind of the model, its Points and what it was learnt from: vectors of Dim values,
	// which have places of Dims coordinates.
	Kind   string `json:"kind"`
	Points int    `json:"points"`
	Dim    int    `json:"dim"`
	Dims   int    `json:"dims"`
	// Vector is the column that holds vectors; Columns are those that vectors are made of
	// instead. If both are empty the only list of numbers of a request is the vector.
	Vector  string   `json:"vector,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// Passing are the columns that pass through, as far as a request has them, ID is the one
	// that identifies a row.
	ID      string   `json:"id,omitempty"`
	Passing []string `json:"passing,omitempty"`
}

// Current returns the model that a request is placed on, or why there is none.
type Current func() (*Model, error)

// model is the model, or the problem that there is none.
func (c Current) model() (*Model, error) {
	m, err := c()
	if err != nil {
		return nil, problemf(http.StatusServiceUnavailable, "%v", err)
	}
	return m, nil
}

// Model is a map that requests are placed on. It is immutable.
type Model struct {
	m    *embed.Map
	said Description
	// types are pinned of columns in JSON.
	types map[string]record.Type
}

// NewModel makes a model of a map of so many points. In JSON columns may be pinned to types.
func NewModel(m *embed.Map, kind string, points int, types map[string]record.Type) *Model {
	p := m.Placer()
	d := Description{MapID: p.MapID(), Epoch: p.Epoch(), Version: p.Version(), Kind: kind, Points: points, Dim: p.Dim(), Dims: p.Dims()}
	if e := m.Encoder(); e != nil {
		if d.Vector = e.Vector(); d.Vector == "" {
			d.Columns = e.Columns()
		}
		pick := e.Selection()
		d.ID, d.Passing = pick.ID, pick.Passing()
	}
	return &Model{m, d, types}
}

// Description is what there is to say of the model.
func (m *Model) Description() Description { return m.said }

// wanted are the columns that requests are read for.
func (m *Model) wanted() []string {
	names := slices.Clone(m.said.Columns)
	if m.said.Vector != "" {
		names = []string{m.said.Vector}
	}
	for _, name := range m.said.Passing {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// vectorName and idName are the columns of vectors that come without names, and of their ids.
func (m *Model) vectorName() string { return cmp.Or(m.said.Vector, "vector") }
func (m *Model) idName() string     { return cmp.Or(m.said.ID, "id") }
