package cli

import (
	"encoding/json"

	"unfold/cmd/internal/config"
	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/internal/address"
	"unfold/models/clusters/identity"
)

// modelReport is the output of inspect --json for a model. docs/reference/json.md describes the
// keys.
type modelReport struct {
	File      string          `json:"file"`
	What      string          `json:"what"`
	Bytes     uint64          `json:"bytes"`
	Format    uint32          `json:"format"`
	Kind      string          `json:"kind"`
	MapID     string          `json:"map_id,omitempty"`
	Version   uint64          `json:"version"`
	Epoch     uint32          `json:"epoch"`
	Dims      int             `json:"dims"`
	Values    int             `json:"values"`
	Vector    string          `json:"vector,omitempty"`
	Elements  []string        `json:"elements,omitempty"`
	Graph     *graphReport    `json:"graph,omitempty"`
	Metric    ingest.Metric   `json:"metric,omitempty"`
	Fills     bool            `json:"fills,omitempty"`
	Projected int             `json:"projected,omitempty"`
	Points    int             `json:"reference_points"`
	Rows      uint64          `json:"rows"`
	Unlearnt  int             `json:"unlearnt,omitempty"`
	ID        string          `json:"id,omitempty"`
	Label     string          `json:"label,omitempty"`
	Keep      []string        `json:"keep,omitempty"`
	Classes   []string        `json:"classes,omitempty"`
	Clusters  *clusterReports `json:"clusters,omitempty"`
	Bridges   []bridgeOfFile  `json:"bridges,omitempty"`
	Settings  json.RawMessage `json:"settings"`
	Offsets   []offsetReport  `json:"offsets,omitempty"`
	Blocks    []blockReport   `json:"blocks"`
}

// graphReport describes the edges of a mapped graph.
type graphReport struct {
	Edges   int    `json:"edges"`
	Weights string `json:"weights"`
}

// offsetReport is the offset in a partition up to which a map has learnt.
type offsetReport struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"`
}

// clusterReports summarizes the clusters of a map.
type clusterReports struct {
	In      string          `json:"in"`
	MinSize int             `json:"min_size"`
	Samples int             `json:"min_samples"`
	Noise   float64         `json:"noise"`
	Last    identity.ID     `json:"last"`
	Found   []clusterOfFile `json:"found"`
}

type clusterOfFile struct {
	ID   identity.ID `json:"id"`
	Size int         `json:"size"`
}

// reportOf summarizes groups, nil if g is nil.
func reportOf(g *identity.Groups) *clusterReports {
	if g == nil {
		return nil
	}
	r := &clusterReports{In: config.InMap, MinSize: g.Set.MinSize, Samples: g.Set.MinSamples, Noise: g.NoiseShare(), Last: g.State.Last, Found: []clusterOfFile{}}
	if g.OfRows() {
		r.In = config.InInput
	}
	for _, c := range g.State.Clusters {
		if c.Missing == 0 {
			r.Found = append(r.Found, clusterOfFile{c.ID, c.Size})
		}
	}
	return r
}

// bridgeOfFile is an edge that connects otherwise separate parts, as two points of the map.
type bridgeOfFile struct {
	Point    int     `json:"point"`
	Other    int     `json:"other"`
	Distance float64 `json:"distance"`
}

type blockReport struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Rows    uint64 `json:"rows"`
	Columns uint64 `json:"columns"`
	Bytes   uint64 `json:"bytes"`
}

