package embed

import (
	"context"
	"errors"
	"math"
	"slices"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/ep/labels"
	"unfold/stream/format"
)

// Table encodes and places the rows of a table. Its errors are about the table's source:
// an *ingest.Error names row and column.
func (m *Map) Table(ctx context.Context, t *table.Table) (*emit.Output, error) {
	a, err := m.Ask(ctx, t)
	if err != nil {
		return nil, err
	}
	return a.All(), nil
}

// located converts the row of an error to the row of its source.
func located(o table.Origin, err error) error {
	var re *models.RowError
	if errors.As(err, &re) {
		return &table.Error{Origin: o, Row: o.Row + int64(re.Row), Column: re.Name, Problem: "it cannot be placed", Err: err}
	}
	return table.InFile(o.String(), err)
}

// Places are the rows as placed by a map.
type Places struct {
	m *Map
	// At are the places themselves.
	At models.Placed
	// logLik is nil if no likelihoods are asked for.
	logLik []float32
	// classes are nil if none are predicted.
	classes *labels.Predicted
	// cluster and its companions are nil without clusters.
	cluster       []int64
	sure, outlier []float32
	// why has the explained rows; nil if none are requested.
	why []*Why
}

// Vectors places vectors, n x Placer().Dim(). A row that cannot be placed returns a
// *models.RowError.
func (m *Map) Vectors(ctx context.Context, x vec.Matrix[float32]) (*Places, error) {
	place := m.placer.Place
	if m.lenient != nil {
		place = m.lenient.PlaceMissing
	}
	at, err := place(ctx, x)
	if err != nil {
		return nil, err
	}
	p := &Places{m: m, At: at}
	if m.likely != nil {
		if p.logLik, err = m.likely.LogLik(ctx, x, at); err != nil {
			return nil, err
		}
	}
	switch {
	case m.classes != nil:
		p.classes, err = m.classes.PredictNames(ctx, at, nil, m.set.Probabilities, m.set.Place.Threads)
	case m.predicts():
		none := slices.Repeat([]float32{float32(math.NaN())}, at.Mu.Rows)
		p.classes = &labels.Predicted{Class: make([]string, at.Mu.Rows), Probability: none, Entropy: none}
	}
	if err == nil {
		err = p.group(ctx, x)
	}
	return p, err
}

// group predicts the clusters of the rows, with vectors x, if they are part of the output.
func (p *Places) group(ctx context.Context, x vec.Matrix[float32]) error {
	if !p.m.groupsOut() {
		return nil
	}
	n := p.At.Mu.Rows
	p.cluster, p.sure, p.outlier = make([]int64, n), make([]float32, n), make([]float32, n)
	for i := range n {
		p.cluster[i], p.sure[i], p.outlier[i] = int64(clusters.Noise), float32(math.NaN()), float32(math.NaN())
	}
	if p.m.groups == nil {
		return nil
	}
	at, rows := p.At.Mu, upTo(n)
	if p.m.groups.OfRows() {
		// A row with missing values has no neighbours among rows.
		rows = slices.DeleteFunc(rows, func(i int) bool { return !vec.Finite(x.Row(i)) })
		at = p.m.project().Apply(vec.Take(x, rows), p.m.set.Place.Threads)
	}
	members, err := p.m.groups.Predict(ctx, at)
	if err != nil {
		return err
	}
	for k, i := range rows {
		if id := members.ID[k]; id != identity.Noise {
			p.cluster[i] = int64(id)
		}
		p.sure[i], p.outlier[i] = float32(members.Probability[k]), float32(members.Outlier[k])
	}
	return nil
}

// upTo is 0, 1, ... below n.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Output returns rows from..to (to excluded) as an output, for a batch whose ids and kept columns
// have as many rows.
func (p *Places) Output(b *ingest.Batch, from, to int) *emit.Output {
	o := &emit.Output{
		ID: b.ID, Kept: b.Kept, Embedding: p.At.Mu.Slice(from, to), Sigma: emit.Part(p.At.Sigma, from, to),
		NoveltyLocal: emit.Part(p.At.NoveltyLocal, from, to), NoveltyGlobal: emit.Part(p.At.NoveltyGlobal, from, to),
		LogLik:  emit.Part(p.logLik, from, to),
		Cluster: emit.Part(p.cluster, from, to), ClusterProbability: emit.Part(p.sure, from, to), ClusterOutlier: emit.Part(p.outlier, from, to),
		Epoch: p.m.placer.Epoch(), Version: p.m.placer.Version(), MapID: p.m.placer.MapID(),
	}
	p.predicted(o, from, to)
	if p.why != nil {
		o.Reasons, o.Neighbors = make([][]emit.Reason, to-from), make([][]emit.Neighbor, to-from)
		for i, w := range p.why[from:to] {
			if w != nil {
				o.Reasons[i], o.Neighbors[i] = w.Reasons, w.Neighbors
			}
		}
	}
	return o
}

// WithProbabilities returns the same map, which predicts the probabilities of all classes.
func (m *Map) WithProbabilities() *Map {
	out := *m
	out.set.Probabilities = true
	return &out
}

// predicted adds the classes of rows from..to to an output, if any are predicted.
func (p *Places) predicted(o *emit.Output, from, to int) {
	c := p.classes
	if c == nil {
		return
	}
	o.Class, o.Probability = c.Class[from:to], c.Probability[from:to]
	if !p.m.set.Probabilities {
		return
	}
	o.ClassEntropy = c.Entropy[from:to]
	if c.Names == nil {
		o.ClassShares = make([][]emit.ClassShare, to-from)
		return
	}
	o.ClassShares = emit.ClassShares(c.Names, c.All.Slice(from, to))
}

// Message encodes rows from..to (to excluded) of a batch whose row 0 is placed row first, for a
// message with the encoding w; see format.Encoder.Encode.
func (p *Places) Message(ctx context.Context, b *ingest.Batch, w format.Wire, first, from, to int) (value []byte, contentType string, err error) {
	o := p.Output(b, first, first+b.Len())
	if to-from < o.Len() {
		o = o.Slice(from, to)
	}
	return p.m.set.Writer.Encode(ctx, o, w)
}
