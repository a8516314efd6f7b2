package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/logs"
	"unfold/cmd/internal/serve"
	"unfold/cmd/internal/stage"
)

// configFlags select the configuration of a stage. Each setting is a flag, too.
type configFlags struct {
	Config string `short:"c" placeholder:"FILE" help:"Configuration. Default: unfold.yaml, if it is there."`
	settingFlags
}

// load reads the configuration, and writes a note on unknown environment variables.
func (f *configFlags) load(p *program) (stage.Settings, error) {
	p.noteUnknown()
	return f.read(p)
}

func (p *program) noteUnknown() {
	for _, unknown := range config.UnknownVariables(p.Environ, p.Kinds...) {
		p.note("%s", unknown)
	}
}

// read reads the configuration from the file, the environment and the flags.
func (f *configFlags) read(p *program) (stage.Settings, error) {
	s := stage.Settings{Version: p.programVersion(), Env: p.env}
	path := f.Config
	if path == "" {
		path, _ = p.env("UNFOLD_CONFIG")
	}
	if path == "" && config.FileExists(config.DefaultFile) {
		path = config.DefaultFile
	}
	c, err := config.Load(path, p.env, f.values(), p.Kinds...)
	if err != nil {
		return s, err
	}
	if err := c.Validate(); err != nil {
		if path == "" {
			return s, fmt.Errorf("%w\n(no configuration is named with -c, and there is no %s here)", err, config.DefaultFile)
		}
		return s, fmt.Errorf("%s: %w", path, err)
	}
	s.Config = c
	s.Spec = c.Spec()
	if s.Mapping, err = mapping(c.Source.Columns); err != nil {
		return s, err
	}
	return s, nil
}

type runCmd struct {
	configFlags
	attachedFlags
}

func (runCmd) Help() string {
	return `Reads events from a Kafka topic, keeps a map of them, and writes each event's place to another topic: one message for
each that comes in, in their order, under the same key. A message is an Arrow IPC stream, JSON, or a record in Avro or Protobuf.

The first events wait until there are enough for a first map (reference.min); then all are placed. An offset is committed
only after the output was acknowledged, so that no event is lost. On SIGTERM or Ctrl-C the stage finishes and commits what
it has read; that takes a few seconds.

Every setting can stand in the configuration (source: {kafka: {topic: events}}), in the environment
(UNFOLD_SOURCE_KAFKA_TOPIC=events) or here; the latter win. The smallest configuration:

    source: {kafka: {brokers: ["localhost:9092"], topic: events}, vector: embedding}
    sink:   {kafka: {topic: places}}
    dead_letter: {topic: events-dead}
    state:  /var/lib/unfold

Where one process is too little, start one with --role learn and any number of others with --role embed, with snapshots.store
and snapshots.topic set: see docs/operations.md, "More than one process".`
}

// grace is 0: the stage bounds its shutdown itself, because the broker has to accept the results of
// what was read.
func (runCmd) grace() time.Duration { return 0 }

// purpose describes the work of a process in its role.
func purpose(c *config.Config) string {
	switch c.Role {
	case config.RoleLearn:
		return fmt.Sprintf("announcing maps as %s on topic %s", c.FleetName(), c.Snapshots.Topic)
	case config.RoleEmbed:
		return fmt.Sprintf("writing places to topic %s, on the maps %s of topic %s", c.Sink.Kafka.Topic, c.FleetName(), c.Snapshots.Topic)
	}
	return "writing places to topic " + c.Sink.Kafka.Topic
}

// sizesTimeout bounds the request for the sizes of topics, which are optional.
const sizesTimeout = 5 * time.Second

