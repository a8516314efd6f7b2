package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/stream"
	"unfold/stream/learn"
)

// Figures of restart; times in seconds.
const (
	startWorst, startMiddle = "slowest start", "median start" // seconds
	startCount              = "starts"
	probeCount              = "probes"
	differ                  = "answers that differ"
)

// restart measures the time from a state folder to the first placed event, and checks that the
// outputs equal those before the stop.
func (l *lab) restart(ctx context.Context, o *outcome) error {
	c, err := l.connections(ctx)
	if err != nil {
		return err
	}
	if c.x.Rows < l.large+l.probes {
		return fmt.Errorf("%d distinct connections are fewer than %d", c.x.Rows, l.large+l.probes)
	}
	o.Data, o.Size = "KDD Cup 1999", l.large
	folder, err := os.MkdirTemp("", "refresh")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	probes, err := singles(c.x.Slice(l.large, l.large+l.probes))
	if err != nil {
		return err
	}
	// Few steps, because the start does not depend on the places.
	set := learn.Settings{
		Spec: fit.Spec{PCA: fit.PCANone, Common: models.Common{Seed: 1, Steps: 2, Threads: l.threads}}, Min: l.large, Size: l.large,
		RefreshEvery: time.Hour, State: folder,
	}
	want, err := schooled(ctx, set, c.x.Slice(0, l.large), probes)
	if err != nil {
		return err
	}
	var took []float64
	for range l.starts {
		begin := time.Now()
		again, err := learn.New(set)
		if err != nil {
			return err
		}
		if _, err := place(ctx, again, probes[0]); err != nil {
			return err
		}
		took = append(took, time.Since(begin).Seconds())
		if again.Current().Points != l.large {
			return fmt.Errorf("a map of %d points came back, of %d", again.Current().Points, l.large)
		}
		for i, m := range probes {
			got, err := place(ctx, again, m)
			if err != nil {
				return err
			}
			if string(got) != want[i] {
				o.Figures[differ]++
			}
		}
	}
	o.Figures[startMiddle], o.Figures[startWorst] = harness.Quantile(took, .5), slices.Max(took)
	o.Figures[startCount], o.Figures[probeCount] = float64(l.starts), float64(l.probes)
	l.say("%d starts, median %.3f s, slowest %.3f s; %.0f answers differ", l.starts, o.Figures[startMiddle], o.Figures[startWorst], o.Figures[differ])
	return nil
}

// schooled learns a map of x, places the probes and stops.
func schooled(ctx context.Context, set learn.Settings, x vec.Matrix[float32], probes []stream.Message) (answers []string, err error) {
	a, err := hire(ctx, set)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, a.stop()) }()
	if err := a.begin(ctx, x); err != nil {
		return nil, err
	}
	for _, m := range probes {
		v, err := place(ctx, a.Learner, m)
		if err != nil {
			return nil, err
		}
		answers = append(answers, string(v))
	}
	return answers, nil
}
