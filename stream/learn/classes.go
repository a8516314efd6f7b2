package learn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/models/ep/labels"
	"unfold/models/live"
	"unfold/stream"
)

// label adds the labelled events of a batch to the pool. The caller must hold the lock, or no other
// goroutine may be running.
func (in *intake) label(b *ingest.Batch) {
	if !in.set.trains() {
		return
	}
	at := slices.IndexFunc(b.Kept, func(c table.Column) bool { return c.Name() == in.set.Mapping.Label })
	if at < 0 {
		return
	}
	for i := range b.Len() {
		text, id := labelOf(b.Kept[at], i), ""
		if text == "" {
			continue
		}
		if b.ID.Valid() {
			id = b.ID.Text(i)
		}
		if in.pool == nil {
			in.pool = labels.NewPool(b.X.Cols, 0)
		}
		in.pool.Add(b.X.Row(i), id, text)
	}
}

// labelOf returns the label of a row as text, or "" for null, empty text and NaN.
func labelOf(c table.Column, row int) string {
	if c.IsNull(row) {
		return ""
	}
	if v, number := c.Float(row); number && math.IsNaN(v) {
		return ""
	}
	return c.Text(row)
}

// unlabel removes the label of a deleted event from the pool. The caller must hold the lock, or no
// other goroutine may be running.
func (in *intake) unlabel(id string) {
	if in.pool != nil {
		in.pool.Delete(id)
	}
}

// learnClasses learns the classifier of a map that is about to be published. Its examples are the
// labelled events at their places on this map. Meanwhile, new events are accepted and placed on the
// previous map. Labels from which nothing can be learnt do not block the map. A map that predicts
// classes by itself keeps its classifier.
func (p *publisher) learnClasses(ctx context.Context, next *published) error {
	if own := next.at.Classes(); own != nil && !p.set.trains() {
		next.Stats.Classes = stream.ClassStats{Classes: len(own.Names)}
		return nil
	}
	pool := p.in.labelled()
	if pool == nil {
		return nil
	}
	begin := time.Now()
	var old *labels.Classifier
	cur := p.current.Load()
	if cur != nil {
		old = cur.at.Classes()
	}
	set := labels.Swift()
	set.Threads, set.Fixed = p.set.spec().Threads, old != nil && cur.Epoch == next.Epoch && next.Stats.Kind != live.Major.String()
	c, did, err := pool.Train(ctx, next.at.Placer(), old, set)
	f := stream.ClassStats{Took: time.Since(begin), Used: did.Used, Warm: did.Warm, Sweeps: did.Sweeps, Negative: did.Negative}
	if c != nil {
		f.Classes = len(c.Names)
	}
	f.Labelled = p.in.labelsSeen()
	f.Behind = f.Labelled - pool.Seen()
	next.Stats.Classes = f
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		p.failed(fmt.Errorf("learning classes from column %q: %w", p.set.Mapping.Label, err))
		return nil
	}
	return next.classify(c, pool)
}

// labelled returns a copy of the pool, nil if it is empty.
func (in *intake) labelled() *labels.Pool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.pool == nil || in.pool.Len() == 0 {
		return nil
	}
	return in.pool.Clone()
}

// labelsSeen returns the number of labelled events that were accepted.
func (in *intake) labelsSeen() uint64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.pool.Seen()
}

// classify stores a classifier and the pool from which it was learnt in a map.
func (p *published) classify(c *labels.Classifier, pool *labels.Pool) error {
	own, err := c.Parts()
	if err != nil {
		return err
	}
	kept, err := pool.Parts()
	if err != nil {
		return err
	}
	p.snapshot.Parts = slices.Concat(p.snapshot.Parts, own, kept)
	p.at = p.at.WithClasses(c)
	p.Map = p.at
	return nil
}
