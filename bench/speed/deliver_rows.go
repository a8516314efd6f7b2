package main

import (
	"context"
	"fmt"
	"path/filepath"

	"unfold/bench/internal/relay"
)

// Figures of latency.
const (
	latency       = "latency, p99"
	latencyMedian = "latency, median"
)

// singleRate is how many events a second a stage must take in messages of one.
const singleRate = 20_000

func deliverRow() row {
	return row{
		key: "deliver", title: "Delivery, messages of a thousand events",
		about: `A topic on an Apache Kafka broker holds messages of 1000 events with 50 values each (the vectors of "A million rows") and
an id; 4 partitions. A process reads it from beginning to end and writes another topic. All of it, the
broker too, runs on this machine's processors. The map has 20,000 reference points, learnt by ` + "`unfold run`" + ` from a stream, and is not
refreshed meanwhile. The bare copy is a program with kafka-go's reader and writer and the stage's batches, which
writes what it has read. "Without placing" is the stage's code with a map that puts every event at the origin at no cost. Rates are
between the first and the last message in the output. Profile: shares of the stage's processor time.`,
		targets: []target{
			{what: "rate, of the bare copy's", value: ratio(runOnce, eventRate, bareCopy, eventRate), bound: .5, above: true, format: "%.2f"},
			{what: "rate without placing, of the bare copy's", value: ratio(freeOnce, eventRate, bareCopy, eventRate), bound: .85, above: true, format: "%.2f"},
			{what: "exactly once, of the rate of at least once", value: ratio(runTwice, eventRate, runOnce, eventRate), bound: .8, above: true, format: "%.2f"},
		},
		measure: func(ctx context.Context, b *bench, r *record) error {
			return b.deliver(ctx, r, func(d *delivery) error { return d.rounds(ctx, b.size(800, 8), b.size(1000, 20)) })
		},
	}
}

func singleRow() row {
	return row{
		key: "single", title: "Delivery, messages of one event",
		about: `The same with messages of one event. For latency events come at a steady 10,000 a second, produced by this program on
the same processors in batches of 5 ms, and a consumer of the output, here too: it is from when an event was due to when the
consumer had its place (exactly once: when it was committed, too), of all events after the first two seconds.`,
		targets: []target{
			{what: "rate", value: figure(runOnce, eventRate, 1), bound: singleRate, above: true, unit: "/s", format: "%.0f"},
			{what: "latency at half of that, p99", value: figure(runOnce, latency, 1e3), bound: 50, unit: " ms", format: "%.0f"},
			{what: "exactly once, of the rate of at least once", value: ratio(runTwice, eventRate, runOnce, eventRate), bound: .8, above: true, format: "%.2f"},
		},
		measure: func(ctx context.Context, b *bench, r *record) error {
			return b.deliver(ctx, r, func(d *delivery) error {
				if err := d.rounds(ctx, b.size(200_000, 300), 1); err != nil {
					return err
				}
				return d.latency(ctx)
			})
		},
	}
}

// objectRate is how many events a second a stage must take in JSON objects, each a message.
const objectRate = 40_000

func objectRow() row {
	return row{
		key: "json", title: "Delivery, JSON of one event",
		about: `The same with messages that are a JSON object each, and are answered by one: an id and 50 values, as shortest decimal
numbers. The stage finds the format by itself. The bare copy copies these.`,
		targets: []target{
			{what: "rate", value: figure(runOnce, eventRate, 1), bound: objectRate, above: true, unit: "/s", format: "%.0f"},
			{what: "latency at 10,000 events a second, p99", value: figure(runOnce, latency, 1e3), bound: 50, unit: " ms", format: "%.0f"},
			{what: "exactly once, of the rate of at least once", value: ratio(runTwice, eventRate, runOnce, eventRate), bound: .8, above: true, format: "%.2f"},
		},
		measure: func(ctx context.Context, b *bench, r *record) error {
			return b.deliver(ctx, r, func(d *delivery) error {
				d.json = true
				if err := d.rounds(ctx, b.size(200_000, 300), 1); err != nil {
					return err
				}
				return d.latency(ctx)
			})
		},
	}
}

// rounds fills a topic with messages of so many events and has every program work
// through it.
func (d *delivery) rounds(ctx context.Context, n, events int) error {
	message, err := d.messages(events)
	if err != nil {
		return err
	}
	const in = "events"
	if err := d.broker.Create(ctx, in, partitions); err != nil {
		return err
	}
	if err := d.broker.Fill(ctx, in, partitions, n, message); err != nil {
		return err
	}
	programs := []string{runOnce, runTwice, freeOnce, freeTwice}
	if !d.b.peers.Skip {
		programs = append(programs, bareCopy)
	} else {
		d.r.miss("%s: peers are skipped", bareCopy)
	}
	// The broker's first pass is slower: its code is not compiled yet.
	if _, err := d.pass(ctx, in, n, d.state, freeOnce, ""); err != nil {
		return err
	}
	for range d.b.size(rounds, 1) {
		for _, who := range programs {
			if err := d.measure(ctx, in, n, events, who); err != nil {
				return fmt.Errorf("%s: %w", who, err)
			}
		}
	}
	d.r.note("%d messages of %d bytes, %d events each", n, len(message(0)), events)
	return d.profile(ctx, in, n)
}

// profile notes what shares of a stage's processor time its parts take, both ways of
// delivery.
func (d *delivery) profile(ctx context.Context, in string, n int) error {
	if d.b.small {
		return nil
	}
	for _, who := range []string{runOnce, runTwice} {
		state, err := d.fresh()
		if err != nil {
			return err
		}
		path, err := filepath.Abs(d.b.file("stage.prof"))
		if err != nil {
			return err
		}
		if _, err := d.pass(ctx, in, n, state, who, path); err != nil {
			return err
		}
		shares, err := relay.Shares(ctx, path)
		if err != nil {
			d.r.miss("profile: %v", err)
			return nil
		}
		d.r.note("profile of %s: %s", who, relay.Sentence(shares, "%.0f"))
	}
	return nil
}
