package embed

import (
	"context"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/snapshot"
)

// Decode returns the vectors at the rows of mu, positions on the map of a snapshot that p places on, in
// the terms of its records; see models.Decoder for errors. A model that has no mapping back into the data
// is bad input.
func Decode(ctx context.Context, s *snapshot.Snapshot, p models.Placer, mu vec.Matrix[float32]) (*ingest.Undone, error) {
	decoder, err := models.DecoderOf(p, s.Kind)
	if err != nil {
		return nil, err
	}
	e, err := Encoder(s)
	if err != nil {
		return nil, err
	}
	d, err := decoder.Decode(ctx, mu)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return ingest.AsTheyAre(d.X, d.Sigma, s.Names, s.Shift), nil
	}
	return e.Undo(d.X, d.Sigma), nil
}

// Decode is the function Decode on this map.
func (m *Map) Decode(ctx context.Context, mu vec.Matrix[float32]) (*ingest.Undone, error) {
	return Decode(ctx, m.of, m.placer, mu)
}
