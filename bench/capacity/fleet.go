package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"time"

	"unfold/bench/internal/relay"
	"unfold/bench/internal/served"
	"unfold/bench/internal/traffic"

	"unfold/ingest/emit"
	"unfold/ingest/table"
)

// Pass is the cost of processing a topic with a fleet of embedders.
type Pass struct {
	Embedders int
	// Rate is the total in events per second. Own and Broker are seconds of processor time per
	// event, of all embedders and of the broker.
	Rate, Own, Broker float64
}

// Learning is the cost of the learner.
type Learning struct {
	// Rate is in events per second. Read is the processor time of reading an event, in seconds.
	// Refresh is the processor time of a refresh of a map of Points, including storing and
	// announcing it. Bytes is the size of its snapshot.
	Rate, Read, Refresh float64
	Points              int
}

// Figures are all measurements.
type Figures struct {
	Cores     int
	Kafka     string        // version; "" for an embedded broker
	Placing   []Placing     // maps of its own
	Fleet     Placing       // the fleet's map
	Shares    []relay.Share // of an embedder's processor time
	Passes    []Pass
	Learning  Learning
	In, Out   float64 // bytes an event in the topics
	Partition int     // partitions of the source
	Day       time.Time
}

const partitions = 8

// broker starts a broker without topics.
func (l *lab) broker(ctx context.Context) (*traffic.Broker, error) {
	if l.small {
		return traffic.Embedded()
	}
	return traffic.Apache(ctx)
}

