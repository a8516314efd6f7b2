package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"unfold/bench/internal/relay"
	"unfold/bench/internal/served"
	"unfold/bench/internal/synthetic"
	"unfold/bench/internal/traffic"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/registry"
	"unfold/stream/registry/registrytest/embedded"
)

// The size of the delivery measurements.
const (
	deliveryID     = formattest.ID
	deliveryVector = formattest.Vector
	partitions     = 4
	mapPoints      = 20_000
	inTopic        = "events"
)

// The programs that copy messages.
const (
	runOnce   = "unfold run, at least once"
	runTwice  = "unfold run, exactly once"
	freeOnce  = "the same without placing, at least once"
	freeTwice = "the same without placing, exactly once"
	bareCopy  = "kafka-go, bare copy"
)

// Figures of a copy.
const (
	eventRate = "events"
	stageCPU  = "CPU an event"
	brokerCPU = "the broker's CPU an event"
)

// delivery is a broker with a map in a folder for the stage.
type delivery struct {
	b       *bench
	r       *record
	broker  *traffic.Broker
	z       vec.Matrix[float32]
	points  int
	state   string
	started int
	// format is the format of messages. id is the id of their schema in the registry, if there is
	// one.
	format   format.Name
	schema   int
	registry string // its address
}

// deliver starts a broker and, for formats with schemas, a registry, makes the stage learn its map,
// and measures.
func (b *bench) deliver(ctx context.Context, r *record, n format.Name, measure func(d *delivery) error) (err error) {
	broker, err := b.startBroker(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	if broker.Version != "" {
		r.Versions["Apache Kafka"] = broker.Version
	}
	points := b.size(mapPoints, 500)
	d := &delivery{b: b, r: r, broker: broker, z: synthetic.Sheets(points+b.size(50_000, 500), inputDims), points: points, state: b.file("state"), format: n}
	if schema := formattest.Schema(n, d.event(0)); schema != nil {
		var stop func()
		d.registry, stop = embedded.Start()
		defer stop()
		if err := d.register(ctx, schema); err != nil {
			return err
		}
	}
	if err := d.learn(ctx); err != nil {
		return err
	}
	return measure(d)
}

// register puts the schema of the messages into the registry.
func (d *delivery) register(ctx context.Context, s *registry.Schema) error {
	client, err := registry.New(registry.Settings{URL: d.registry})
	if err != nil {
		return err
	}
	defer client.Close()
	d.schema, err = client.Register(ctx, registry.TopicName.Subject(inTopic, ""), s)
	return err
}

// event returns an event that is not used for the map.
func (d *delivery) event(i int) formattest.Event {
	return formattest.Event{ID: int64(i), Vector: d.z.Row(d.points + i)}
}

// messages returns messages of the given number of events, repeating those that are not used for
// the map.
func (d *delivery) messages(events int) (func(i int) []byte, error) {
	made := make([][]byte, min((d.z.Rows-d.points)/events, 5000))
	of := make([]formattest.Event, events)
	for i := range made {
		for k := range of {
			of[k] = d.event(i*events + k)
		}
		var err error
		if made[i], err = formattest.Message(d.format, d.schema, of...); err != nil {
			return nil, err
		}
	}
	return func(i int) []byte { return made[i%len(made)] }, nil
}

// learn makes `unfold run` learn the map of the first rows.
func (d *delivery) learn(ctx context.Context) error {
	if err := os.RemoveAll(d.state); err != nil {
		return err
	}
	x := d.z.Slice(0, d.points)
	ids := make([]int64, x.Rows)
	for i := range ids {
		ids[i] = int64(-1 - i)
	}
	t, err := table.NewTable(table.Origin{}, table.Int64Column(deliveryID, ids), table.VectorColumn(deliveryVector, x))
	if err != nil {
		return err
	}
	const each = 100
	message := func(i int) []byte {
		m, err := emit.EncodeTable(t.Slice(i*each, min((i+1)*each, x.Rows)))
		if err != nil {
			panic(err) // slices of a written table cannot fail
		}
		return m
	}
	const topic = "first"
	if err := d.broker.Create(ctx, topic, partitions); err != nil {
		return err
	}
	messages := (x.Rows + each - 1) / each
	if err := d.broker.Fill(ctx, topic, partitions, messages, message); err != nil {
		return err
	}
	_, err = d.pass(ctx, topic, messages, d.state, runOnce, "")
	return err
}

// passed is the cost of a pass over a topic.
type passed struct {
	rate        float64 // messages per second between the first output and the last
	messages    float64 // those after the first
	own, broker float64 // seconds of processor time meanwhile
}

// pass makes a program process a topic of n messages to its end, and returns the cost.
func (d *delivery) pass(ctx context.Context, in string, n int, state, who, profile string) (p passed, err error) {
	out, s, group, err := d.begin(ctx, in, state, who, profile)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, s.Stop(), d.broker.Delete(ctx, out)) }()
	cpus := func() [2]float64 { return [2]float64{s.CPU(), served.CPUOf(d.broker.PID)} }
	var first, last time.Time
	var start, count int64
	var before [2]float64
	err = served.Until(ctx, func() (bool, error) {
		now, err := d.broker.Messages(ctx, out, partitions)
		if err != nil || now == 0 {
			return false, err
		}
		if start == 0 {
			first, start, before = time.Now(), now, cpus()
		}
		if now > count {
			last, count = time.Now(), now
		}
		if now < int64(n) {
			return false, nil
		}
		return d.broker.Done(ctx, group, in, partitions)
	}, s)
	after := cpus()
	p.own, p.broker = after[0]-before[0], after[1]-before[1]
	p.messages = float64(max(0, int64(n)-start))
	p.rate = p.messages / max(last.Sub(first), time.Millisecond).Seconds()
	return p, err
}

