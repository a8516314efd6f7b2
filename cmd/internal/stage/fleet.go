package stage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"unfold/cmd/internal/config"
	"unfold/internal/backoff"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/fleet"
	"unfold/stream/kafka"
	"unfold/stream/learn"
	"unfold/stream/store"
)

const (
	// storeTimeout bounds the response of a store at the start.
	storeTimeout = 9 * time.Second
	// sessionGrace is added to the session timeout of a killed learner, which may still count as a
	// member of its group.
	sessionGrace = 3 * time.Second
	sessionPause = 500 * time.Millisecond
	// movesPatience is the time that moves wait for the announcement of their map.
	movesPatience = 5 * time.Second
)

// openStore opens and checks the store of maps.
func (st *Stage) openStore(ctx context.Context, c *config.Config) (*store.Store, error) {
	s, err := store.Open(ctx, c.Snapshots.Store)
	if err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	st.closers = append(st.closers, s.Close)
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := s.Check(ctx, c.FleetName(), c.Role == config.RoleLearn); err != nil {
		return nil, fmt.Errorf("snapshots: %w", err)
	}
	return s, nil
}

// embed opens the parts of a process that places events on the fleet's maps.
func (st *Stage) embed(ctx context.Context, s Settings, from kafka.Cluster, f formats) error {
	c := s.Config
	if folder, err := c.StateFolder(); err != nil {
		return err
	} else if folder != "" {
		j, lock, err := openEmbedderJournal(folder, c.Group(), c.Source.Kafka.Topic, s.Log)
		if err != nil { // an embedder works without a state folder, because its maps are in the store
			s.Log.Warn("the offsets of the group are not noted in the state folder", "error", err.Error())
		} else {
			st.journal, st.closers = j, append(st.closers, lock.Close, j.Close)
		}
	}
	maps, err := st.openStore(ctx, c)
	if err != nil {
		return err
	}
	announcements, err := kafka.OpenCompacted(ctx, kafka.CompactedSettings{Cluster: from, Topic: c.Snapshots.Topic, Retrying: s.Hooks.Retrying})
	if err != nil {
		return fmt.Errorf("announcements: %w", err)
	}
	st.closers = append(st.closers, announcements.Close)
	if st.follower, err = fleet.NewFollower(fleet.FollowerSettings{Name: c.FleetName(), Store: maps, Topic: announcements, Dims: s.Spec.MapDims(), Hooks: s.Fleet}); err != nil {
		return err
	}
	set, err := learner(s, s.Hooks, learnt{}, f)
	if err != nil {
		return err
	}
	st.watch(&set)
	e, err := embed.NewEmbedder(embed.EmbedderSettings{Spec: set.Spec, Embed: set.Placing(), Decoder: set.Decoder, Limits: set.Limits, Hooks: set.Hooks, Follow: st.follower.Run})
	if err != nil {
		return err
	}
	st.pipeline.Decoder, st.pipeline.Learner = e, e
	return nil
}

// publish opens the parts of the fleet's learner. A second learner gets an error here while the
// first is a member of its group. If the first one's session has ended, the broker rejects its
// writes from the moment this one takes over.
func (st *Stage) publish(ctx context.Context, s Settings, from kafka.Cluster, topics learnt, f formats) error {
	c := s.Config
	maps, err := st.openStore(ctx, c)
	if err != nil {
		return err
	}
	if err := alone(ctx, from, c.Group(), time.Duration(c.Source.Kafka.SessionTimeout)+sessionGrace, s.Hooks); err != nil {
		return err
	}
	at := kafka.CompactedSettings{Cluster: from, Topic: c.Snapshots.Topic, Retrying: s.Hooks.Retrying}
	writer, err := kafka.OpenFencedWriter(ctx, at, c.WriterID())
	if err != nil {
		return fmt.Errorf("announcements: %w", err)
	}
	st.closers = append(st.closers, writer.Close)
	announcements, err := kafka.OpenCompacted(ctx, at)
	if err != nil {
		return fmt.Errorf("announcements: %w", err)
	}
	st.closers = append(st.closers, announcements.Close)
	if st.publisher, err = fleet.Take(ctx, fleet.PublisherSettings{Name: c.FleetName(), Learner: thisProcess(), Store: maps, Topic: announcements, Writer: writer,
		Keep: c.Snapshots.Keep, Hooks: s.Fleet}); err != nil {
		return err
	}
	for _, sink := range []*stream.Sink{&topics.moves, &topics.groups} {
		if *sink != nil {
			*sink = &announced{*sink, st.publisher}
		}
	}
	hooks := s.Hooks
	published := hooks.Published
	hooks.Published = func(p *stream.Published, took time.Duration) {
		if published != nil {
			published(p, took)
		}
		if st.learner != nil { // nil while it is being created, see below
			st.publisher.Offer(st.learner.Snapshot())
		}
	}
	set, err := learner(s, hooks, topics, f)
	if err != nil {
		return err
	}
	last := st.publisher.Last()
	if set.Start, err = begin(ctx, c, maps, last); err != nil {
		return err
	}
	l, err := learn.New(set)
	if err != nil {
		return err
	}
	st.learner, st.pipeline.Decoder, st.pipeline.Learner = l, l, l
	return st.resume(ctx, l, maps, last)
}

