package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/learn"
)

// Phase is a part of a course: events arrive, or half of them are deleted, and the stage's map is
// updated.
type Phase struct {
	// To is the number of the set's events that have arrived at the end of the phase.
	To int
	// Restart restarts the stage before the phase.
	Restart bool
	// Halve deletes every second event, by tombstones.
	Halve bool
	// Mark compares the stage's map with a fit at the end.
	Mark bool
}

// Course is a sequence of phases for a stage.
type Course struct {
	Name string
	// Min and Size are reference.min and reference.size of the stage; 0 means the default.
	Min, Size int
	Phases    []Phase
	// Again is the number of other fits with which each mark compares its fit.
	Again int
}

// Program runs unfold with arguments and a log until the context is done, and then stops cleanly.
type Program func(ctx context.Context, log io.Writer, args ...string) error

// Outcome is the result of a course.
type Outcome struct {
	Marks []Mark
	// Maps are the statistics of the maps that the stage learnt, in their order.
	Maps []stream.Stats
}

// The time limit of a phase, and the interval of checks of the stage's state.
const (
	patience = 10 * time.Minute
	glance   = 100 * time.Millisecond
)

// statePath is the file of the stage's newest map.
const statePath = "state/" + learn.MapFile

// configuration is README's configuration with other names.
const configuration = `
source:
  kafka: {brokers: [%q], topic: events}
  id: event_id
  metric: %s
sink: {kafka: {topic: places}}
dead_letter: {topic: events-dlq}
state: %s
http: 127.0.0.1:0
refresh: {every: 1s}
`

// course is a running course.
type course struct {
	Course
	set     *Set
	program Program
	folder  string
	sink    *kafka.Sink
	sent    []bool // for each row that has arrived, whether it has not been deleted
	stage   *process
	// messages is the number of messages sent. Those of the last phase have at most largest events
	// each.
	messages, largest int
	out               Outcome
}

// process is a running stage.
type process struct {
	stop context.CancelFunc
	done chan error
	log  *os.File
}

// Follow runs a stage through a course, with files in the folder.
func (c Course) Follow(ctx context.Context, program Program, set *Set, folder string) (o *Outcome, err error) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(2, "events", "places", "events-dlq"),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	broker := cluster.ListenAddrs()[0]
	u := &course{Course: c, set: set, program: program, folder: folder}
	if err := u.configure(broker); err != nil {
		return nil, err
	}
	if u.sink, err = kafka.NewSink(ctx, kafka.SinkSettings{Cluster: kafka.Cluster{Brokers: []string{broker}}, Topic: "events"}); err != nil {
		return nil, err
	}
	defer u.sink.Close()
	if err := u.start(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, u.end()) }()
	for k, p := range c.Phases {
		if err := u.follow(ctx, p); err != nil {
			return nil, fmt.Errorf("%s, %s, phase %d: %w", set.Name, c.Name, k+1, err)
		}
	}
	return &u.out, nil
}

func (c *course) path(name string) string { return filepath.Join(c.folder, name) }

func (c *course) configure(broker string) error {
	metric := c.set.Metric
	if metric == "" {
		metric = "euclidean"
	}
	text := fmt.Sprintf(configuration, broker, metric, c.path("state"))
	switch {
	case c.Min > 0 && c.Size > 0:
		text += fmt.Sprintf("reference: {min: %d, size: %d}\n", c.Min, c.Size)
	case c.Min > 0:
		text += fmt.Sprintf("reference: {min: %d}\n", c.Min)
	case c.Size > 0:
		text += fmt.Sprintf("reference: {size: %d}\n", c.Size)
	}
	return os.WriteFile(c.path("unfold.yaml"), []byte(text), 0o666)
}

