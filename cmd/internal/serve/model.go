package serve

import (
	"cmp"
	"net/http"
	"slices"

	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/stream/embed"
)

// request is the origin of a request's rows in errors.
var request table.Origin

// Description is the response of GET /model.
type Description struct {
	MapID   string `json:"map_id"`
	Epoch   uint32 `json:"map_epoch"`
	Version uint64 `json:"model_version"`
	// Kind is the kind of the model and Points the number of its points. It maps vectors of Dim
	// values to places of Dims coordinates.
	Kind   string `json:"kind"`
	Points int    `json:"points"`
	Dim    int    `json:"dim"`
	Dims   int    `json:"dims"`
	// Vector is the vector column. Columns are the columns that form vectors instead. If both are
	// empty, the only list of numbers in a request is the vector.
	Vector  string   `json:"vector,omitempty"`
	Columns []string `json:"columns,omitempty"`
	// ID is the column that identifies a row. Passing are the columns that pass through, if a
	// request has them.
	ID      string   `json:"id,omitempty"`
	Passing []string `json:"passing,omitempty"`
}

// Current returns the current model, or the reason why there is none.
type Current func() (*Model, error)

// model returns the current model, or the problem that there is none.
func (c Current) model() (*Model, error) {
	m, err := c()
	if err != nil {
		return nil, Problemf(http.StatusServiceUnavailable, "%v", err)
	}
	return m, nil
}

// Model is a map for placing requests. It is immutable.
type Model struct {
	m    *embed.Map
	said Description
	// types are the pinned types of columns in JSON.
	types map[string]record.Type
}

// NewModel returns a model for a map of the given number of points. types pins columns in JSON to
// types.
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

// Description returns the description of the model.
func (m *Model) Description() Description { return m.said }

// wanted returns the columns that are read from requests.
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

// vectorName and idName return the column names for plain vectors and their ids.
func (m *Model) vectorName() string { return cmp.Or(m.said.Vector, "vector") }
func (m *Model) idName() string     { return cmp.Or(m.said.ID, "id") }
