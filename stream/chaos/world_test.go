//go:build linux

package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/kafka/kafkatest"
	"unfold/stream/registry/registrytest"
)

// broker is a broker of package kafkatest.
type broker interface {
	Name() string
	Addr() string
	Client(t testing.TB) *kafkatest.Client
	Start()
	// KillLeader kills the broker that leads a partition.
	KillLeader(topic string, partition int)
}

const (
	partitions = 4
	group      = "unfold"
	// maxStarts is the maximum number of failed starts.
	maxStarts = 20
	// longSpan is a limit in milliseconds that no message time exceeds.
	longSpan = "9000000000000000"
)

// world is the environment of a scenario.
type world struct {
	t    *testing.T
	set  scenario
	seed uint64
	dir  string

	broker, far     broker // far contains the outputs, if they have their own broker
	near, away      *Proxy
	client, outputs *kafkatest.Client
	load            *Load
	// schemas is the registry's address, and decoder decodes messages that are not Arrow.
	schemas             string
	decoder             *format.Decoder
	members             []*member
	made                int // number of members created
	disk                *disk
	ended, unmet, kills int
	refused             int   // disk faults that were noticed
	crashes             int   // of brokers
	audits              int   // after kills
	turned              int   // members that were rejected because of another
	lag                 int64 // at the end
}

// member is a stage with its own configuration and state.
type member struct {
	*process
	configuration, state, group string
}

// begin starts brokers, proxies and topics.
func begin(t *testing.T, set scenario, seed uint64) *world {
	w := &world{t: t, set: set, seed: seed, dir: t.TempDir()}
	start := func() (broker, *Proxy) {
		if set.nodes > 1 {
			return kafkatest.StartCluster(t, set.nodes), nil
		}
		front := kafkatest.FreeAddress(t)
		var b broker
		if set.real {
			b = kafkatest.StartReal(t, front)
		} else {
			b = kafkatest.StartEmbedded(t, front)
		}
		p, err := NewProxy(front, b.Addr(), seed)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		return b, p
	}
	w.broker, w.near = start()
	w.client = w.broker.Client(t)
	w.far, w.away, w.outputs = w.broker, w.near, w.client
	if set.apart {
		w.far, w.away = start()
		w.outputs = w.far.Client(t)
	}
	var settings map[string]string
	replicas := int16(1)
	if set.real {
		settings = map[string]string{"retention.ms": "-1", "message.timestamp.before.max.ms": longSpan, "message.timestamp.after.max.ms": longSpan}
	}
	if set.nodes > 1 {
		settings["min.insync.replicas"], replicas = "2", int16(set.nodes)
	}
	w.client.Create(t, "events", partitions, replicas, settings)
	if set.tight {
		settings = maps.Clone(settings)
		if settings == nil {
			settings = map[string]string{}
		}
		settings["max.message.bytes"] = strconv.Itoa(tight)
	}
	w.outputs.Create(t, "places", 3, replicas, settings)
	w.outputs.Create(t, "dead", 1, replicas, settings)
	if set.disk {
		w.disk = newDisk(t, filepath.Join(w.dir, "disk"))
	}
	if set.chain {
		w.outputs.Create(t, "farther", 3, replicas, settings)
		w.outputs.Create(t, "dead-again", 1, replicas, settings)
	}
	if set.fixed {
		w.client.Create(t, "maps", 1, replicas, map[string]string{"cleanup.policy": "compact"})
	}
	w.load = &Load{Client: w.client, Topic: "events", Partitions: partitions, Every: set.every, Rows: 5, Seed: seed, Large: set.tight, Format: set.format}
	if set.format != "" {
		schemas := registrytest.StartFake(t)
		written := set.format
		if written == mixed {
			written = format.Avro // the only one of them that has a schema
		}
		if schema := formattest.Schema(written, formattest.Event{ID: ""}); schema != nil {
			schemas.Seed("events-value", schemaID, schema.Type, schema.Text)
		}
		w.schemas = schemas.URL()
		var err error
		if w.decoder, err = format.NewDecoder(format.Decoding{Registry: schemas.Client()}); err != nil {
			t.Fatal(err)
		}
	}
	if w.load.Every == 0 {
		w.load.Every = 20 * time.Millisecond
	}
	return w
}

// source returns the address of the source's brokers for stages.
func (w *world) source() string {
	if w.near == nil {
		return w.broker.Addr()
	}
	return w.near.Addr()
}

