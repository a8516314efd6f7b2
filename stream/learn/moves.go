package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/live"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/format"
)

// movesChunk is the number of points that are written at a time.
const movesChunk = 256

// movesPatience bounds the time of one attempt to emit. The rest is emitted the next time.
const movesPatience = 30 * time.Second

// emit writes the moves and the cluster events of a map to their topics.
func (p *publisher) emit(ctx context.Context) error {
	if err := p.emitMoves(ctx); err != nil {
		return err
	}
	return p.emitGroups(ctx)
}

// emitMoves writes the present places of points to the topic of moves: of points that have moved by
// more than the threshold since they were last emitted, or of all points if an epoch has begun. If
// writing fails it is retried before the next refresh. The places that were written are saved with
// the reference set, so moves are delivered at least once across crashes. It returns an error only
// if the topic permanently rejects a move.
func (p *publisher) emitMoves(ctx context.Context) error {
	if p.set.Moves == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	cur := p.current.Load()
	points := p.moved(cur)
	p.movesPending = true
	// A topic that does not respond must not block learning for ever.
	parent := ctx
	ctx, cancel := context.WithTimeout(parent, movesPatience)
	defer cancel()
	for len(points) > 0 {
		n := min(len(points), movesChunk)
		emitted, err := p.emitSome(ctx, cur, points[:n])
		var refused *stream.RefusedError
		if errors.As(err, &refused) {
			return fmt.Errorf("emitting moves: %w", refused)
		}
		if err != nil {
			if parent.Err() == nil {
				p.failed(fmt.Errorf("emitting moves: %w", err))
			}
			return nil
		}
		if p.set.Hooks.Moved != nil && emitted > 0 {
			p.set.Hooks.Moved(emitted)
		}
		points = points[n:]
	}
	p.movesPending, p.movesEpoch = false, cur.Epoch
	return nil
}

// emitPending emits the moves that failed before.
func (p *publisher) emitPending(ctx context.Context) error {
	p.mu.Lock()
	moves, groups := p.movesPending, p.groupsPending
	p.mu.Unlock()
	if moves {
		if err := p.emitMoves(ctx); err != nil {
			return err
		}
	}
	if groups {
		return p.emitGroups(ctx)
	}
	return nil
}

// leastMove bounds the rounding errors of a place, as a share of the threshold.
const leastMove = 1e-3

// move is a point to be emitted, if it is still at that row.
type move struct{ point, row int32 }

// moved lists the points to be emitted. It assumes that points without a note have been published
// where they are.
func (p *publisher) moved(cur *published) []move {
	mu := cur.snapshot.Mu
	diameter := cur.Stats.Diameter
	if diameter == 0 {
		diameter = live.Diameter(mu)
	}
	limit := p.set.MovesThreshold * diameter
	ref := p.in.lock()
	defer p.in.unlock()
	var out []move
	for point := range ref.All() {
		r, note := ref.Row(point), p.set.published(ref.Note(point))
		if len(note) != mu.Cols {
			continue
		}
		if r < 0 {
			if p.movesEpoch != cur.Epoch && !unpublished(note) {
				elsewhere(note) // it will be emitted with a map of the new epoch
			}
			continue
		}
		at := mu.Row(int(r))
		var far float64
		for k, v := range note {
			far += (float64(v) - at[k]) * (float64(v) - at[k])
		}
		switch {
		case p.movesPending && far < leastMove*leastMove*limit*limit: // it was emitted before the others failed
		case p.movesEpoch != cur.Epoch || math.Sqrt(far) > limit:
			out = append(out, move{point, r})
		case math.IsNaN(far):
			setNote(note, at)
		}
	}
	return out
}

func setNote(note []float32, at []float64) {
	for k, v := range at {
		note[k] = float32(v)
	}
}

// unpublished reports whether the published place of a point is unknown.
func unpublished(note []float32) bool { return len(note) > 0 && note[0] != note[0] }

