package demo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/plot"
	"unfold/cmd/internal/progress"
	"unfold/cmd/internal/stage"
	"unfold/internal/backoff"
	"unfold/stream"
	"unfold/stream/kafka"
)

// Settings of a demo.
type Settings struct {
	// Folder is the folder of Prepare, where results are written.
	Folder string
	Stream *Stream
	Broker *Broker
	// Stage has the settings of the configuration.
	Stage stage.Settings
	// Rate is the number of events a second of the first round.
	Rate int
	// Stay keeps the stage and its page running after the demo, with the stream repeated, until the
	// context is done.
	Stay bool
	// Done, if set, is called with the result as soon as it is available, and the address of the
	// page.
	Done func(r *Result, page string)
	// Say writes a line for people; Progress reports the progress (may be nil).
	Say      func(format string, args ...any)
	Progress *progress.Reporter
}

// Result has the figures of a finished demo.
type Result struct {
	Messages, Answered, DeadLetters int // sent; placed and delivered; not readable
	Maps                            int
	Latency                         time.Duration // median of a message, read to acknowledged, first round
	Rows                            int           // of the map
	Drawn                           plot.Drawn    // contents of its pictures
	Epoch                           uint32
	Nearest                         *NearestFigures // nil without labels
	Novelty                         *NoveltyFigures // nil for a stream without known classes
	Arrivals                        []Arrival
}

// Run plays the stream twice through the stage, collects the places and writes the result files to
// the folder.
func Run(ctx context.Context, s Settings) (*Result, error) {
	d := &demo{Settings: s, places: newCollector(s.Stage.Mapping.Selection)}
	return d.run(ctx)
}

type demo struct {
	Settings
	places   *collector
	producer producer
	stage    *stage.Stage

	mu        sync.Mutex
	paced     int // 1 while the stream is played at its own speed, else 0
	maps      int
	letters   int // dead letters so far
	latencies []time.Duration
}

func (d *demo) run(ctx context.Context) (r *Result, err error) {
	d.Say("stream    %s", d.Stream.describe())
	err = d.live(ctx, func(ctx context.Context) (err error) {
		if r, err = d.result(ctx); err == nil && d.Done != nil {
			d.Done(r, "http://"+d.stage.Address())
		}
		return err
	})
	return r, err
}

// result writes the collected places to files, and returns the figures.
func (d *demo) result(ctx context.Context) (*Result, error) {
	str := d.Stream
	parts := d.places.places()
	frame, epoch := newest(parts)
	label := d.Stage.Mapping.Label
	d.mu.Lock()
	maps, latency := d.maps, middle(d.latencies)
	d.mu.Unlock()
	r := &Result{
		Messages: 2*len(str.messages) + len(str.broken), Answered: answered(parts), DeadLetters: d.places.deadLetters(), Maps: maps,
		Latency: latency, Epoch: epoch, Arrivals: arrivals(parts, label, str.normal, d.Stage.Config.Reference.Min),
	}
	if r.Answered+r.DeadLetters != r.Messages {
		return nil, fmt.Errorf("of %s %d were answered and %d became dead letters", humanize.Plural(r.Messages, "message"), r.Answered, r.DeadLetters)
	}
	for _, p := range frame {
		r.Rows += p.Len()
	}
	d.Progress.Stage("draw", "", 0)
	err := errors.Join(writeMap(filepath.Join(d.Folder, PlacesFile), parts), writeMap(filepath.Join(d.Folder, MapFile), frame))
	if err != nil {
		return nil, err
	}
	if r.Drawn, err = draw(d.Folder, str, label, frame); err != nil {
		return nil, err
	}
	if label != "" {
		d.Progress.Stage("compare", "", 0)
		if r.Nearest, err = d.nearest(ctx, parts); err != nil {
			return nil, err
		}
	}
	if str.data != "" {
		d.Progress.Stage("novelty", "", 0)
		figures, err := Novelty(ctx, str.data, 1)
		if err != nil {
			return nil, err
		}
		r.Novelty = &figures
	}
	d.Progress.End()
	return r, nil
}

// live runs the stage between a producer and a consumer. done is called after the stream has been
// played, before the stage ends.
func (d *demo) live(outer context.Context, done func(context.Context) error) (err error) {
	ctx, fail := context.WithCancelCause(outer)
	defer fail(nil)
	settings := d.Stage
	settings.Hooks = d.hooks()
	if d.stage, err = stage.Open(ctx, settings); err != nil {
		return err
	}
	d.Say("stage     running; while it does, its live map is at http://%s and its figures are at /metrics there", d.stage.Address())
	working, stop := context.WithCancel(ctx)
	collecting, enough := context.WithCancel(working)
	defer enough()
	var helpers sync.WaitGroup
	for _, work := range []func(context.Context) error{
		d.stage.Run,
		func(context.Context) error { return d.places.run(collecting, d.Broker.Addresses()) },
	} {
		helpers.Go(func() {
			if err := work(working); err != nil {
				fail(err)
			}
		})
	}
	defer func() {
		stop()
		helpers.Wait()
		err = errors.Join(err, d.stage.Close())
		if cause := context.Cause(ctx); errors.Is(err, context.Canceled) && cause != nil {
			err = cause
		}
	}()
	sink, err := kafka.NewSink(ctx, kafka.SinkSettings{Cluster: kafka.Cluster{Brokers: d.Broker.Addresses()}, Topic: d.Stream.Topic})
	if err != nil {
		return err
	}
	defer sink.Close()
	d.producer.sink, d.producer.topic = sink, d.Stream.Topic
	if err := d.rounds(ctx); err != nil {
		return err
	}
	if err := done(ctx); err != nil || !d.Stay {
		return err
	}
	enough()
	if err := d.stay(ctx); outer.Err() == nil {
		return err
	}
	return nil // ended by the user
}

