package main

import (
	"context"
	"errors"
	"os"
	"time"

	"unfold/bench/internal/harness"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/stream/learn"
	"unfold/stream/reference"
)

// Figures of serving; times in seconds.
const (
	stillP50, stillP99   = "still p50", "still p99" // seconds
	duringP50, duringP99 = "during p50", "during p99"
	stillCount           = "still count"
	duringCount          = "during count"
	refreshCount         = "refreshes"
	majorCount           = "majors"
)

// pause is between two events.
const pause = 200 * time.Microsecond

// serve measures the time of placing single events, without a refresh and during one, interleaved.
func (l *lab) serve(ctx context.Context, o *outcome) (err error) {
	folder, err := os.MkdirTemp("", "refresh")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	a, err := hire(ctx, learn.Settings{
		Spec: fit.Spec{PCA: fit.PCANone, Common: models.Common{Seed: 1, Steps: l.set.LVM.Steps}}, Min: l.size, Size: l.size,
		Policy: reference.Window, RefreshEvery: 10 * time.Millisecond, State: folder,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.stop()) }()
	if err := a.begin(ctx, l.d.x.Slice(0, l.size)); err != nil {
		return err
	}
	probes, err := singles(l.d.x.Slice(l.d.x.Rows-l.probes, l.d.x.Rows))
	if err != nil {
		return err
	}
	asked, next := 0, l.size
	ask := func(times *[]float64) error {
		begin := time.Now()
		_, err := place(ctx, a.Learner, probes[asked%len(probes)])
		*times = append(*times, time.Since(begin).Seconds())
		asked++
		time.Sleep(pause)
		return err
	}
	var without, during []float64
	for range l.long * 6 / 10 {
		for end := time.Now().Add(l.still); time.Now().Before(end); {
			if err := ask(&without); err != nil {
				return err
			}
		}
		if err := a.feed(ctx, l.d.x.Slice(next, next+l.block())); err != nil {
			return err
		}
		next += l.block()
		for learning := true; learning; {
			select {
			case f := <-a.published:
				learning = false
				o.Figures[refreshCount]++
				if f.Kind == live.Major.String() {
					o.Figures[majorCount]++
				}
			case err := <-a.failed:
				return err
			default:
				if err := ask(&during); err != nil {
					return err
				}
			}
		}
	}
	o.Figures[stillP50], o.Figures[stillP99] = harness.Quantile(without, .5), harness.Quantile(without, .99)
	o.Figures[duringP50], o.Figures[duringP99] = harness.Quantile(during, .5), harness.Quantile(during, .99)
	o.Figures[stillCount], o.Figures[duringCount] = float64(len(without)), float64(len(during))
	l.say("p50 %.0f us, p99 %.0f us; during %.0f refreshes %.0f us, %.0f us", 1e6*o.Figures[stillP50], 1e6*o.Figures[stillP99],
		o.Figures[refreshCount], 1e6*o.Figures[duringP50], 1e6*o.Figures[duringP99])
	return nil
}