// measure measures everything.
func (l *lab) measure(ctx context.Context) (f *Figures, err error) {
	f = &Figures{Cores: runtime.NumCPU(), Partition: partitions, Day: time.Now().UTC()}
	for _, n := range l.points {
		for _, dim := range l.dims {
			p, err := l.placing(ctx, n, dim)
			if err != nil {
				return nil, err
			}
			l.say("%d points of %d values: %.1f us", n, dim, p.Seconds*1e6)
			f.Placing = append(f.Placing, p)
		}
	}
	b, err := l.broker(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	f.Kafka = b.Version
	points := l.points[len(l.points)-1]
	for topic, n := range map[string]int{"maps": 1, "first": partitions, "in": partitions, "long": partitions} {
		if err := b.Create(ctx, topic, n); err != nil {
			return nil, err
		}
	}
	message, size, err := messages(l.reading)
	if err != nil {
		return nil, err
	}
	f.In = float64(size) / eventRows
	if err := errors.Join(b.Fill(ctx, "first", partitions, points/eventRows, message), b.Fill(ctx, "in", partitions, l.messages, message),
		b.Fill(ctx, "long", partitions, l.reading, message)); err != nil {
		return nil, err
	}
	state, err := filepath.Abs(filepath.Join(l.out, "state"))
	if err != nil {
		return nil, err
	}
	if f.Learning, err = l.learning(ctx, b, points, state); err != nil {
		return nil, err
	}
	if f.Fleet, err = l.placingOfFleet(ctx, state); err != nil {
		return nil, err
	}
	if f.Shares, err = l.profile(ctx, b, points, state); err != nil {
		return nil, err
	}
	for _, n := range l.fleets {
		p, err := l.pass(ctx, b, n, points)
		if err != nil {
			return nil, err
		}
		l.say("%d embedders: %.0f events/s", n, p.Rate)
		f.Passes = append(f.Passes, p)
	}
	f.Out, err = l.outputBytes(points)
	return f, err
}

// messages returns n messages with distinct events, and the size of a message.
func messages(n int) (message func(i int) []byte, size int, err error) {
	rng := rand.New(rand.NewPCG(1, 2))
	made := make([][]byte, n)
	for i := range made {
		ids := make([]int64, eventRows)
		for k := range ids {
			ids[k] = int64(i*eventRows + k)
		}
		t, err := table.NewTable(table.Origin{}, table.Int64Column("event", ids), table.VectorColumn("v", clouds(rng, eventRows, Dim)))
		if err != nil {
			return nil, 0, err
		}
		if made[i], err = emit.EncodeTable(t); err != nil {
			return nil, 0, err
		}
	}
	return func(i int) []byte { return made[i%len(made)] }, len(made[0]), nil
}

// outputBytes returns the size of an event in an output message of the fleet's shape.
func (l *lab) outputBytes(points int) (float64, error) {
	n := eventRows
	ids := make([]int64, n)
	scores := make([]float32, n)
	p := clouds(rand.New(rand.NewPCG(1, 3)), n, 2)
	value, err := emit.EncodeMessage(&emit.Output{ID: table.Int64Column(emit.IDName, ids), Embedding: p, Sigma: scores, NoveltyLocal: scores, NoveltyGlobal: scores, Epoch: 1, Version: 1})
	return float64(len(value)) / float64(n), err
}

var (
	announcedLine = regexp.MustCompile(`map version \d+ \(epoch \d+\) announced`)
	loadedLine    = regexp.MustCompile(`map version \d+ \(epoch \d+\) loaded`)
)

// learning makes a learner learn the fleet's map, then read a topic first without and then with
// refreshes.
func (l *lab) learning(ctx context.Context, b *traffic.Broker, points int, state string) (out Learning, err error) {
	out.Points = points
	c := config{role: "learn", in: "first", out: "none", group: "first", state: state, every: "0s", points: points}
	with := func(c config, f func(p *served.Process) error) error {
		p, err := l.start(b.Addr, c)
		if err != nil {
			return err
		}
		return errors.Join(f(p), p.Stop())
	}
	announced := func(p *served.Process, times int) error {
		return until(ctx, "a map is announced", []*served.Process{p}, func() (bool, error) { return p.Log.Count(announcedLine) >= times, nil })
	}
	if err := with(c, func(p *served.Process) error { return announced(p, 1) }); err != nil {
		return out, err
	}
	again := state + "-again" // events that have been read are not learnt again
	if err := os.CopyFS(again, os.DirFS(state)); err != nil {
		return out, err
	}
	c.in, c.group = "long", "read"
	read := func(p *served.Process) error {
		return until(ctx, "the learner has read all", []*served.Process{p}, func() (bool, error) { return b.Done(ctx, c.group+"-learn-capacity", c.in, partitions) })
	}
	if err := with(c, func(p *served.Process) error {
		if err := until(ctx, "the learner has its map", []*served.Process{p}, func() (bool, error) { return p.Log.Count(loadedLine) > 0, nil }); err != nil {
			return err
		}
		begin, before := time.Now(), p.CPU()
		err := read(p)
		events := float64(l.reading * eventRows)
		out.Rate, out.Read = events/time.Since(begin).Seconds(), (p.CPU()-before)/events
		return err
	}); err != nil {
		return out, err
	}
	const refreshes = 1
	c.in, c.group, c.every, c.state = "in", "refresh", "1s", again
	err = with(c, func(p *served.Process) error {
		if err := until(ctx, "the learner has its map", []*served.Process{p}, func() (bool, error) { return p.Log.Count(loadedLine) > 0, nil }); err != nil {
			return err
		}
		before := p.CPU()
		err := errors.Join(announced(p, refreshes), read(p))
		out.Refresh = max(0, p.CPU()-before-out.Read*float64(l.messages*eventRows)) / float64(p.Log.Count(announcedLine))
		return err
	})
	return out, err
}

// profile processes the topic with one embedder and returns the shares of its parts in its
// processor time. It also is the broker's first pass, which is slower because its code is not
// compiled yet.
func (l *lab) profile(ctx context.Context, b *traffic.Broker, points int, state string) ([]relay.Share, error) {
	const topic = "out-profile"
	if err := b.Create(ctx, topic, partitions); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(filepath.Join(l.out, "embedder.prof"))
	if err != nil {
		return nil, err
	}
	p, err := relay.Job{Addr: b.Addr, In: "in", Out: topic, Group: topic, Partitions: partitions, ID: "event", Vector: "v",
		State: state, Points: points, Embedder: true, Profile: path}.Start(nil)
	if err != nil {
		return nil, err
	}
	err = until(ctx, "all is placed", []*served.Process{p}, func() (bool, error) {
		n, err := b.Messages(ctx, topic, partitions)
		return n >= int64(l.messages), err
	})
	if err := errors.Join(err, p.Stop()); err != nil {
		return nil, err
	}
	return relay.Shares(ctx, path)
}

// pass processes the topic with a number of embedders. It measures from the time when all of them
// have a share and some of it is done.
func (l *lab) pass(ctx context.Context, b *traffic.Broker, n, points int) (out Pass, err error) {
	out.Embedders = n
	topic := fmt.Sprintf("out-%d", n)
	if err := b.Create(ctx, topic, partitions); err != nil {
		return out, err
	}
	var members []*served.Process
	defer func() {
		for _, p := range members {
			err = errors.Join(err, p.Stop())
		}
	}()
	for range n {
		p, err := l.start(b.Addr, config{role: "embed", in: "in", out: topic, group: topic, every: "0s", points: points})
		if err != nil {
			return out, err
		}
		members = append(members, p)
		// The next embedder overwrites the configuration once this one has read it.
		if err := until(ctx, "an embedder has read its configuration", members, func() (bool, error) { return p.Log.String() != "", nil }); err != nil {
			return out, err
		}
	}
	cpu := func() (own float64) {
		for _, p := range members {
			own += p.CPU()
		}
		return own
	}
	share := regexp.MustCompile(fmt.Sprintf(`reading %d partition`, partitions/n))
	if err := until(ctx, "all embedders have a share", members, func() (bool, error) {
		for _, p := range members {
			if p.Log.Count(share) == 0 || p.Log.Count(loadedLine) == 0 {
				return false, nil
			}
		}
		return true, nil
	}); err != nil {
		return out, err
	}
	start, err := b.Messages(ctx, topic, partitions)
	if err != nil {
		return out, err
	}
	begin, own, theirs := time.Now(), cpu(), served.CPUOf(b.PID)
	var last time.Time
	count := start
	err = until(ctx, "all is placed", members, func() (bool, error) {
		now, err := b.Messages(ctx, topic, partitions)
		if now > count {
			count, last = now, time.Now()
		}
		return now >= int64(l.messages), err
	})
	events := float64(count-start) * eventRows
	if err == nil && events <= 0 {
		err = fmt.Errorf("%d embedders were done before all had a share: more messages are needed", n)
	}
	out.Rate, out.Own, out.Broker = events/last.Sub(begin).Seconds(), (cpu()-own)/events, (served.CPUOf(b.PID)-theirs)/events
	return out, err
}
