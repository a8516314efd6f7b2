//go:build linux

package chaos

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"unfold/internal/testkit/tier"
	"unfold/stream/store/storetest"
)

// fleet is a world in which one process learns and others place events on its maps.
type fleet struct {
	*world
	store *storetest.S3
	stop  func() // stops the load
}

// newFleet starts brokers, a store and the load.
func newFleet(t *testing.T, real bool, seed uint64) *fleet {
	t.Helper()
	f := &fleet{world: begin(t, scenario{exactly: true, real: real}, seed), store: storetest.StartS3(t)}
	f.client.Create(t, "maps", 1, 1, map[string]string{"cleanup.policy": "compact"})
	ctx, cancel := context.WithCancel(t.Context())
	var loading sync.WaitGroup
	loading.Go(func() {
		if err := f.load.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	f.stop = sync.OnceFunc(func() { cancel(); loading.Wait() })
	t.Cleanup(f.stop)
	return f
}

// enlist starts a process with a role.
func (f *fleet) enlist(role string) *member {
	f.t.Helper()
	dir := filepath.Join(f.dir, fmt.Sprintf("%s %d", role, f.made))
	f.made++
	m := &member{configuration: filepath.Join(dir, "unfold.yaml")}
	text := fmt.Sprintf(`
role: %s
source: {kafka: {brokers: [%q], topic: events, group: %s}, vector: v, id: %s}
sink: {kafka: {topic: places}}
dead_letter: {topic: dead}
delivery: exactly-once
model: {steps: 15, threads: 1}
reference: {min: 400, size: 800}
refresh: {every: 300ms, new: 5%%}
snapshots: {store: %q, topic: maps}
http: off
`, role, f.near.Addr(), group, Column, f.store.URL("unfold"))
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(m.configuration, []byte(text), 0o600)); err != nil {
		f.t.Fatal(err)
	}
	m.process = launch(f.t, m.configuration)
	f.members = append(f.members, m)
	return m
}

// dismiss removes a process from the members, so that it is not restarted.
func (f *fleet) dismiss(m *member) {
	for i, o := range f.members {
		if o == m {
			f.members = append(f.members[:i:i], f.members[i+1:]...)
			return
		}
	}
}

// places waits until a process owns a share and has a map.
func (f *fleet) places(m *member) {
	f.t.Helper()
	f.await("an embedder has a map and a share", func() bool {
		log := m.log.String()
		return strings.Contains(log, " loaded, ") && regexp.MustCompile(`reading \d+ partition`).MatchString(log)
	})
}

var announcedLine = regexp.MustCompile(`map version (\d+) \(epoch \d+\) announced`)

// announced returns the newest version that a learner has announced according to its log.
func announced(m *member) (version int) {
	for _, found := range announcedLine.FindAllStringSubmatch(m.log.String(), -1) {
		version, _ = strconv.Atoi(found[1])
	}
	return version
}

// placed returns the number of committed outputs.
func (f *fleet) placed() int { return len(f.outputs.Read(f.t, "places")) }

// finish waits until all events are placed by the given number of map versions, ends all processes,
// and judges.
func (f *fleet) finish(versions int) {
	f.t.Helper()
	f.enough(versions)
	f.stop()
	f.settle()
	for _, m := range f.members {
		m.process.stop(f.t)
	}
	v := Judge(Evidence{In: f.client.Read(f.t, "events"), Out: f.outputs.Read(f.t, "places"), Letters: f.outputs.Read(f.t, "dead"), ExactlyOnce: true, ID: Column})
	f.t.Log(v)
	for _, complaint := range v.Complaints {
		f.t.Error(complaint)
	}
	if v.Placed == 0 || v.Letters == 0 || v.Versions < versions {
		f.t.Errorf("too little happened for the verdict to mean anything: %d placed by %d versions, want %d, %d dead letters", v.Placed, v.Versions, versions, v.Letters)
	}
}

// TestRollingRestart restarts embedders one after the other, twice, kills two at once, and restarts
// the learner, while events arrive and maps change. Nothing may be lost, reordered or duplicated.
func TestRollingRestart(t *testing.T) {
	tier.Full(t, "it kills programs")
	for name, real := range map[string]bool{"embedded": false, "real": true} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, real, 11)
			learner := f.enlist("learn")
			var embedders []*member
			for range 3 {
				embedders = append(embedders, f.enlist("embed"))
			}
			for _, m := range embedders {
				f.places(m)
			}
			for range 2 {
				for i, m := range embedders {
					m.process.stop(t)
					f.dismiss(m)
					embedders[i] = f.enlist("embed")
					f.places(embedders[i])
				}
			}
			version := announced(learner)
			learner.process.stop(t)
			f.dismiss(learner)
			learner = f.enlist("learn")
			f.await("the learner goes on with its versions", func() bool { return announced(learner) > version })
			for i, m := range embedders[:2] {
				f.dismiss(m)
				m.kill()
				embedders[i] = f.enlist("embed")
			}
			for _, m := range embedders {
				f.places(m)
			}
			f.finish(3)
		})
	}
}

// TestSecondLearner suspends the learner until another one has taken over. After it resumes, it
// must not announce a map, and must end.
func TestSecondLearner(t *testing.T) {
	tier.Full(t, "it kills programs")
	f := newFleet(t, false, 12)
	first := f.enlist("learn")
	embedder := f.enlist("embed")
	f.places(embedder)
	first.signal(t, syscall.SIGSTOP)
	f.dismiss(first)
	second := f.enlist("learn")
	f.await("the second takes over", func() bool { return announced(second) > 0 })
	before := announced(first)
	first.signal(t, syscall.SIGCONT)
	select {
	case <-first.gone:
	case <-time.After(soon):
		t.Fatalf("the first goes on:\n%s", first.log)
	}
	if code := first.cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(first.log.String(), "there is another learner of unfold") {
		t.Errorf("the first ends with exit code %d:\n%s", code, first.log)
	}
	if after := announced(first); after != before {
		t.Errorf("the first announced version %d when it had been replaced", after)
	}
	version := announced(second)
	f.await("the second goes on", func() bool { return announced(second) > version+1 })
	f.finish(3)
}

// TestStoreAway stops the store for some seconds. Places are still written and no process ends; new
// maps are announced afterwards.
func TestStoreAway(t *testing.T) {
	tier.Full(t, "it kills programs")
	f := newFleet(t, false, 13)
	learner, embedder := f.enlist("learn"), f.enlist("embed")
	f.places(embedder)
	f.store.Stop()
	f.await("the learner says so", func() bool { return strings.Contains(learner.log.String(), "store failed, attempt") })
	version, placed := announced(learner), f.placed()
	f.await("places are written all the while", func() bool { return f.placed() > placed+200 })
	if now := announced(learner); now != version {
		t.Errorf("version %d was announced without a store", now)
	}
	f.store.Start()
	f.await("the newest map arrives", func() bool {
		now := announced(learner)
		return now > version+1 && strings.Contains(embedder.log.String(), fmt.Sprintf("map version %d ", now))
	})
	f.finish(2)
}
