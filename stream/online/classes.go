package online

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/ingest"
	"unfold/models"
	"unfold/models/ep/labels"
)

// label shows the labelled events of a batch to the pool. The lock is held, or nobody
// else is at work.
func (l *Learner) label(b *ingest.Batch) {
	if !l.set.Classify {
		return
	}
	at := slices.IndexFunc(b.Kept, func(c ingest.Column) bool { return c.Name() == l.set.Mapping.Label })
	if at < 0 {
		return
	}
	for i := range b.Len() {
		if b.Kept[at].IsNull(i) {
			continue
		}
		text, id := b.Kept[at].Text(i), ""
		if text == "" {
			continue
		}
		if b.ID.Valid() {
			id = b.ID.Text(i)
		}
		if l.pool == nil {
			l.pool = labels.NewPool(b.X.Cols, 0)
		}
		l.pool.Add(b.X.Row(i), id, text)
	}
}

// unlabel forgets the label of an event that is gone. The lock is held, or nobody else
// is at work.
func (l *Learner) unlabel(id string) {
	if l.pool != nil {
		l.pool.Delete(id)
	}
}

// How classes are learnt in a stream: so that twenty of them hold up a map by a second
// or two on one core, where package labels' own would take ten times as long. The sites
// go on from one map to the next.
const (
	classInducing = 64
	classEvents   = 1500
	classSweeps   = 6
)

// learnClasses learns, from the labelled events where the map places them, what is told
// of classes on a map that is about to be published. A map is not held up by labels
// that nothing can be learnt from.
func (l *Learner) learnClasses(ctx context.Context, p *published) error {
	l.mu.Lock()
	var pool *labels.Pool
	if l.pool != nil && l.pool.Len() > 0 {
		pool = l.pool.Clone()
	}
	l.mu.Unlock()
	if pool == nil {
		return nil
	}
	var old *labels.Classifier
	cur := l.current.Load()
	if cur != nil {
		old = cur.placing.classes
	}
	c, _, err := pool.Train(ctx, p.placing.placer, old, labels.Settings{
		Inducing: classInducing, Most: classEvents, Sweeps: classSweeps,
		Threads: threads(l.set.Spec), Fixed: old != nil && cur.Epoch == p.Epoch,
	})
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		l.failed(fmt.Errorf("learning classes: %w", err))
		return nil
	}
	own, err := c.Parts()
	if err != nil {
		return err
	}
	kept, err := pool.Parts()
	if err != nil {
		return err
	}
	p.snapshot.Parts = slices.Concat(p.snapshot.Parts, own, kept)
	p.placing.classes = c
	return nil
}

// classified are the classes of placed events and their probabilities; nil where none are
// told.
type classified struct {
	class       []string
	probability []float32
}

// tell returns the classes of placed events: "" and NaN as long as no label has come.
func (p *placing) tell(at models.Placed) (t classified, err error) {
	if !p.classify {
		return t, nil
	}
	n := at.Mu.Rows
	t = classified{make([]string, n), make([]float32, n)}
	if p.classes == nil {
		for i := range t.probability {
			t.probability[i] = float32(math.NaN())
		}
		return t, nil
	}
	number := make([]int32, n)
	if err := p.classes.Predict(number, t.probability, at.Mu, at.Sigma, 0); err != nil {
		return classified{}, err
	}
	for i, c := range number {
		t.class[i] = p.classes.Names[c]
	}
	return t, nil
}
