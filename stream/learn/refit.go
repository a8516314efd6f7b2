package learn

import (
	"context"
	"time"

	"unfold/internal/vec"
	"unfold/models/ep/labels"
	"unfold/models/live"
	"unfold/models/placing"
	"unfold/stream"
)

// refit learns a map of the present reference set from scratch and begins a new epoch. It aligns
// the map with the previous one by rotation, reflection and translation.
func (r *refresher) refit(ctx context.Context) (d *draft, err error) {
	begin, cur := time.Now(), r.out.current.Load()
	old := cur.snapshot
	ref := r.in.lock()
	ref.Rebind(nil)
	c := ref.Changes()
	positions, label := r.in.offsets(), r.in.labelsOf(ref, c)
	was := make([]int32, c.X.Rows)
	for i := range was {
		p, _ := ref.Point(c, i)
		was[i] = ref.Row(p)
	}
	r.in.unlock()
	defer func() {
		if err != nil {
			r.in.lock().Rebind(upTo(old.Reference.Rows))
			r.in.unlock()
		}
	}()
	f, err := r.fit(ctx, c.X, label)
	if err != nil {
		return nil, err
	}
	s := f.snapshot
	s.Version, s.Epoch = old.Version+1, old.Epoch+1
	s.Encoder, s.Shift, s.Names, s.Positions = old.Encoder, old.Shift, old.Names, positions
	if err := layOn(ctx, cur, f, c.X); err != nil {
		return nil, err
	}
	stats := stream.Stats{Kind: "refit", Points: s.Reference.Rows, Diameter: live.Diameter(s.Mu)}
	var from, to []float64
	for i, row := range was {
		if row >= 0 && s.Mu.Cols == old.Mu.Cols {
			from, to = append(from, old.Mu.Row(int(row))...), append(to, s.Mu.Row(int(f.row[i]))...)
		}
	}
	stayed := len(from) / s.Mu.Cols
	stats.Born, stats.Gone = max(0, stats.Points-stayed), max(0, old.Reference.Rows-stayed)
	stats.Moves = quantiles(live.Measure(vec.Of(stayed, s.Mu.Cols, from), vec.Of(stayed, s.Mu.Cols, to), stats.Diameter))
	r.in.lock().Took(c, f.row)
	r.in.unlock()
	// The map was moved after learning, so the live map must be restored from there.
	r.follow = nil
	return &draft{snapshot: s, rowOf: upTo(s.Reference.Rows), encoder: cur.at.Encoder(), begin: begin, stats: stats}, nil
}

// shared bounds the number of events by which two maps are aligned.
const shared = 2000

// layOn aligns a map with the old one by points of the new reference set. Their new places are
// matched with their places on the old map, which for points of the old map are those that they
// had.
func layOn(ctx context.Context, old *published, f *fitted, x vec.Matrix[float32]) error {
	mu := f.snapshot.Mu
	if mu.Cols != old.snapshot.Mu.Cols || x.Cols != old.snapshot.Dim {
		return nil
	}
	n := min(x.Rows, shared)
	rows := make([]int32, n)
	for i := range rows {
		rows[i] = int32(i * x.Rows / n)
	}
	before, err := old.at.Placer().Place(ctx, vec.Take(x, rows))
	if err != nil {
		return err
	}
	from := vec.New[float64](n, mu.Cols)
	for i, r := range rows {
		copy(from.Row(i), mu.Row(int(f.row[r])))
	}
	was := mu.Clone()
	live.Align(mu, from, vec.Convert[float64](before.Mu))
	return labels.Move(f.snapshot, placing.NewMotion(was, mu))
}
