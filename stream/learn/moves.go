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
	"unfold/internal/vec"
	"unfold/models/live"
	"unfold/stream"
)

// tellChunk is how many points are told of in one write.
const tellChunk = 256

// tellPatience is how long telling may take at a time; what is left is told the next
// time.
const tellPatience = 30 * time.Second

// tell writes to the topic of moves where points are now that have moved by more
// than the threshold since they were told of last, or all of them if an epoch has
// begun. What cannot be written is tried again before the next refresh; what was
// written is remembered with the reference set, so that a crash makes it come twice
// rather than never. It fails only if the topic refuses a move whatever is tried.
func (l *Learner) tell(ctx context.Context) error {
	if l.set.Moves == nil {
		return nil
	}
	cur := l.current.Load()
	points := l.moved(cur)
	l.untold = true
	// Who does not answer does not hold up learning for ever.
	parent := ctx
	ctx, cancel := context.WithTimeout(parent, tellPatience)
	defer cancel()
	for len(points) > 0 {
		n := min(len(points), tellChunk)
		told, err := l.tellSome(ctx, cur, points[:n])
		var refused *stream.RefusedError
		if errors.As(err, &refused) {
			return fmt.Errorf("telling of moves: %w", refused)
		}
		if err != nil {
			if parent.Err() == nil {
				l.failed(fmt.Errorf("telling of moves: %w", err))
			}
			return nil
		}
		if l.set.Hooks.Moved != nil && told > 0 {
			l.set.Hooks.Moved(told)
		}
		points = points[n:]
	}
	l.untold, l.toldEpoch = false, cur.Epoch
	return nil
}

// leastMove is, as a share of the threshold, what roundings of a place come to at most.
const leastMove = 1e-3

// move is a point to be told of: at that row, if it is still there.
type move struct{ point, row int32 }

// moved lists the points to be told of. Those that nobody was told of yet were
// published as events where they are.
func (l *Learner) moved(cur *published) []move {
	mu := cur.snapshot.Mu
	diameter := cur.Figures.Diameter
	if diameter == 0 {
		diameter = live.Diameter(mu)
	}
	limit := l.set.MovesThreshold * diameter
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []move
	for p := range l.ref.All() {
		r, note := l.ref.Row(p), l.set.told(l.ref.Note(p))
		if r < 0 || len(note) != mu.Cols {
			continue
		}
		at := mu.Row(int(r))
		var far float64
		for k, v := range note {
			far += (float64(v) - at[k]) * (float64(v) - at[k])
		}
		switch {
		case l.untold && far < leastMove*leastMove*limit*limit: // it was told before the rest could not be
		case l.toldEpoch != cur.Epoch || math.Sqrt(far) > limit:
			out = append(out, move{p, r})
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

// tellSome writes some points' places, a message for each of their ids, and returns
// how many points were still there.
func (l *Learner) tellSome(ctx context.Context, cur *published, points []move) (int, error) {
	x := vec.Matrix[float32]{Cols: cur.snapshot.Dim}
	var there []move
	var ids [][]string
	l.mu.Lock()
	idType := l.idType
	for _, m := range points {
		if l.ref.Row(m.point) == m.row {
			there = append(there, m)
			x.Rows, x.Data = x.Rows+1, append(x.Data, l.ref.Vector(m.point)...)
			ids = append(ids, append([]string(nil), l.ref.IDs(m.point)...))
		}
	}
	l.mu.Unlock()
	// An event that equals a reference point is placed where that is, so that these
	// are the bytes that the event itself would have now.
	placed, err := cur.at.Vectors(ctx, x)
	if err != nil {
		return 0, err
	}
	var messages []stream.Message
	for i := range there {
		for _, id := range ids[i] {
			b := &ingest.Batch{ID: idColumn(idType, id)}
			value, err := placed.Message(b, i, i+1)
			if err != nil {
				return 0, err
			}
			messages = append(messages, stream.Message{
				Key: []byte(id), Value: value, Time: cur.At.Truncate(time.Millisecond),
				Headers: append([]stream.Header{{Key: stream.HeaderContentType, Value: []byte(stream.ContentType)}}, cur.Headers()...),
			})
		}
	}
	if len(messages) > 0 {
		if err := l.set.Moves.Write(ctx, messages); err != nil {
			return 0, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken = true
	for _, m := range there {
		if l.ref.Row(m.point) == m.row {
			setNote(l.set.told(l.ref.Note(m.point)), cur.snapshot.Mu.Row(int(m.row)))
		}
	}
	return len(there), nil
}

// idColumn is an id as a column of the type that it came in, if that is a whole
// number of up to 64 bits, else as text.
func idColumn(typ, id string) ingest.Column {
	if strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "uint") {
		if v, err := strconv.ParseInt(id, 10, 64); err == nil {
			return ingest.Int64Column(ingest.IDName, []int64{v})
		}
	}
	return ingest.StringColumn(ingest.IDName, []string{id})
}
