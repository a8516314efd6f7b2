package stage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/metrics"
	"unfold/cmd/internal/trace"
	"unfold/cmd/internal/web"
	"unfold/ingest"
	"unfold/models/fit"
	"unfold/models/live"
	"unfold/models/placing"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/fleet"
	"unfold/stream/kafka"
	"unfold/stream/learn"
	"unfold/stream/reference"
)

// Settings configure a stage, in addition to the configuration file.
type Settings struct {
	Config *config.Config
	// Mapping and Spec are derived from the configuration's columns and model.
	Mapping ingest.Mapping
	Spec    fit.Spec
	// Version is the program's version, for the metrics.
	Version string
	// Env looks up environment variables with passwords. nil means that there are none.
	Env Environment
	// Hooks and Fleet are called in addition to the metrics. Any hook may be nil.
	Hooks stream.Hooks
	Fleet fleet.Hooks
	// Log receives errors of parts without hooks. nil discards them.
	Log *slog.Logger
	// Limit, if set, is called with the memory limit for the garbage collector in bytes
	// (debug.SetMemoryLimit). It is called at the start, and again when the learner's memory is
	// known.
	Limit func(bytes int64)
}

// Warnings returns warnings about the model's settings for a full reference set, a sentence each.
func (s Settings) Warnings() []string {
	if s.Config.Role == config.RoleEmbed {
		return nil
	}
	return s.Spec.Warnings(s.Config.Reference.Size)
}

// Stage is a stage that is ready to run.
type Stage struct {
	pipeline *stream.Pipeline
	// learner is set for roles all and learn, publisher for learn, follower for embed.
	learner   *learn.Learner
	publisher *fleet.Publisher
	follower  *fleet.Follower
	server    *web.Server
	probe     *web.Server
	// display feeds the page; it is nil without one.
	display *display
	// health tracks failures. brokers are the source's brokers.
	health  *health
	brokers []string
	// journal stores the group's offsets; it is nil without a state folder.
	journal kafka.Journal
	closers []func() error
}

