package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/human"
	"unfold/cmd/internal/stage"
)

// configFlags name the configuration of a stage; each of its settings is a flag,
// too.
type configFlags struct {
	Config string `short:"c" placeholder:"FILE" help:"Configuration. Default: unfold.yaml, if it is there."`
	settingFlags
}

// load reads the configuration: the file, the environment, the flags.
func (f *configFlags) load(p *program) (stage.Settings, error) {
	s := stage.Settings{Version: programVersion(), Env: p.env}
	path := f.Config
	if path == "" {
		path, _ = p.env("UNFOLD_CONFIG")
	}
	if path == "" && config.FileExists(config.DefaultFile) {
		path = config.DefaultFile
	}
	for _, unknown := range config.UnknownVariables(p.Environ) {
		p.note("%s", unknown)
	}
	c, err := config.Load(path, p.env, f.values())
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
	s.Spec = c.Model.Spec()
	if s.Mapping, err = mapping(c.Source.Columns); err != nil {
		return s, err
	}
	return s, nil
}

type runCmd struct{ configFlags }

func (runCmd) Help() string {
	return `Reads events from a Kafka topic, keeps a map of them, and writes each event's place to another topic: one message for
each that comes in, in their order, under the same key. A message is one Arrow IPC stream.

The first events wait until there are enough for a first map (reference.min); then all are placed. A position is committed
only after the output was acknowledged, so that no event is lost. On SIGTERM or Ctrl-C what was read is finished and
committed; that takes a few seconds.

Every setting can stand in the configuration (source: {kafka: {topic: events}}), in the environment
(UNFOLD_SOURCE_KAFKA_TOPIC=events) or here; the latter win. The smallest configuration:

    source: {kafka: {brokers: ["localhost:9092"], topic: events}, vector: embedding}
    sink:   {kafka: {topic: places}}
    dead_letter: {topic: events-dead}
    state:  /var/lib/unfold

Where one process is too little, start one with --role learn and any number of others with --role embed, with snapshots.store
and snapshots.topic set: see docs/operations.md, "More than one process".`
}

// purpose says what a process of its role does with the events.
func purpose(c *config.Config) string {
	switch c.Role {
	case config.RoleLearn:
		return fmt.Sprintf("announcing maps as %s on topic %s", c.FleetName(), c.Snapshots.Topic)
	case config.RoleEmbed:
		return fmt.Sprintf("writing places to topic %s, on the maps %s of topic %s", c.Sink.Kafka.Topic, c.FleetName(), c.Snapshots.Topic)
	}
	return "writing places to topic " + c.Sink.Kafka.Topic
}

func (r *runCmd) Run(ctx context.Context, p *program) error {
	settings, err := r.load(p)
	if err != nil {
		return err
	}
	log := newLog(p.Stderr)
	settings.Hooks, settings.Fleet = log.hooks(), log.fleet()
	s, err := stage.Open(ctx, settings)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		// To be stopped is no failure, however early: who stops stages looks at how they end.
		log.say("stopped before it began to read")
		return nil
	}
	if err != nil {
		return err
	}
	c := settings.Config
	log.say("reading topic %s as group %s, %s", c.Source.Kafka.Topic, c.Group(), purpose(c))
	if a := s.Address(); a != "" {
		log.say("answering on http://%s (/livez /readyz /metrics)", a)
	}
	if s.Current() == nil {
		if c.Role == config.RoleEmbed {
			log.say("no map yet: waiting for one that is announced on topic %s", c.Snapshots.Topic)
		} else {
			log.say("no map yet: waiting for %s events", human.Count(c.Reference.Min))
		}
	}
	stop := context.AfterFunc(ctx, func() { log.say("stopping: finishing and committing what was read") })
	defer stop()
	begin := time.Now()
	err = errors.Join(s.Run(ctx), s.Close())
	log.say("%s", log.total(time.Since(begin)))
	return err
}