// start starts the stage; end stops it.
func (c *course) start(ctx context.Context) error {
	log, err := os.OpenFile(c.path("log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	p := &process{stop: stop, done: make(chan error, 1), log: log}
	go func() { p.done <- c.program(ctx, log, "run", "-c", c.path("unfold.yaml")) }() // ends with stop, in end
	c.stage = p
	return nil
}

func (c *course) end() error {
	p := c.stage
	if p == nil {
		return nil
	}
	c.stage = nil
	p.stop()
	err := errors.Join(<-p.done, p.log.Close())
	if err != nil {
		text, _ := os.ReadFile(c.path("log"))
		err = fmt.Errorf("the stage: %w\n%s", err, text)
	}
	return err
}

// follow runs the stage through a phase.
func (c *course) follow(ctx context.Context, p Phase) error {
	if p.Restart {
		if err := c.end(); err != nil {
			return err
		}
		if err := c.start(ctx); err != nil {
			return err
		}
	}
	if err := c.send(ctx, p); err != nil {
		return err
	}
	if err := c.await(ctx); err != nil {
		return err
	}
	var err error
	if c.out.Maps, err = learn.ReadHistory(c.path("state")); err != nil || !p.Mark {
		return err
	}
	m, err := c.mark(ctx)
	c.out.Marks = append(c.out.Marks, m)
	return err
}

// id returns the id of a row's event.
func id(row int) string { return fmt.Sprintf("e%d", row) }

// send produces the messages of a phase: some hundred kilobytes each, and a tombstone for each
// deleted event.
func (c *course) send(ctx context.Context, p Phase) error {
	var all []stream.Message
	each := max(1, 400_000/(4*c.set.X.Cols))
	to := min(p.To, c.set.X.Rows)
	for from := len(c.sent); from < to; from += each {
		x := c.set.X.Slice(from, min(from+each, to))
		names := make([]string, x.Rows)
		for i := range names {
			names[i] = id(from + i)
		}
		t, err := table.NewTable(table.Origin{}, table.StringColumn("event_id", names), table.VectorColumn("embedding", x))
		if err != nil {
			return err
		}
		value, err := emit.EncodeTable(t)
		if err != nil {
			return err
		}
		all = append(all, stream.Message{Value: value})
	}
	for len(c.sent) < to {
		c.sent = append(c.sent, true)
	}
	for row, there := range c.sent {
		if p.Halve && there && row%2 == 1 {
			c.sent[row] = false
			all = append(all, stream.Message{Key: []byte(id(row))})
		}
	}
	c.messages, c.largest = c.messages+len(all), 1
	if !p.Halve {
		c.largest = each
	}
	return c.sink.Write(ctx, all)
}

// await waits until the newest map includes nearly all events sent. The missing ones are too few
// for a refresh.
func (c *course) await(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	tick := time.NewTicker(glance)
	defer tick.Stop()
	for {
		s, err := snapshot.ReadFile(c.path(statePath))
		if err == nil {
			missing := c.messages
			for _, p := range s.Positions {
				missing -= int(p.Offset)
			}
			if missing*c.largest <= s.Mu.Rows/100 {
				return nil
			}
		}
		select {
		case err := <-c.stage.done:
			c.stage.done <- err
			return fmt.Errorf("the stage ended early: %w", errors.Join(err, errors.New("see its log")))
		case <-ctx.Done():
			text, _ := os.ReadFile(c.path("log"))
			return fmt.Errorf("the map does not follow: %w\n%s", errors.Join(err, ctx.Err()), text)
		case <-tick.C:
		}
	}
}

// Moves returns the statistics of maps that were learnt from an earlier map. leap are those where
// one of the two maps has more than 1.5 times their shared points, and steady the others.
func (o *Outcome) Moves() (steady, leap []stream.Stats) {
	const most = 1.5
	for i, s := range o.Maps {
		if i == 0 {
			continue
		}
		stayed := most * float64(s.Points-s.Born)
		if float64(s.Points) <= stayed && float64(o.Maps[i-1].Points) <= stayed {
			steady = append(steady, s)
		} else {
			leap = append(leap, s)
		}
	}
	return steady, leap
}
