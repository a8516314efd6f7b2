//go:build linux

package chaos

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/chaos/results"
	"unfold/stream/format"
	"unfold/stream/format/formattest"
	"unfold/stream/kafka/kafkatest"
)

// TestTopics deletes the source's topic under a running stage and creates it again. It does so
// UNFOLD_TOPICS times with each kind of delivery, at random moments, with fewer and with more
// messages than before. It also adds partitions to topics while stages join, four times as often.
// All messages have to be read within results.Within, and without other faults nothing may be lost
// or duplicated.
func TestTopics(t *testing.T) {
	if os.Getenv("UNFOLD_TOPICS") == "" {
		t.Skip("UNFOLD_TOPICS says how often")
	}
	n, seed := number(t, "UNFOLD_TOPICS", 1), uint64(number(t, "UNFOLD_CHAOS_SEED", 1))
	b := kafkatest.StartReal(t, "")
	for _, delivery := range []string{"at-least-once", "exactly-once"} {
		t.Run("created again "+delivery, func(t *testing.T) {
			r := results.Topics{What: "deleted and created again", Broker: b.Name(), Delivery: delivery, Seed: seed, Times: n, Begun: time.Now()}
			recreate(t, b, delivery, &r)
			finish(t, &r)
		})
	}
	t.Run("partitions added", func(t *testing.T) {
		r := results.Topics{What: "partitions added while joining", Broker: b.Name(), Delivery: "at-least-once", Seed: seed, Times: 4 * n, Begun: time.Now()}
		grow(t, b, &r)
		finish(t, &r)
	})
}

// finish judges the counts and saves them.
func finish(t *testing.T, r *results.Topics) {
	if t.Failed() {
		return // an aborted test has no counts
	}
	r.Seconds = time.Since(r.Begun).Seconds()
	r.Judge()
	for _, c := range r.Complaints {
		t.Error(c)
	}
	t.Logf("%+v", *r)
	keep(t, "topics", fmt.Sprintf("%s %s seed %d", r.What, r.Delivery, r.Seed), r)
}

// stageOn starts a stage on its own topics, with names derived from name.
func stageOn(t *testing.T, b broker, name, delivery string) *process {
	t.Helper()
	c := b.Client(t)
	c.Create(t, name+"-out", 1, 1, nil)
	c.Create(t, name+"-dead", 1, 1, nil)
	dir := t.TempDir()
	path := filepath.Join(dir, "unfold.yaml")
	text := fmt.Sprintf(`
source: {kafka: {brokers: [%q], topic: %s, group: %s}, vector: v, id: %s}
sink: {kafka: {topic: %s-out}}
dead_letter: {topic: %s-dead}
delivery: %s
model: {steps: 5, threads: 1}
reference: {min: 50, size: 100}
refresh: {every: 0s}
state: %q
http: off
`, b.Addr(), name, name, Column, name, name, delivery, filepath.Join(dir, "state"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return launch(t, path)
}

// event returns a message of one event, with its id as key.
func event(t *testing.T, rng *rand.Rand, id string) stream.Message {
	t.Helper()
	e := formattest.Event{ID: id, Vector: make([]float32, 8)}
	for j := range e.Vector {
		e.Vector[j] = float32(rng.NormFloat64())
	}
	value, err := formattest.Message(format.JSON, 0, e)
	if err != nil {
		t.Fatal(err)
	}
	return stream.Message{Key: []byte(id), Value: value}
}

// awaitEnds waits until a group has committed the given ends of its topic's partitions, and returns
// the time since then.
func awaitEnds(t *testing.T, c *kafkatest.Client, m *process, topic string, ends map[int]int64, since time.Time) time.Duration {
	t.Helper()
	for {
		got := c.Committed(t, topic, topic)
		if maps.Equal(got, ends) {
			return time.Since(since)
		}
		if !m.alive() || time.Since(since) > soon {
			t.Fatalf("%v later %v is committed, not %v; %v:\n%s", time.Since(since), got, ends, m.err, m.log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// recreate repeatedly deletes and creates the topic of a stage.
func recreate(t *testing.T, b broker, delivery string, r *results.Topics) {
	const parts = 2
	c, rng, topic := b.Client(t), rand.New(rand.NewPCG(r.Seed, 0x746f70696373)), "again-"+delivery
	c.Create(t, topic, parts, 1, nil)
	m := stageOn(t, b, topic, delivery)
	awaited := map[string]bool{}
	put := func(round, from, to int) (ids []string) {
		for p := range parts {
			var batch []stream.Message
			for i := from; i < to; i++ {
				ids = append(ids, fmt.Sprintf("%d-%d-%d", round, p, i))
				batch = append(batch, event(t, rng, ids[len(ids)-1]))
			}
			c.Produce(t, topic, p, batch...)
		}
		return ids
	}
	before := 0
	for round := range r.Times + 1 {
		// The topic gets fewer messages than the previous one, or many more, at once or in pieces.
		back, n, pieces := time.Now(), 30+rng.IntN(40), 1
		if round%2 == 1 {
			n, pieces = 2*before+20, 1+rng.IntN(3)
		}
		for i := range pieces {
			for _, id := range put(round, i*n/pieces, (i+1)*n/pieces) {
				awaited[id] = true
			}
			if i+1 < pieces {
				time.Sleep(time.Duration(rng.IntN(1000)) * ms)
			}
		}
		r.Took(awaitEnds(t, c, m, topic, map[int]int64{0: int64(n), 1: int64(n)}, back), round > 0)
		if round == r.Times {
			break
		}
		// Some more follow, which may arrive before or after the deletion.
		time.Sleep(time.Duration(rng.IntN(1500)) * ms)
		put(round, n, n+rng.IntN(5))
		time.Sleep(time.Duration(rng.IntN(50)) * ms)
		c.Delete(t, topic)
		if rng.IntN(2) == 0 {
			time.Sleep(time.Duration(rng.IntN(4000)) * ms)
		}
		c.Create(t, topic, parts, 1, nil)
		before = n + 5
	}
	m.stop(t)
	r.Count(c.Read(t, topic+"-out"), awaited)
}

// grow adds partitions to topics while stages join.
func grow(t *testing.T, b broker, r *results.Topics) {
	var mu sync.Mutex
	t.Run("all", func(t *testing.T) {
		for i := range r.Times {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				c, rng, topic := b.Client(t), rand.New(rand.NewPCG(r.Seed, uint64(i))), fmt.Sprintf("grown-%d", i)
				c.Create(t, topic, 2, 1, nil)
				awaited, ends := map[string]bool{}, map[int]int64{0: 40, 1: 40, 2: 5, 3: 5}
				put := func(p int) {
					var batch []stream.Message
					for k := range ends[p] {
						id := fmt.Sprintf("%d-%d", p, k)
						awaited[id] = true
						batch = append(batch, event(t, rng, id))
					}
					c.Produce(t, topic, p, batch...)
				}
				put(0)
				put(1)
				m := stageOn(t, b, topic, r.Delivery)
				for !m.ran() && m.alive() {
					time.Sleep(ms)
				}
				time.Sleep(time.Duration(rng.IntN(300)) * ms)
				since := time.Now()
				c.Grow(t, topic, 4)
				put(2)
				put(3)
				d := awaitEnds(t, c, m, topic, ends, since)
				m.stop(t)
				mu.Lock()
				defer mu.Unlock()
				r.Took(d, true)
				r.Count(c.Read(t, topic+"-out"), awaited)
			})
		}
	})
}