// elsewhere marks a point as published at a place that differs from any place on the map in use, so
// that it is emitted with the next map.
func elsewhere(note []float32) {
	for k := range note {
		note[k] = float32(math.Inf(1))
	}
}

// serve records the map on which events are placed from now on.
func (in *intake) serve(p stream.Published) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.serving = p
	in.serving.Map = nil // it would stay in memory
}

// publishedAt records where an event of a point was published. If the event was placed on another
// map than the one in use, it is late, and a reader that keeps the newest place of an id may ignore
// it. The point is then emitted with the next map in any case. The caller must hold the lock.
func (in *intake) publishedAt(p int32, at *embed.Placement, row int) {
	note := in.set.published(in.ref.Note(p))
	switch now := &in.serving; {
	case at == nil || len(note) != at.At.Cols: // another process published it, or moves are off
	case at.MapID != now.MapID || at.Epoch != now.Epoch || at.Version != now.Version:
		elsewhere(note)
	case unpublished(note) || len(in.ref.IDs(p)) <= 1:
		copy(note, at.At.Row(row))
	}
}

// emitSome writes the places of some points, a message for each of their ids. It returns the number
// of points that were still there.
func (p *publisher) emitSome(ctx context.Context, cur *published, points []move) (int, error) {
	there, x, ids, idType, wire := p.in.still(points, cur.snapshot.Dim)
	// An event that equals a reference point is placed at that point, so these are the bytes that
	// the event itself would get now.
	placed, err := cur.at.Vectors(ctx, x)
	if err != nil {
		return 0, err
	}
	var messages []stream.Message
	for i := range there {
		for _, id := range ids[i] {
			b := &ingest.Batch{ID: idColumn(idType, id), X: x.Slice(i, i+1)}
			value, contentType, err := p.set.MovesWriter.Encode(ctx, placed.Output(b, i, i+1), wire)
			if err != nil {
				return 0, err
			}
			messages = append(messages, stream.Message{
				Key: []byte(id), Value: value, Time: cur.At.Truncate(time.Millisecond),
				Headers: append([]stream.Header{{Key: stream.HeaderContentType, Value: []byte(contentType)}}, cur.Headers()...),
			})
		}
	}
	if len(messages) > 0 {
		if err := p.set.Moves.Write(ctx, messages); err != nil {
			return 0, err
		}
	}
	p.in.moved(there, cur.snapshot.Mu)
	return len(there), nil
}

// still lists the points that are still at their rows, with their vectors of dim values, their ids,
// the type of ids, and the present format of messages.
func (in *intake) still(points []move, dim int) (there []move, x vec.Matrix[float32], ids [][]string, idType string, w format.Wire) {
	in.mu.Lock()
	defer in.mu.Unlock()
	x.Cols = dim
	for _, m := range points {
		if in.ref.Row(m.point) == m.row {
			there = append(there, m)
			x.Rows, x.Data = x.Rows+1, append(x.Data, in.ref.Vector(m.point)...)
			ids = append(ids, append([]string(nil), in.ref.IDs(m.point)...))
		}
	}
	return there, x, ids, in.idType, format.Wire{Format: in.format}
}

// moved records the published places of points.
func (in *intake) moved(points []move, mu vec.Matrix[float64]) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.unsaved = true
	for _, m := range points {
		if in.ref.Row(m.point) == m.row {
			setNote(in.set.published(in.ref.Note(m.point)), mu.Row(int(m.row)))
		}
	}
}

// idColumn returns an id as a column of its original type if that is an integer type of up to 64
// bits, else as text.
func idColumn(typ, id string) table.Column {
	if strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "uint") {
		if v, err := strconv.ParseInt(id, 10, 64); err == nil && typ != "uint64" {
			return table.Int64Column(emit.IDName, []int64{v})
		}
		if v, err := strconv.ParseUint(id, 10, 64); err == nil {
			return table.Uint64Column(emit.IDName, []uint64{v})
		}
	}
	return table.StringColumn(emit.IDName, []string{id})
}