// calm is the factor that slows down the stream while the page is shown.
const calm = 4

// stay repeats the stream until the context is done. Memory stays bounded, because the broker
// deletes old messages.
func (d *demo) stay(ctx context.Context) error {
	for {
		if err := d.producer.play(ctx, d.Stream, max(d.Rate/calm, 1), false); err != nil {
			return err
		}
		d.Broker.forget()
	}
}

// rounds plays the stream twice: first while the map is learnt, then on the finished map.
func (d *demo) rounds(ctx context.Context) error {
	n, broken := len(d.Stream.messages), len(d.Stream.broken)
	d.pace(1)
	if err := d.round(ctx, "round 1", d.Rate, n+broken, 0); err != nil {
		return err
	}
	d.pace(0)
	d.Progress.Stage("learning", "", 0)
	if err := d.awaitMap(ctx); err != nil {
		return err
	}
	return d.round(ctx, "round 2", 0, 2*n+broken, d.places.placed())
}

// pace sets whether latencies are recorded.
func (d *demo) pace(v int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paced = v
}

// round sends the stream once. It waits until the given total of messages have been placed or
// become dead letters. before is the number of events of earlier rounds.
func (d *demo) round(ctx context.Context, name string, rate, messages int, before int64) error {
	d.Progress.Stage(name, d.Stream.Event+"s", int64(d.Stream.Events))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sending := make(chan error, 1)
	go func() {
		err := d.producer.play(ctx, d.Stream, rate, before == 0)
		if err != nil {
			stop(err) // messages that were not sent would never arrive
		}
		sending <- err
	}()
	err := d.places.await(ctx, messages, func(events int64) { d.Progress.Set(events - before) })
	if err := errors.Join(<-sending, err); err != nil {
		return err
	}
	d.Progress.End()
	return nil
}

// mapPatience is the timeout for a map learnt from all events.
const mapPatience = 5 * time.Minute

// awaitMap waits for a map that was learnt from all sent messages.
func (d *demo) awaitMap(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, mapPatience)
	defer cancel()
	for !d.hasSeenAll() {
		if err := backoff.Wait(ctx, 20*time.Millisecond); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("no map of the whole stream within %s", mapPatience)
			}
			return err
		}
	}
	return nil
}

func (d *demo) hasSeenAll() bool {
	positions, waiting := d.stage.Learner().Seen()
	if waiting > 0 {
		return false
	}
	seen := map[int]int64{}
	for _, at := range positions {
		if at.Topic == d.Stream.Topic {
			seen[at.Partition] = at.Offset
		}
	}
	// Dead letters are never learnt from, and the last message may be one.
	behind := int64(d.places.deadLetters())
	for partition, sent := range d.producer.sent {
		if seen[partition] < sent-behind {
			return false
		}
	}
	return true
}

// fewLetters is the number of dead letters that are reported individually.
const fewLetters = 5

// report reports why a message became a dead letter, for the first ones.
func (d *demo) report(reason error) {
	d.mu.Lock()
	d.letters++
	n := d.letters
	d.mu.Unlock()
	switch {
	case n <= fewLetters:
		d.Progress.Above(func() { d.Say("dead letter: %v", reason) })
	case n == fewLetters+1:
		d.Progress.Above(func() { d.Say("dead letters go on; they are on topic %s", d.Stream.deadLetters()) })
	}
}

// hooks returns hooks that report maps and dead letters, and record latencies.
func (d *demo) hooks() stream.Hooks {
	return stream.Hooks{
		Published: func(p *stream.Published, took time.Duration) {
			d.mu.Lock()
			d.maps++
			d.mu.Unlock()
			d.Progress.Above(func() {
				d.Say("map %-5d learnt in %s: %s", p.Version, humanize.Span(took), humanize.Plural(p.Points, "reference point"))
			})
		},
		DeadLettered: func(m stream.Message, _ stream.Stage, reason error) {
			d.report(reason)
			d.places.deadLetter()
		},
		RefreshFailed: func(err error) { d.Progress.Above(func() { d.Say("no new map: %v", err) }) },
		Delivered: func(_ stream.TopicPartition, messages, _ int, latency time.Duration) {
			d.mu.Lock()
			defer d.mu.Unlock()
			for range messages * d.paced {
				d.latencies = append(d.latencies, latency)
			}
		},
	}
}
