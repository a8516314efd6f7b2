package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/web"
	"unfold/stream"
	"unfold/stream/kafka"
	"unfold/stream/learn"
)

// Check is a test that can be run before a stage.
type Check struct {
	// Name is the subject of the check.
	Name string
	// Do runs the check. It returns a detail to print after the name, or an error. ErrNothingToSee
	// means that there was nothing to check. A *MayNotFit is a warning: the stage would run.
	Do func(ctx context.Context) (detail string, err error)
}

// ErrNothingToSee is the error of a check without anything to check, such as a message.
var ErrNothingToSee = errors.New("there is nothing to see yet")

// Checks returns the checks of a stage.
func Checks(s Settings) []Check {
	c := s.Config
	to := func() (kafka.Cluster, error) { return SinkCluster(c, s.Env) }
	from := func() (kafka.Cluster, error) { return SourceCluster(c, s.Env) }
	var checks []Check
	if c.Role != config.RoleEmbed {
		checks = append(checks, Check{"the state folder", func(context.Context) (string, error) { return checkState(s) }})
	}
	if a := c.HTTP; a != "" && a != "off" {
		checks = append(checks, Check{"the address of http, " + a, func(ctx context.Context) (string, error) { return "", checkAddress(ctx, a) }})
	}
	checks = append(checks, Check{"the topic of the source, " + c.Source.Kafka.Topic, ask(from, readable(c.Source.Kafka.Topic))})
	if c.Role != config.RoleLearn {
		checks = append(checks, Check{"the topic of the sink, " + c.Sink.Kafka.Topic, ask(to, writable(c.Sink.Kafka.Topic))})
		if t := c.DeadLetter.Topic; t != "" {
			checks = append(checks, Check{"the topic of dead letters, " + t, ask(to, writable(t))})
		}
	}
	if t := c.Sink.Moves; t != "" && c.Role != config.RoleEmbed {
		checks = append(checks, Check{"the topic of moves, " + t, ask(to, writable(t))})
	}
	if t := c.Sink.Clusters; t != "" && c.Role != config.RoleEmbed {
		checks = append(checks, Check{"the topic of clusters, " + t, ask(to, writable(t))})
	}
	if len(targets(c)) > 0 {
		checks = append(checks, Check{"the sizes that topics take", func(ctx context.Context) (string, error) { return checkSizes(ctx, s) }})
	}
	if c.Fleet() {
		checks = append(checks, fleetChecks(s)...)
	}
	if c.Registry.URL != "" {
		checks = append(checks, Check{"the schema registry, " + c.Registry.URL, func(ctx context.Context) (string, error) { return checkRegistry(ctx, s) }})
	}
	checks = append(checks, Check{"the group, " + c.Group(), ask(from, joinable(c))})
	return append(checks, Check{"a message of the source", func(ctx context.Context) (string, error) { return checkMessage(ctx, s) }})
}

// ask wraps a request to a cluster as a check.
func ask(cluster func() (kafka.Cluster, error), question func(context.Context, kafka.Cluster) error) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		c, err := cluster()
		if err != nil {
			return "", err
		}
		return "", question(ctx, c)
	}
}

// readable checks that a topic exists.
func readable(topic string) func(context.Context, kafka.Cluster) error {
	return func(ctx context.Context, c kafka.Cluster) error { return kafka.Check(ctx, c, topic) }
}

// writable checks that a topic exists and that the client may write to it.
func writable(topic string) func(context.Context, kafka.Cluster) error {
	return func(ctx context.Context, c kafka.Cluster) error { return kafka.CheckWritable(ctx, c, topic) }
}

// checkRegistry asks the registry for an arbitrary schema. "Not found" counts as success. It then
// compares the schema of outputs with the registry, as the start does, because the source may not
// have any message yet.
func checkRegistry(ctx context.Context, s Settings) (string, error) {
	client, err := schemaRegistry(s.Config.Registry, s.Env)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, peekTime)
	defer cancel()
	defer client.Close()
	_, err = client.Schema(ctx, 1)
	var away *stream.UnavailableError
	if errors.As(err, &away) || ctx.Err() != nil {
		return "", err
	}
	f, err := formatsOf(ctx, s, nil)
	if err != nil {
		return "", err
	}
	return "", f.close()
}

// joinable checks the permission to join the group and, if this process uses transactions, to use
// them.
func joinable(set *config.Config) func(context.Context, kafka.Cluster) error {
	return func(ctx context.Context, c kafka.Cluster) error {
		return kafka.CheckGroup(ctx, c, set.Source.Kafka.Topic, set.Group(), set.ExactlyOnce())
	}
}

// checkState checks that the stage could write to its state folder, and go on from the map in it.
func checkState(s Settings) (string, error) {
	folder, err := s.Config.StateFolder()
	if err != nil || folder == "" {
		return ": none, a restart learns the map again", err
	}
	// A missing folder is created later, by the stage. The check looks at its nearest existing
	// parent.
	there := folder
	for {
		if _, err := os.Stat(there); !errors.Is(err, fs.ErrNotExist) || there == filepath.Dir(there) {
			break
		}
		there = filepath.Dir(there)
	}
	f, err := os.CreateTemp(there, ".lint.*")
	if err != nil {
		return "", err
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return "", err
	}
	if there != folder {
		return ", " + folder + " (will be made)", nil
	}
	goesOn, err := savedMap(s)
	return ", " + folder + goesOn, err
}

