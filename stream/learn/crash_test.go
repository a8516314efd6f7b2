package learn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"unfold/models/lvm"
	"unfold/stream"
	"unfold/stream/streamtest"
)

// newBroker returns a broker with the topics of pipeline.
func newBroker() *streamtest.Broker {
	b := streamtest.NewBroker()
	b.CreateTopic("in", 2)
	b.CreateTopic("out", 2)
	b.CreateTopic("dlq", 1)
	return b
}

// pipeline is a stage around a learner. kill makes its source and sinks fail at once, like the
// death of its process.
func pipeline(t *testing.T, b *streamtest.Broker, l *Learner) (p *stream.Pipeline, source *streamtest.Source, kill func()) {
	t.Helper()
	source, err1 := b.Source("in", "group")
	out, err2 := b.Sink("out")
	dlq, err3 := b.Sink("dlq")
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	source.MaxFetch = 3
	return &stream.Pipeline{Source: source, Sink: out, Decoder: l, Learner: l, DeadLetter: &stream.DeadLetter{Sink: dlq},
			Settings: stream.Settings{BatchMessages: 2, CommitEvery: time.Millisecond, RetryMin: time.Millisecond}}, source, func() {
			source.Kill()
			out.Kill()
			dlq.Kill()
		}
}

// committed returns the number of messages that the group has committed in all partitions.
func committed(b *streamtest.Broker) (sum int64) {
	for _, o := range b.Committed("group", "in") {
		sum += o
	}
	return sum
}

// TestCrashes kills processes at random moments and checks the output: no event is lost, and no
// event is placed in two ways by one version. Versions are published all the time, with heavy tails
// and with Gaussian ones.
func TestCrashes(t *testing.T) {
	var lives, duplicates, versions int
	few := func() bool { return duplicates == 0 || versions < 12 }
	// On a busy machine little happens in so short a run, so runs get longer.
	for seed, longest := uint64(0), 60; seed < 6 || few() && seed < 24; seed++ {
		if seed >= 6 {
			longest += 60
		}
		rng := rand.New(rand.NewPCG(seed, 21))
		b := newBroker()
		s := quick()
		s.State, s.Spec.LVM.Tails = t.TempDir(), lvm.Tails(seed%2) // each kind of tails in turn
		s.RefreshEvery, s.RefreshNew, s.Size = time.Millisecond, 0.2, 100
		sent := int64(0)
		for life := range 8 {
			for p := range 2 {
				for range 6 {
					m := message(t, rng, 5, 4, sent)
					sent++
					if rng.IntN(15) == 0 {
						m.Value = m.Value[:50]
					}
					b.Append("in", p, m)
				}
			}
			span := time.Duration(rng.IntN(longest)) * time.Millisecond
			lives++
			crash(t, b, s, span, life < 7)
		}
		log := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: b.Messages("dlq")}
		c, err := log.Check()
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		seen := map[uint64]bool{}
		for _, m := range log.Out {
			_, v, _ := stream.Origin(&m)
			seen[v] = true
		}
		duplicates, versions = duplicates+c.Duplicates, versions+len(seen)
	}
	t.Logf("%d lives, %d duplicates, %d versions", lives, duplicates, versions)
	if few() {
		t.Error("too little happened for the test to mean anything")
	}
}

// crash runs a stage on the state directory and kills it after a while. Its sinks and source then
// fail at once, and the directory stays as the last publication left it. Without a kill it runs
// until everything is committed.
func crash(t *testing.T, b *streamtest.Broker, s Settings, span time.Duration, dies bool) {
	t.Helper()
	var mu sync.Mutex
	var left map[string][]byte
	s.Hooks.Published = func(*stream.Published, time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		left = files(t, s.State)
	}
	l := newLearner(t, s)
	p, source, kill := pipeline(t, b, l)
	// Commits are rare, so that a crash leads to many redeliveries.
	p.Settings.CommitEvery, p.Settings.DrainTimeout = 20*time.Millisecond, 10*time.Millisecond
	running := streamtest.Go(t, p.Run)
	if dies {
		time.Sleep(span)
		kill()
		_ = running.Stop() // a killed process reports nothing
		mu.Lock()
		defer mu.Unlock()
		if left != nil {
			put(t, s.State, left)
		}
		return
	}
	total := int64(len(b.Messages("in")))
	running.Await("all is committed", func() bool { return committed(b) == total })
	if err := errors.Join(running.Stop(), source.Close()); err != nil {
		t.Fatal(fmt.Errorf("stopping: %w", err))
	}
}

// files reads all files of a folder.
func files(t testing.TB, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Error(err)
		}
	}
	return all
}

// put replaces the files of a folder by these.
func put(t testing.TB, dir string, all map[string][]byte) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, data := range all {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
