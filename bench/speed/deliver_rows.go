package main

import (
	"context"
	"fmt"
	"path/filepath"

	"unfold/bench/internal/relay"
	"unfold/stream/format"
)

// Figures of latency.
const (
	latency       = "latency, p99"
	latencyMedian = "latency, median"
)

// Targets that several rows of delivery have.
func ofAtLeastOnce() target {
	return target{what: "exactly once, of the rate of at least once", value: ratio(runTwice, eventRate, runOnce, eventRate), bound: .8, above: true, format: "%.2f"}
}

func leastRate(bound float64) target {
	return target{what: "rate", value: figure(runOnce, eventRate, 1), bound: bound, above: true, unit: "/s", format: "%.0f"}
}

func latencyAt(what string) target {
	return target{what: what, value: figure(runOnce, latency, 1e3), bound: 50, unit: " ms", format: "%.0f"}
}

func deliverRow() row {
	return row{
		key: "deliver", title: "Delivery, messages of a thousand events",
		about: `A topic on an Apache Kafka broker holds messages of 1000 events with 50 values each (the vectors of "A million rows") and an id; 4 partitions. A process reads
it from beginning to end and writes another topic, on the same machine as the broker. The map has 20,000 reference points, learnt by ` + "`unfold run`" + ` from a
stream, and is not refreshed. The bare copy is a program with kafka-go's reader and writer and the stage's batches. "Without placing" is the stage with
a map that puts every event at the origin. Rates are between the first and the last message in the output. Profile: shares of the stage's processor
time.`,
		targets: []target{
			{what: "rate, of the bare copy's", value: ratio(runOnce, eventRate, bareCopy, eventRate), bound: .5, above: true, format: "%.2f"},
			{what: "rate without placing, of the bare copy's", value: ratio(freeOnce, eventRate, bareCopy, eventRate), bound: .85, above: true, format: "%.2f"},
			ofAtLeastOnce(),
		},
		measure: func(ctx context.Context, b *bench, r *record) error {
			return b.deliver(ctx, r, format.Arrow, func(d *delivery) error { return d.rounds(ctx, b.size(800, 8), b.size(1000, 20)) })
		},
	}
}

// Target rates of events in separate messages.
const (
	singleRate = 20_000 // Arrow
	objectRate = 40_000 // JSON
)

// singleRows returns the rows for messages of one event, in each format.
func singleRows() (all []row) {
	for _, s := range []struct {
		key, title string
		format     format.Name
		about      string
		targets    []target
	}{
		{"single", "messages of one event", format.Arrow, `The same with messages of one event. For the latency, this program produces a steady 10,000 events a second on
the same processors, in batches of 5 ms, and consumes the output. Latency is the time from when an event was due until
the consumer had its place (with exactly once, committed), for all events after the first two seconds.`,
			[]target{leastRate(singleRate), latencyAt("latency at half of that, p99"), ofAtLeastOnce()}},
		{"json", "JSON of one event", format.JSON, `The same with one JSON object a message, in and out: an id and 50 values, as shortest decimal
numbers. The stage finds the format by itself. The bare copy reads and writes these.`,
			[]target{leastRate(objectRate), latencyAt("latency at 10,000 events a second, p99"), ofAtLeastOnce()}},
		{"avro", "Avro of one event", format.Avro, `The same with one Avro record a message, in and out. A schema registry in this program's
process has their schema, and receives that of the outputs.`, []target{ofAtLeastOnce()}},
		{"protobuf", "Protobuf of one event", format.Protobuf, `The same with messages in Protobuf.`, []target{ofAtLeastOnce()}},
	} {
		all = append(all, row{key: s.key, title: "Delivery, " + s.title, about: s.about, targets: s.targets,
			measure: func(ctx context.Context, b *bench, r *record) error {
				return b.deliver(ctx, r, s.format, func(d *delivery) error {
					if err := d.rounds(ctx, b.size(200_000, 300), 1); err != nil {
						return err
					}
					return d.latency(ctx)
				})
			}})
	}
	return all
}

// rounds fills a topic with messages and makes every program process it.
func (d *delivery) rounds(ctx context.Context, n, each int) error {
	message, err := d.messages(each)
	if err != nil {
		return err
	}
	const in = inTopic
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
			if err := d.measure(ctx, in, n, each, who); err != nil {
				return fmt.Errorf("%s: %w", who, err)
			}
		}
	}
	d.r.note("%d messages of %d bytes, %d events each", n, len(message(0)), each)
	return d.profile(ctx, in, n)
}

// profile records the shares of the parts in a stage's processor time, for both kinds of delivery.
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