// report returns the model's contents in the form of inspect --json.
func (m *modelFile) report() modelReport {
	s := m.s
	r := modelReport{
		File: m.path, What: "model", Bytes: m.info.Size, Format: m.info.Format,
		Kind: s.Kind, MapID: s.MapID, Version: s.Version, Epoch: s.Epoch,
		Dims: s.Mu.Cols, Values: s.Dim, Projected: s.Components.Rows,
		Points: s.Mu.Rows, Rows: m.rows(), Unlearnt: countTrue(s.Unlearnt),
		Classes: m.classes, Clusters: reportOf(m.groups), Settings: s.Settings,
	}
	if e := m.encoder; e != nil {
		pick := e.Selection()
		r.ID, r.Label, r.Keep = pick.ID, pick.Label, pick.Keep
		if r.Vector = e.Vector(); r.Vector == "" {
			r.Elements = e.Names()
		}
		if r.Fills = e.Fills(); e.Metric() != ingest.Euclidean {
			r.Metric = e.Metric()
		}
	}
	if g := s.Graph; g != nil {
		r.Graph = &graphReport{g.Lengths.NNZ() / 2, g.Weights.String()}
	}
	if s.Graph == nil {
		for _, b := range m.bridges {
			r.Bridges = append(r.Bridges, bridgeOfFile{b.Row, b.Other, b.Distance})
		}
	}
	for _, at := range s.Positions {
		r.Offsets = append(r.Offsets, offsetReport{at.Topic, at.Partition, at.Offset})
	}
	for _, b := range m.info.Blocks {
		r.Blocks = append(r.Blocks, blockReport{b.Name, b.Type.String(), b.Rows, b.Cols, b.Length})
	}
	return r
}

// tableReport is the output of inspect --json for a map or any other file of rows.
type tableReport struct {
	File    string               `json:"file"`
	What    string               `json:"what"`
	MapID   string               `json:"map_id,omitempty"`
	Rows    *int64               `json:"rows,omitempty"`
	Columns []columnReport       `json:"columns"`
	First   []map[string]*string `json:"first"`
	// Left are the columns that fit would exclude, Suggested the flags for the columns that it
	// would use.
	Left      []ingest.Left `json:"left_out,omitempty"`
	Suggested string        `json:"suggested,omitempty"`
	// Unread are columns that cannot be read, with their types.
	Unread []ingest.Left `json:"not_read,omitempty"`
}

type columnReport struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Missing  int64    `json:"missing"`
	Min      *float64 `json:"min,omitempty"`
	Max      *float64 `json:"max,omitempty"`
	Distinct int      `json:"distinct,omitempty"`
	// Width is the length of sparse vectors, and Entries the number of their non-zero values.
	// Problem describes the first vector that cannot be read.
	Width   int    `json:"width,omitempty"`
	Entries int    `json:"entries,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// dataReport describes a file of rows, with its first rows as text.
func dataReport(path string, r table.Reader, first *table.Table, rows int, p *ingest.Profile) tableReport {
	out := tableReport{File: address.Redact(path), What: "data", Rows: &p.Rows, First: []map[string]*string{}, Left: p.Left, Suggested: ingest.Flags(p.Suggested())}
	if id, is := isMap(r); is {
		out.What, out.MapID, out.Left, out.Suggested = "map", id, nil, ""
	}
	for _, f := range p.Unread {
		out.Unread = append(out.Unread, ingest.Left{Column: f.Name, Why: f.Type})
	}
	for _, c := range p.Columns {
		report := columnReport{Name: c.Name, Type: c.Type, Missing: c.Missing, Distinct: c.Distinct}
		if report.Width, report.Entries = c.Width, c.Entries; c.Problem != nil {
			report.Problem = c.Problem.Error()
		}
		if finite(c.Min) && finite(c.Max) {
			report.Min, report.Max = &c.Min, &c.Max
		}
		out.Columns = append(out.Columns, report)
	}
	if first == nil {
		return out
	}
	for i := range min(rows, first.Len()) {
		row := map[string]*string{}
		for _, f := range p.Columns {
			row[f.Name] = nil
			if c, ok := first.Column(f.Name); ok && !c.IsNull(i) {
				text := c.Text(i)
				row[f.Name] = &text
			}
		}
		out.First = append(out.First, row)
	}
	return out
}

// finite reports whether v is finite, because JSON has no other numbers.
func finite(v float64) bool { return v-v == 0 }