func (r *runCmd) Run(ctx context.Context, p *program) error {
	ctx, stop := r.tie(ctx, p)
	defer stop()
	settings, err := opening(ctx, func() (stage.Settings, error) { return r.read(p) })
	if stoppedEarly(ctx, err) {
		p.note("stopped before it began to read")
		return nil
	}
	if err != nil {
		p.noteUnknown() // an unknown variable may be the cause
		return err
	}
	logger, err := logs.New(p.Stderr, logs.Settings(settings.Config.Log))
	if err != nil {
		return err
	}
	for _, unknown := range config.UnknownVariables(p.Environ, p.Kinds...) {
		logs.Say(logger, slog.LevelWarn, logs.Setting, unknown.String())
	}
	for _, text := range settings.Warnings() {
		logs.Say(logger, slog.LevelWarn, logs.Setting, text)
	}
	err = runStage(ctx, settings, logger)
	if err != nil && settings.Config.Log.Format == logs.JSON {
		// A reader of JSON logs cannot parse the plain-text error.
		logs.Say(logger, slog.LevelError, logs.Failed, "the stage has failed", slog.String(logs.Error, err.Error()))
		return &saidError{err}
	}
	return err
}

// runStage runs a stage until the context is done, and logs what it does.
func runStage(ctx context.Context, settings stage.Settings, logger *slog.Logger) error {
	log := logs.NewReporter(logger)
	settings.Hooks, settings.Fleet, settings.Log = log.Hooks(), log.Fleet(), logger
	if _, set := settings.Env("GOMEMLIMIT"); !set {
		before := debug.SetMemoryLimit(-1)
		defer debug.SetMemoryLimit(before)
		settings.Limit = func(n int64) {
			debug.SetMemoryLimit(n)
			log.Say(logs.Memory, "the garbage collector keeps to "+humanize.Bytes(n)+" of memory (GOMEMLIMIT sets another limit)", slog.Int64(logs.Bytes, n))
		}
	}
	s, err := opening(ctx, func() (*stage.Stage, error) { return stage.Open(ctx, settings) })
	if stoppedEarly(ctx, err) {
		log.Say(logs.Stopped, "stopped before it began to read")
		return nil
	}
	if err != nil {
		return err
	}
	c := settings.Config
	log.Say(logs.Starting, fmt.Sprintf("reading topic %s as group %s, %s", c.Source.Kafka.Topic, c.Group(), purpose(c)),
		slog.String(logs.Topic, c.Source.Kafka.Topic), slog.String(logs.Group, c.Group()), slog.String(logs.Role, c.Role))
	if a := s.Address(); a != "" {
		pages := "/livez /readyz /metrics"
		if c.HTTPPlace {
			pages += " " + strings.Join(serve.Paths, " ")
		}
		switch {
		case c.ServesPage():
			pages += ", the live map for browsers"
		case c.Page.Points > 0:
			pages += "; no live map, since others reach this address: see page.token_file and page.public"
		}
		log.Say(logs.Serving, fmt.Sprintf("answering on http://%s (%s)", a, pages), slog.String(logs.Address, a))
	}
	if a := s.Probe(); a != "" {
		log.Say(logs.Serving, fmt.Sprintf("answering probes on http://%s (/livez /readyz /metrics)", a), slog.String(logs.Address, a))
	}
	sized, cancel := context.WithTimeout(ctx, sizesTimeout)
	_, warnings, err := stage.Sizes(sized, settings)
	cancel()
	if err != nil && !errors.Is(err, stage.ErrNothingToSee) {
		warnings = append(warnings, fmt.Sprintf("it is not known how much the topics take: %v", err))
	}
	for _, text := range warnings {
		log.Warn(logs.Sizes, text)
	}
	if s.Current() == nil {
		log.Say(logs.NoMap, "no map yet: waiting for "+awaited(c))
	}
	stop := context.AfterFunc(ctx, func() { log.Say(logs.Stopping, "stopping: finishing and committing what was read") })
	defer stop()
	begin := time.Now()
	err = errors.Join(s.Run(ctx), s.Close())
	log.Total(time.Since(begin))
	return err
}

// stoppedEarly reports that a stage was asked to end before it began. That is no failure: supervisors
// check the exit code.
func stoppedEarly(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}

// awaited describes what the first map needs.
func awaited(c *config.Config) string {
	if c.Role == config.RoleEmbed {
		return "one that is announced on topic " + c.Snapshots.Topic
	}
	return humanize.Count(c.Reference.Min) + " events"
}