// savedMap checks that the stage would go on from the map in its state folder, and describes it; ""
// if there is none.
func savedMap(s Settings) (string, error) {
	set, err := learner(s, stream.Hooks{}, learnt{}, formats{})
	if err != nil {
		return "", err
	}
	m, err := learn.CheckState(set)
	if err != nil || m == nil {
		return "", err
	}
	return fmt.Sprintf(", with map version %d of %s", m.Version, humanize.Plural(m.Reference.Rows, "point")), nil
}

// checkAddress checks that the stage could listen on an address. An address in use by a stage is
// only a warning, because it probably is this stage.
func checkAddress(ctx context.Context, address string) error {
	err := web.Free(ctx, address)
	if errors.Is(err, web.ErrOurs) {
		return &MayNotFit{[]string{"a stage answers there already; a second one needs another address"}}
	}
	return err
}

// peekTime is the time that a check waits for a message.
const peekTime = 10 * time.Second

// checkMessage reads a message without joining a group, and checks that it yields vectors.
func checkMessage(ctx context.Context, s Settings) (string, error) {
	c := s.Config
	from, err := SourceCluster(c, s.Env)
	if err != nil {
		return "", err
	}
	wait, cancel := context.WithTimeout(ctx, peekTime)
	defer cancel()
	topic, err := kafka.OpenTopic(wait, kafka.TopicSettings{Cluster: from, Topic: c.Source.Kafka.Topic})
	if err != nil {
		return "", err
	}
	defer topic.Close()
	found, err := first(wait, topic)
	if wait.Err() != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: no message within %s", ErrNothingToSee, peekTime)
	}
	if errors.Is(err, ErrNothingToSee) {
		err = fmt.Errorf("%w; so it is not checked %s", err, unchecked(s))
	}
	if err != nil {
		return "", err
	}
	msg := found[0]
	seen, err := look(ctx, s, []Sample{{Where: msg.Where(), Message: msg}}, found[1:])
	if err != nil {
		return "", err
	}
	if len(seen.Unknown) > 0 {
		return "", unknownColumns(seen.Unknown)
	}
	if len(seen.Problems) > 0 {
		return "", seen.Problems[0].Err
	}
	if seen.Placed == 0 {
		return "", fmt.Errorf("%w: the first message, %s, holds no events", ErrNothingToSee, msg.Where())
	}
	return fmt.Sprintf(" (%s): %s", msg.Where(), seen), nil
}

// unknownColumns joins several errors on one line.
type unknownColumns []error

func (u unknownColumns) Error() string {
	var texts []string
	for _, err := range u {
		texts = append(texts, err.Error())
	}
	return strings.Join(texts, "; ")
}

// idBytes is the assumed length of ids in estimates of memory.
const idBytes = 64

// holds returns the maximum memory of the learner, for events of dim values.
func holds(s Settings, dim int) (int64, error) {
	set, err := learner(s, stream.Hooks{}, learnt{}, formats{})
	if err != nil {
		return 0, err
	}
	return learnerBytes(s, set, dim)
}

// nowhere is a sink that drops everything. It only enables an output in estimates.
type nowhere struct{}

func (nowhere) Write(context.Context, []stream.Message) error { return nil }
func (nowhere) Close() error                                  { return nil }

// mostPeeked bounds the messages whose columns are compared with the configured names.
const mostPeeked = 100

// first returns the first message of a topic that is not a tombstone, and some messages of the same
// fetch. It returns ErrNothingToSee if there is none.
func first(ctx context.Context, topic *kafka.TopicReader) ([]stream.Message, error) {
	tombstones := 0
	for {
		messages, err := topic.Next(ctx)
		switch {
		case err == io.EOF && tombstones > 0:
			return nil, fmt.Errorf("%w: the topic holds tombstones alone, %s", ErrNothingToSee, humanize.Count(tombstones))
		case err == io.EOF:
			return nil, fmt.Errorf("%w: the topic is empty", ErrNothingToSee)
		case err != nil:
			return nil, err
		}
		for i := range messages {
			if !messages[i].Tombstone() {
				return messages[i:min(len(messages), i+mostPeeked)], nil
			}
			tombstones++
		}
	}
}

// unchecked lists the settings that cannot be checked without a message.
func unchecked(s Settings) string {
	columns := slices.DeleteFunc(append([]string{s.Mapping.Vector, s.Mapping.ID, s.Mapping.Label}, s.Mapping.Keep...), func(name string) bool { return name == "" })
	for _, c := range s.Mapping.Columns {
		columns = append(columns, c.Name)
	}
	whether := "whether messages hold a column of vectors"
	if len(columns) > 0 {
		whether = "whether messages hold the columns " + strings.Join(columns, ", ")
	}
	if s.Config.Role != config.RoleEmbed {
		whether += ", and how much memory the learner will hold"
	}
	return whether
}