// alone returns nil when no other process is a member of the learner's group. A killed process
// remains a member until its session ends. (Two learners that start together both pass. They are
// told apart when they join. Taking over the right to write here would end a running learner.)
func alone(ctx context.Context, from kafka.Cluster, group string, patience time.Duration, hooks stream.Hooks) error {
	begin := time.Now()
	for attempt := 1; ; attempt++ {
		members, err := kafka.Members(ctx, from, group)
		if err != nil || len(members) == 0 {
			return err
		}
		there := fmt.Errorf("another learner is a member of group %s already: %s (%s); stop it first, or give this one a group of its own", group, members[0], members[0].ID)
		if time.Since(begin) > patience {
			return there
		}
		if hooks.Retrying != nil {
			hooks.Retrying("becoming the learner", attempt, there, sessionPause)
		}
		if err := backoff.Wait(ctx, sessionPause); err != nil {
			return err
		}
	}
}

// thisProcess describes this process for people.
func thisProcess() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return host + ", process " + strconv.Itoa(os.Getpid())
}

// begin fetches the map of the last announcement if there is no local state. This way a learner can
// lose its disk.
func begin(ctx context.Context, c *config.Config, maps *store.Store, last fleet.Announcement) (*snapshot.Snapshot, error) {
	if !last.Map() {
		return nil, nil
	}
	if folder, _ := c.StateFolder(); folder != "" {
		if _, err := os.Stat(filepath.Join(folder, learn.MapFile)); !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	s, err := maps.Get(ctx, last.Object())
	if err != nil {
		return nil, fmt.Errorf("there is no state, and the map that was announced last, version %d, cannot be had: %w (to learn again, give the fleet another name, snapshots.name)", last.Version, err)
	}
	return s, nil
}

// resume announces the map in the state folder if it is newer than the last announced one, or if
// that is no longer in the store.
func (st *Stage) resume(ctx context.Context, l *learn.Learner, maps *store.Store, last fleet.Announcement) error {
	mine := l.Snapshot()
	switch {
	case mine == nil:
		return nil
	case mine.MapID != "" && last.MapID != "" && mine.MapID != last.MapID:
		return fmt.Errorf("the state holds the map %s, but %s announced version %d of the map %s: remove the state folder to continue from the announced map, or give this fleet another name (snapshots.name)",
			mine.MapID, last.Learner, last.Version, last.MapID)
	case mine.Version < last.Version:
		return fmt.Errorf("the state holds map version %d, but version %d was announced by %s: versions would come twice; remove the state folder to continue from the announced map",
			mine.Version, last.Version, last.Learner)
	case mine.Version == last.Version:
		// An error of the store is ignored: it probably still has the map, and the next map is
		// stored anyway.
		if there, err := maps.Holds(ctx, last.Object()); there || err != nil {
			return nil
		}
	}
	st.publisher.Offer(mine)
	return nil
}

// announced is a sink for moves and clusters. It delays them until their map is announced, because
// embedders cannot place events on the map before.
type announced struct {
	stream.Sink
	publisher *fleet.Publisher
}

// Write implements stream.Sink.
func (a *announced) Write(ctx context.Context, messages []stream.Message) error {
	var version uint64
	for _, m := range messages {
		text, _ := m.Header(stream.HeaderModelVersion)
		v, err := strconv.ParseUint(string(text), 10, 64)
		if err != nil {
			return fmt.Errorf("a message of a map without a version: %w", err)
		}
		version = max(version, v)
	}
	for end := time.Now().Add(movesPatience); a.publisher.Last().Version < version; {
		if time.Now().After(end) {
			return errors.Join(fmt.Errorf("map version %d is not announced yet", version), a.publisher.Failing())
		}
		if err := backoff.Wait(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	return a.Sink.Write(ctx, messages)
}

// detail describes the map of a ready process. For a learner it includes a failed announcement.
func (st *Stage) detail() string {
	switch {
	case st.follower != nil:
		return st.follower.Status().String()
	case st.publisher != nil:
		if err := st.publisher.Failing(); err != nil {
			return fmt.Sprintf("%s is announced, the newest is not yet: %v", st.publisher.Last(), err)
		}
	}
	return st.Current().String()
}

// fleetChecks returns the checks of a fleet's store and topic.
func fleetChecks(s Settings) []Check {
	c := s.Config
	return []Check{
		{"the store of maps", func(ctx context.Context) (string, error) {
			maps, err := store.Open(ctx, c.Snapshots.Store)
			if err != nil {
				return "", err
			}
			defer maps.Close()
			ctx, cancel := context.WithTimeout(ctx, storeTimeout)
			defer cancel()
			return ", " + maps.String(), maps.Check(ctx, c.FleetName(), c.Role == config.RoleLearn)
		}},
		{"the topic of announcements, " + c.Snapshots.Topic, func(ctx context.Context) (string, error) {
			from, err := SourceCluster(c, s.Env)
			if err != nil {
				return "", err
			}
			return kafka.CheckCompacted(ctx, from, c.Snapshots.Topic)
		}},
	}
}
