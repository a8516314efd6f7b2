package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"unfold/bench/internal/harness"
	"unfold/bench/internal/served"
	"unfold/stream"
)

// latency measures the delay of events that arrive one by one, for both kinds of delivery.
func (d *delivery) latency(ctx context.Context) error {
	message, err := d.messages(1)
	if err != nil {
		return err
	}
	for _, who := range []string{runOnce, runTwice} {
		for round := range d.b.size(rounds-1, 1) {
			took, err := d.paced(ctx, fmt.Sprintf("paced-%d-%d", d.started, round), who, message)
			if err != nil {
				return fmt.Errorf("%s: %w", who, err)
			}
			d.r.add(who, latency, seconds, harness.Quantile(took, .99))
			d.r.add(who, latencyMedian, seconds, harness.Quantile(took, .5))
		}
	}
	return nil
}

// warmUp returns the time for which events are not counted.
func (b *bench) warmUp() time.Duration {
	return time.Duration(b.size(int(2*time.Second), int(300*time.Millisecond)))
}

// paced writes events at a rate into a new topic. It returns, for each, the seconds from its due
// time until it is read downstream.
func (d *delivery) paced(ctx context.Context, in, who string, message func(i int) []byte) (took []float64, err error) {
	rate, n := float64(d.b.size(singleRate/2, 500)), d.b.size(10*singleRate/2, 500)
	warmUp := d.b.warmUp()
	if err := d.broker.Create(ctx, in, partitions); err != nil {
		return nil, err
	}
	state, err := d.fresh()
	if err != nil {
		return nil, err
	}
	out, s, _, err := d.begin(ctx, in, state, who, "")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop(), d.broker.Delete(ctx, in), d.broker.Delete(ctx, out)) }()
	f := &follower{begin: time.Now().Add(warmUp), came: make([]atomic.Int64, n)}
	following, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	var failed error
	wg.Go(func() { failed = d.broker.Follow(following, out, partitions, f.seen) })
	// Meanwhile the stage joins its group.
	time.Sleep(time.Until(f.begin))
	if err := d.broker.Pace(ctx, in, partitions, n, f.begin, rate, message); err != nil {
		return nil, err
	}
	late, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err = served.Until(late, func() (bool, error) { return f.count.Load() >= int64(n), nil }, s)
	stop()
	wg.Wait()
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	for i := range f.came {
		if due := time.Duration(float64(i) / rate * float64(time.Second)); due >= warmUp {
			took = append(took, (time.Duration(f.came[i].Load()) - due).Seconds())
		}
	}
	return took, nil
}

// follower records the time when each message is first read.
type follower struct {
	begin time.Time
	// came are nanoseconds since begin, by message number.
	came  []atomic.Int64
	count atomic.Int64
}

func (f *follower) seen(_ int, m *stream.Message) {
	p, _, ok := stream.Origin(m)
	i := int(p.Offset)*partitions + p.Partition
	if ok && i < len(f.came) && f.came[i].CompareAndSwap(0, max(1, int64(time.Since(f.begin)))) {
		f.count.Add(1)
	}
}