// name returns the name of the brokers.
func (w *world) name() string {
	if w.far != w.broker {
		return w.broker.Name() + ", another for the outputs"
	}
	return w.broker.Name()
}

// join starts one more member. With a fixed map it is an embedder.
func (w *world) join() *member {
	w.t.Helper()
	role := "all"
	if w.set.fixed {
		role = "embed"
	}
	m := w.member(role, first)
	w.members = append(w.members, m)
	return m
}

// hop is the position of a stage in a chain: its group and its topics.
type hop struct {
	group, in, out, dead string
	// vector and id are columns of its input.
	vector, id string
}

// first reads the load. In a chain, second reads the outputs of first.
var (
	first  = hop{group, "events", "places", "dead", formattest.Vector, Column}
	second = hop{"unfold-again", "places", "farther", "dead-again", "embedding", "id"}
)

// hops returns the positions of all stages.
func (w *world) hops() []hop {
	if w.set.chain {
		return []hop{first, second}
	}
	return []hop{first}
}

// member starts a stage with a role and its own folder.
func (w *world) member(role string, at hop) *member {
	w.t.Helper()
	dir := filepath.Join(w.dir, fmt.Sprintf("member %d", w.made))
	w.made++
	m := &member{group: at.group, configuration: filepath.Join(dir, "unfold.yaml"), state: filepath.Join(dir, "state")}
	if w.disk != nil {
		m.state = w.disk.state()
	}
	more, sink := fmt.Sprintf("refresh: {every: 300ms, new: 5%%}\nstate: %q", m.state), ""
	if w.set.fixed {
		store := filepath.Join(w.dir, "maps")
		if err := os.MkdirAll(store, 0o700); err != nil {
			w.t.Fatal(err)
		}
		more = fmt.Sprintf("refresh: {every: 0s}\nsnapshots: {store: \"file://%s\", topic: maps}", store)
	}
	if w.schemas != "" {
		more += fmt.Sprintf("\nregistry: {url: %q}", w.schemas)
	}
	if w.set.apart {
		sink = fmt.Sprintf("brokers: [%q], ", w.away.Addr())
	}
	text := fmt.Sprintf(`
role: %s
source: {kafka: {brokers: ["%s"], topic: %s, group: %s}, vector: %s, id: %s}
sink: {kafka: {%stopic: %s}}
dead_letter: {topic: %s}
delivery: %s
model: {steps: 15, threads: 1}
reference: {min: 400, size: 800}
%s
http: %s
page: {points: 2000}
`, role, strings.ReplaceAll(w.source(), ",", `", "`), at.in, at.group, at.vector, at.id, sink, at.out, at.dead, w.set.delivery(), more, w.set.http())
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(m.configuration, []byte(text), 0o600)); err != nil {
		w.t.Fatal(err)
	}
	m.process = launch(w.t, m.configuration)
	return m
}

// teach runs a learner until it has announced the map that fixed members place on.
func (w *world) teach() {
	w.t.Helper()
	m := w.member("learn", first)
	w.await("there is a map", func() bool {
		if !m.alive() {
			w.t.Fatalf("the learner ended, %v:\n%s", m.err, m.log)
		}
		return announced(m) > 0
	})
	m.stop(w.t)
}

// run runs a schedule and judges the final contents of the topics.
func (w *world) run(s Schedule) Verdict {
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	var loading sync.WaitGroup
	loading.Go(func() {
		if err := w.load.Run(ctx); err != nil {
			w.t.Error(err)
		}
	})
	defer loading.Wait()
	defer stop()
	if w.set.fixed {
		w.teach()
	}
	for range max(w.set.members, 1) {
		w.join()
	}
	if w.set.chain {
		w.members = append(w.members, w.member("all", second))
	}
	for i, step := range s {
		w.supervise()
		w.step(step)
		if w.t.Failed() {
			w.t.Fatalf("step %d of %d: %v", i+1, len(s), step)
		}
	}
	w.enough(1)
	if w.set.rivals() {
		w.await("one of the members is refused, and events are placed on a second map", func() bool {
			w.supervise()
			return w.turned > 0 && w.maps() > 1
		})
	}
	stop()
	loading.Wait()
	w.settle()
	for _, m := range w.members {
		if w.set.rivals() && !m.owns() {
			m.kill() // it may be about to end by itself
		} else {
			m.stop(w.t)
		}
	}
	w.lag = w.behind()
	var v Verdict
	for _, at := range w.hops() {
		v.add(Judge(Evidence{In: w.client.Read(w.t, at.in), Out: w.outputs.Read(w.t, at.out), Letters: w.outputs.Read(w.t, at.dead),
			ExactlyOnce: w.set.exactly, ID: at.id, Decoder: w.decoder}))
	}
	return v
}