// Open connects to brokers and topics, loads the map if there is one, and starts the HTTP servers.
// Close the result.
func Open(ctx context.Context, s Settings) (*Stage, error) {
	st := &Stage{}
	if err := st.open(ctx, s); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

func (st *Stage) open(ctx context.Context, s Settings) error {
	c := s.Config
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	figures := metrics.New(s.Version)
	st.health, st.brokers = newHealth(), c.Source.Kafka.Brokers
	st.health.topic, st.health.sole = c.Source.Kafka.Topic, c.Role != config.RoleEmbed
	s.Hooks, s.Fleet = join(st.health.hooks(), join(figures.Hooks(), s.Hooks)), joinFleet(figures.Fleet(), s.Fleet)
	st.showPage(&s)
	from, to, err := clusters(s)
	if err != nil {
		return err
	}
	b := &bound{s: s}
	b.set(0)
	s.Hooks = join(s.Hooks, stream.Hooks{Sized: b.sized})
	st.pipeline = &stream.Pipeline{ExactlyOnce: c.ExactlyOnce(), LearnOnly: c.Role == config.RoleLearn, TooLarge: tooLarge(c), Hooks: s.Hooks, PassHeaders: c.Headers == "pass",
		Settings: stream.Settings{BatchMessages: int(c.Batch.Messages), BatchBytes: int(c.Batch.Bytes), Linger: orNone(time.Duration(c.Batch.Linger)), QueueBytes: int(c.Limits.Queue), WaitingBytes: int(c.Limits.Waiting), WorkBytes: int(c.Limits.MessageMemory), DecodeTime: time.Duration(c.Limits.MessageTime)}}
	f, err := formatsOf(ctx, s, logChosen(s.Log))
	if err != nil {
		return err
	}
	st.closers = append(st.closers, f.close)
	if c.Role == config.RoleEmbed {
		err = st.embed(ctx, s, from, f)
	} else {
		err = st.learn(ctx, s, from, to, f)
	}
	if err != nil {
		return err
	}
	source, err := kafka.NewSource(ctx, kafka.SourceSettings{
		Cluster: from, Topic: c.Source.Kafka.Topic, Group: c.Group(),
		Start: start(c), OnGap: onGap(c), Gap: s.Hooks.Gap, Transactions: transactions(c), Retrying: s.Hooks.Retrying, Recovered: s.Hooks.Recovered,
		Journal: st.journal, OnLost: onLost(c), Resumed: s.Hooks.Resumed, NoOffsets: s.Hooks.NoOffsets, CreatedAgain: st.createdAgain(s.Hooks.CreatedAgain),
		Alone: c.Role != config.RoleEmbed, Who: thisProcess(),
		SessionTimeout: time.Duration(c.Source.Kafka.SessionTimeout), Heartbeat: time.Duration(c.Source.Kafka.HeartbeatInterval), RebalanceTimeout: time.Duration(c.Source.Kafka.RebalanceTimeout),
	})
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	st.closers = append(st.closers, source.Close)
	st.pipeline.Source = source
	if c.Role != config.RoleLearn {
		if err := st.outputs(ctx, c, to); err != nil {
			return err
		}
		if err := st.trace(ctx, s); err != nil {
			return err
		}
	}
	return st.answer(ctx, s, figures.Handler(), f)
}

// outputs opens the output topics.
func (st *Stage) outputs(ctx context.Context, c *config.Config, to kafka.Cluster) error {
	sink, err := kafka.NewSink(ctx, sinkSettings(c, to, c.Sink.Kafka.Topic))
	if err != nil {
		return fmt.Errorf("sink: %w", err)
	}
	st.closers = append(st.closers, sink.Close)
	st.pipeline.Sink = sink
	if c.DeadLetter.Topic != "" {
		dead, err := kafka.NewSink(ctx, sinkSettings(c, to, c.DeadLetter.Topic))
		if err != nil {
			return fmt.Errorf("dead letters: %w", err)
		}
		st.closers = append(st.closers, dead.Close)
		st.pipeline.DeadLetter = &stream.DeadLetter{Sink: dead}
	}
	return nil
}

// trace creates the tracer, if spans are enabled.
func (st *Stage) trace(ctx context.Context, s Settings) error {
	c := s.Config
	if !trace.Wanted(c.Trace.Endpoint, s.Env) {
		return nil
	}
	to, err := c.Trace.URL()
	if err != nil {
		return err
	}
	t, err := trace.New(ctx, trace.Settings{URL: to, Group: c.Group(), Version: s.Version, Log: s.Log})
	if err != nil {
		return err
	}
	st.closers = append(st.closers, t.Close)
	st.pipeline.Tracer = t
	return nil
}

// learn opens the parts of a learner, for role learn including the publisher.
func (st *Stage) learn(ctx context.Context, s Settings, from, to kafka.Cluster, f formats) error {
	c := s.Config
	folder, err := c.StateFolder()
	if err != nil {
		return err
	}
	if folder != "" {
		lock, err := lockState(folder)
		if err != nil {
			return err
		}
		st.closers = append(st.closers, lock.Close)
		j, err := openJournal(folder, c.Group(), c.Source.Kafka.Topic, s.Log)
		if err != nil {
			return err
		}
		st.journal, st.closers = j, append(st.closers, j.Close)
	}
	var topics learnt
	for _, t := range []struct {
		what, topic string
		at          *stream.Sink
	}{{"moves", c.Sink.Moves, &topics.moves}, {"clusters", c.Sink.Clusters, &topics.groups}} {
		if t.topic == "" {
			continue
		}
		sink, err := kafka.NewSink(ctx, sinkSettings(c, to, t.topic))
		if err != nil {
			return fmt.Errorf("%s: %w", t.what, err)
		}
		st.closers = append(st.closers, sink.Close)
		*t.at = sink
	}
	if c.Role == config.RoleLearn {
		return st.publish(ctx, s, from, topics, f)
	}
	set, err := learner(s, s.Hooks, topics, f)
	if err != nil {
		return err
	}
	st.watch(&set)
	if st.learner, err = learn.New(set); err != nil {
		return err
	}
	st.pipeline.Decoder, st.pipeline.Learner = st.learner, st.learner
	return nil
}

// learnt are the topics that a learner writes to, nil without one.
type learnt struct{ moves, groups stream.Sink }

// learner converts the configuration to settings of the learner.
func learner(s Settings, hooks stream.Hooks, topics learnt, f formats) (out learn.Settings, err error) {
	c := s.Config
	policy, err := reference.ParsePolicy(c.Reference.Policy)
	if err != nil {
		return out, err
	}
	major, err := learn.ParseMajor(c.Refresh.Major)
	if err != nil {
		return out, err
	}
	var frame live.MajorFrame
	if err := frame.UnmarshalText([]byte(cmp.Or(c.Refresh.Frame, live.KeepFrame.String()))); err != nil {
		return out, err
	}
	rule, err := c.Model.Rule()
	if err != nil {
		return out, err
	}
	state, err := c.StateFolder()
	if err != nil {
		return out, err
	}
	every := time.Duration(c.Refresh.Every)
	if every == 0 {
		every = learn.Never
	}
	return learn.Settings{
		Spec: s.Spec, Place: placing.Options{Rule: rule, Threads: c.Model.Threads, Search: s.Spec.Search}, Mapping: s.Mapping, Classify: s.Mapping.Label != "", Probabilities: c.Source.ClassProbabilities, Clusters: c.Clusters.Settings(), ClustersOfRows: c.Clusters.In == config.InInput, Named: c.HTTPPlace || c.Explain.Columns > 0 || c.ServesPage(),
		LogLik: c.Sink.LogLik, Explain: embed.Explain{Columns: c.Explain.Columns, Above: float64(c.Explain.Above)},
		Min: c.Reference.Min, Size: c.Reference.Size, Policy: policy, MaxAge: time.Duration(c.Reference.MaxAge), Seed: c.Model.Seed,
		RefreshEvery: every, Drift: driftSettings(c), RefreshNew: refreshNew(c), Steps: orNone(c.Refresh.Steps), Anchor: anchor(c),
		Gentle: int(c.Refresh.Gentle), Major: major, Frame: frame,
		Limits: limits(c), Decoder: f.decoder, Writer: f.writer, Moves: topics.moves, MovesWriter: f.moves, Groups: topics.groups, GroupsWriter: f.groups, MovesThreshold: float64(c.Moves.Threshold), State: state, Hooks: hooks,
	}, nil
}

// Run runs until the context is done; see stream.Pipeline.Run.
func (st *Stage) Run(ctx context.Context) error {
	if st.publisher == nil {
		return advise(st.pipeline.Run(ctx))
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	published := make(chan error, 1)
	go func() {
		defer stop() // another learner has taken over: this one finishes its work
		published <- st.publisher.Run(ctx)
	}()
	err := st.pipeline.Run(ctx)
	stop()
	return errors.Join(advise(err), <-published)
}

// advise adds a remedy to the error of an occupied group.
func advise(err error) error {
	if taken := new(kafka.OccupiedError); errors.As(err, &taken) {
		return fmt.Errorf("%w; roles all and learn want a group to themselves: stop the other process, give this one a group of its own, or, to run many, let one learn and the others embed (--role)", err)
	}
	return err
}

// stillAfter is the time after which a stalled partition makes the stage not ready. silence is the
// same for unknown progress of the group.
const (
	stillAfter = 30 * time.Second
	silence    = 15 * time.Second
)

// Ready returns nil and details if three conditions hold: the stage has partitions, none of them is
// stalled, and it has a map. Otherwise it returns the condition that fails.
func (st *Stage) Ready() (detail string, err error) {
	if err := st.health.away(st.brokers, st.pipeline.Owning()); err != nil {
		return "", err
	}
	list, since, failing := st.pipeline.Standing(stillAfter)
	if failing != nil && time.Since(since) > silence {
		return "", fmt.Errorf("the source's brokers, %s, do not say how far the group is since %s: %w", strings.Join(st.brokers, ", "), ago(since), failing)
	}
	if st.Current() == nil {
		return "", st.unmapped()
	}
	if !st.pipeline.Ready() {
		return "", st.health.shareless()
	}
	if err := st.health.empty(); err != nil {
		return "", err
	}
	if err := st.health.still(list); err != nil {
		return "", err
	}
	if useless := st.health.useful(); useless != "" {
		return st.detail() + "; " + useless, nil
	}
	return st.detail(), nil
}

// unmapped returns the reason why there is no map.
func (st *Stage) unmapped() error {
	if st.follower != nil {
		if p := st.follower.Status().Problem; p != nil {
			return fmt.Errorf("there is no map yet: %w", p)
		}
	}
	if useless := st.health.useful(); useless != "" {
		return fmt.Errorf("there is no map yet: %s", useless)
	}
	// A rejected dead letter stalls all messages before the first map, so it is reported.
	if t := st.health.trouble(handing); t != nil {
		return fmt.Errorf("there is no map yet, and %s has failed since %s: %s", t.what, ago(t.since), cut(t.err.Error()))
	}
	return errors.New("there is no map yet")
}

// createdAgain extends a hook: the learner is notified that the topic's offsets start again.
func (st *Stage) createdAgain(hook func(topic string)) func(topic string) {
	return func(topic string) {
		if st.learner != nil {
			st.learner.CreatedAgain(topic)
		}
		if hook != nil {
			hook(topic)
		}
	}
}

// Current returns the current map, nil before the first.
func (st *Stage) Current() *stream.Published { return st.pipeline.Learner.Current() }

// Learner returns the stage's learner, for access to its maps. It is nil for role embed.
func (st *Stage) Learner() *learn.Learner { return st.learner }

// Close closes all parts in the reverse order of opening.
func (st *Stage) Close() error {
	var errs []error
	for i := len(st.closers) - 1; i >= 0; i-- {
		errs = append(errs, st.closers[i]())
	}
	st.closers = nil
	return errors.Join(errs...)
}