// begin starts a program between a topic and a new one.
func (d *delivery) begin(ctx context.Context, in, state, who, profile string) (out string, s *served.Process, group string, err error) {
	d.started++
	group, out = fmt.Sprintf("group-%d", d.started), fmt.Sprintf("out-%d", d.started)
	if err := d.broker.Create(ctx, out, partitions); err != nil {
		return "", nil, "", err
	}
	s, err = d.start(in, out, group, state, who, profile)
	return out, s, group, err
}

// start starts one of the programs.
func (d *delivery) start(in, out, group, state, who, profile string) (*served.Process, error) {
	if (who == runOnce || who == runTwice) && profile == "" {
		path, err := d.configuration(in, out, group, state, who == runTwice)
		if err != nil {
			return nil, err
		}
		return served.Start(threadVariables(d.b.threads), d.b.unfold, "run", "-c", path)
	}
	return relay.Job{Addr: d.broker.Addr, In: in, Out: out, Group: group, Partitions: partitions, Bare: who == bareCopy,
		ID: deliveryID, Vector: deliveryVector, Registry: d.registry, State: state, Points: d.points, Exactly: who == freeTwice || who == runTwice,
		FreePlacing: who == freeOnce || who == freeTwice, Profile: profile, Threads: d.b.threads}.Start(threadVariables(d.b.threads))
}

// configuration writes the configuration of a stage.
func (d *delivery) configuration(in, out, group, state string, exactly bool) (path string, err error) {
	deliver := "at-least-once"
	if exactly {
		deliver = "exactly-once"
	}
	schemas := ""
	if d.registry != "" {
		schemas = fmt.Sprintf("registry: {url: %q}\n", d.registry)
	}
	path = d.b.file("unfold.yaml")
	return path, os.WriteFile(path, fmt.Appendf(nil, `
source: {kafka: {brokers: [%q], topic: %s, group: %s}, vector: %s, id: %s}
sink: {kafka: {topic: %s}}
delivery: %s
model: {threads: %d}
reference: {min: %d, size: %d}
refresh: {every: 0s}
state: %q
http: "off"
%s`, d.broker.Addr, in, group, deliveryVector, deliveryID, out, deliver, d.b.threads, d.points, d.points, state, schemas), 0o600)
}

// fresh returns a copy of the learnt state.
func (d *delivery) fresh() (string, error) {
	dir := filepath.Join(d.b.out, "state-run")
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, os.DirFS(d.state))
}

// measure makes a program process a topic of n messages with the given number of events, and
// records the cost.
func (d *delivery) measure(ctx context.Context, in string, n, events int, who string) error {
	state, err := d.fresh()
	if err != nil {
		return err
	}
	p, err := d.pass(ctx, in, n, state, who, "")
	if err != nil {
		return err
	}
	d.r.add(who, eventRate, perSec, p.rate*float64(events))
	if p.own > 0 && p.broker > 0 && p.messages > 0 {
		d.r.add(who, stageCPU, seconds, p.own/(p.messages*float64(events)))
		d.r.add(who, brokerCPU, seconds, p.broker/(p.messages*float64(events)))
	}
	return nil
}
