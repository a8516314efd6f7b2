package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"unfold/internal/vec"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/kernel"
	"unfold/models/optimize"
)

// task is a full model to learn from a start.
type task struct {
	kernel, start string
	from          *gplvm.Point // start point, if start is not used
	spread        float64      // standard deviation of a random change of the start's places
	seed          uint64
	steps         int
	rounds        int           // if not 0, the largest number of rounds with jumps between them
	most          time.Duration // 0 means no limit
	learn         way
	label         []int // if not nil, the log reports errors
}

// course is the result of a task. It can be stored, so that pictures need not wait for it.
type course struct {
	Theta      []float64
	X          []float64
	LogLik     float64
	Iterations int
	Moved      int
	Seconds    float64
	model      *gplvm.Model
	point      *gplvm.Point
}

// time is the learning time, formatted for a table.
func (c *course) time() string { return fmt.Sprintf("%.1f s", c.Seconds) }

// learn performs a task on the rows of y.
func (b *bench) learn(ctx context.Context, y vec.Matrix[float64], t task) (*course, error) {
	k, err := kernel.Parse(t.kernel)
	if err != nil {
		return nil, err
	}
	m, err := gplvm.New(k, y, b.threads)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	p := t.from
	if p == nil {
		if p, err = m.Begin(ctx, t.start, 2, 1); err != nil {
			return nil, err
		}
	}
	p = &gplvm.Point{Theta: slices.Clone(p.Theta), X: moved(p.X, t.spread, t.seed)}
	if t.learn == nil {
		t.learn = (*gplvm.Model).LearnLBFGS
	}
	set := optimize.Settings{Steps: t.steps, StepTolerance: 1e-4, ValueTolerance: 1e-4, Observe: func(it optimize.Iteration) bool {
		if it.Number%50 == 0 {
			fmt.Fprintf(b.log, "  iteration %d: %.1f after %.0f s", it.Number, -it.F, time.Since(begin).Seconds())
			if t.label != nil {
				fmt.Fprintf(b.log, ", %d errors", mistakes(vec.Of(y.Rows, 2, it.X[k.Len():]), t.label))
			}
			fmt.Fprintln(b.log)
		}
		return t.most == 0 || time.Since(begin) < t.most
	}}
	var r optimize.Result
	moved := 0
	if t.rounds > 0 {
		r, moved, err = m.LearnJumping(ctx, p, t.rounds, set, m.LearnLBFGS)
	} else {
		r, err = t.learn(m, ctx, p, set)
	}
	return &course{Theta: p.Theta, X: p.X.Data, LogLik: -r.F, Iterations: r.Iterations, Moved: moved, Seconds: time.Since(begin).Seconds(), model: m, point: p}, err
}

// kept is learn with a stored result, unless it must be made again.
func (b *bench) kept(ctx context.Context, name string, y vec.Matrix[float64], t task) (*course, error) {
	path := filepath.Join(b.out, name+".json")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || b.again {
		c, err := b.learn(ctx, y, t)
		if err == nil {
			if raw, err = json.Marshal(c); err == nil {
				err = os.WriteFile(path, raw, 0o666)
			}
		}
		return c, err
	}
	if err != nil {
		return nil, err
	}
	c := &course{}
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(c.X) != 2*y.Rows {
		return nil, fmt.Errorf("%s: %d coordinates for %d points; remove it", path, len(c.X), y.Rows)
	}
	k, err := kernel.Parse(t.kernel)
	if err != nil {
		return nil, err
	}
	c.point = &gplvm.Point{Theta: c.Theta, X: vec.Of(y.Rows, 2, c.X)}
	c.model, err = gplvm.New(k, y, b.threads)
	return c, err
}

// predictor returns the process for predictions at places of the map.
func (c *course) predictor() (*gplvm.Active, error) {
	return c.model.Predictor(c.point.Theta, c.point.X, gplvm.Gaussian{Variance: gplvm.DefaultVariance})
}