// supervise restarts members that have ended by themselves. A member may end while it starts and
// its broker is unavailable; later that breaks a guarantee.
func (w *world) supervise() {
	w.t.Helper()
	for _, m := range w.members {
		if m.alive() {
			continue
		}
		if w.set.rivals() && m.refused() {
			w.turned++
			m.process = launch(w.t, m.configuration)
			continue
		}
		if w.ended++; m.ran() || w.ended > maxStarts {
			w.t.Fatalf("a stage ended by itself, %v:\n%s", m.err, m.log)
		}
		m.process = launch(w.t, m.configuration)
	}
}

// owner waits until one of several rivals has the group and a map, and returns it.
func (w *world) owner() (o *member) {
	w.t.Helper()
	w.await("one of the members has the group and a map", func() bool {
		w.supervise()
		for _, m := range w.members {
			if m.owns() && strings.Contains(m.log.String(), "map version ") {
				o = m
			}
		}
		return o != nil
	})
	return o
}

// maps counts the maps on which events were placed.
func (w *world) maps() int {
	seen := map[string]bool{}
	places := w.outputs.Read(w.t, "places")
	for i := range places {
		id, _ := places[i].Header(stream.HeaderMapID)
		seen[string(id)] = true
	}
	return len(seen)
}

// enough waits, while the load continues, until a verdict is meaningful. There must be dead letters
// and places by the given number of map versions. A disk fault must have prevented saving a map.
func (w *world) enough(versions int) {
	w.t.Helper()
	w.await(fmt.Sprintf("there are dead letters, and places by %d versions of the map", versions), func() bool {
		w.supervise()
		seen := map[uint64]bool{}
		places := w.outputs.Read(w.t, "places")
		for i := range places {
			if _, version, ok := stream.Origin(&places[i]); ok {
				seen[version] = true
			}
		}
		split := slices.ContainsFunc(places, func(m stream.Message) bool { p, _ := stream.PartOf(&m); return p.Of > 1 })
		dead := w.outputs.Read(w.t, "dead")
		elsewhere := slices.ContainsFunc(dead, func(m stream.Message) bool { _, why, _ := stream.ReadDeadLetter(m); return why.Elsewhere != nil })
		return len(seen) >= versions && len(dead) > 0 && (!w.set.tight || split && elsewhere)
	})
	if w.disk != nil && w.refused == 0 {
		mend := w.disk.spoil(w.t, DiskFull)
		defer mend()
		w.await("a full disk keeps a map from being saved", w.kept)
		w.refused++
	}
}

// kept reports whether a map could not be saved.
func (w *world) kept() bool {
	w.t.Helper()
	w.supervise()
	return strings.Contains(w.members[0].log.String(), "no new map")
}

// settle waits until all written messages are done.
func (w *world) settle() {
	w.t.Helper()
	w.await("all positions are committed", func() bool {
		w.supervise()
		return w.behind() == 0
	})
}

// behind returns the total lag of the groups, as other programs measure it: the ends of the topics
// minus the committed offsets. Markers of transactions count.
func (w *world) behind() (lag int64) {
	w.t.Helper()
	for _, at := range w.hops() {
		committed := w.client.Committed(w.t, at.group, at.in)
		_, end := w.client.Bounds(w.t, at.in)
		for p, last := range end {
			lag += last - committed[int(p)]
		}
	}
	return lag
}

// soon is the limit for events that normally happen within seconds. A coordinator whose responses
// were lost keeps stale members, each for a session and a rebalance, and the machine may be busy.
const soon = 4 * time.Minute

// await polls until a condition holds.
func (w *world) await(what string, holds func() bool) {
	w.t.Helper()
	for end := time.Now().Add(soon); !holds(); time.Sleep(50 * time.Millisecond) {
		if w.t.Failed() || time.Now().After(end) {
			logs := ""
			for _, m := range w.members {
				logs += fmt.Sprintf("%s:\n%s\n", m.configuration, m.log)
			}
			w.t.Fatalf("within %v it did not come about that %s; %d messages written\n%s", soon, what, w.load.Written(), logs)
		}
	}
}
