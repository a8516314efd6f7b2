//go:build linux

package chaos

import (
	"context"
	"maps"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// step waits for its moment and injects the fault.
func (w *world) step(s Step) {
	w.t.Helper()
	if s.Slowly && w.near != nil {
		w.near.Set(Delay)
		defer w.near.Set("")
	}
	time.Sleep(s.Pause)
	switch {
	case s.Fault == Kill:
		w.kill(s)
	case s.Fault == Freeze:
		m := w.members[0]
		if w.set.rivals() {
			m = w.owner()
		}
		m.signal(w.t, syscall.SIGSTOP)
		time.Sleep(s.Span)
		m.signal(w.t, syscall.SIGCONT)
	case s.Fault == Join:
		if len(w.members) < 4 {
			w.join()
		}
	case s.Fault == Leave:
		if last := len(w.members) - 1; last > 0 {
			w.members[last].stop(w.t)
			w.members = w.members[:last]
		}
	case s.Fault == Broker:
		topic := led[w.crashes%len(led)]
		crash := sync.OnceFunc(func() { w.broker.KillLeader(topic, w.crashes/len(led)) })
		if s.At != "" {
			w.atPassing(w.members[0], s, crash)
		}
		crash()
		time.Sleep(s.Span)
		w.broker.Start()
		w.crashes++
	case s.Fault == Cut && s.At != "": // one request or response is dropped
		w.atPassing(w.members[0], s, func() {})
	case s.Fault.isNetwork():
		w.away.Set(s.Fault)
		time.Sleep(s.Span)
		w.away.Set("")
	case s.Fault == Clock:
		w.load.Jump(s.Span)
	case s.Fault == DiskFull || s.Fault == ReadOnly || s.Fault == DiskGone:
		mend := w.disk.spoil(w.t, s.Fault)
		time.Sleep(s.Span)
		if w.kept() {
			w.refused++
		}
		mend()
	default:
		w.t.Fatalf("there is no fault %q", s.Fault)
	}
}

// led are topics whose leaders crash in turn; those of the last two are coordinators.
var led = []string{"places", "events", "dead", "__transaction_state", "__consumer_offsets"}

// patience is the maximum wait for a named moment. If it does not come, the kill happens anyway.
const patience = 4 * time.Second

// kill kills a member at its moment and restarts it. Several members are killed in turn. The dead
// member is evicted at once, so that the group need not wait for the session timeout.
func (w *world) kill(s Step) {
	w.t.Helper()
	victim := w.kills % len(w.members)
	m := w.members[victim]
	switch {
	case s.At == State:
		w.atWriting(m, s.Nth)
	case s.At != "":
		w.atPassing(m, s, m.kill)
	}
	if !m.alive() && s.At == "" {
		w.supervise()
		m = w.members[victim]
	}
	m.kill()
	if w.kills++; w.set.exactly && w.kills%auditEvery == 0 {
		w.audit()
	}
	// After a kill during a join, the group may be unstable at the first attempt.
	ctx, cancel := context.WithTimeout(w.t.Context(), soon)
	defer cancel()
	if err := w.client.Evict(ctx, m.group); err != nil {
		w.t.Errorf("evicting the dead: %v", err)
	}
	m.process = launch(w.t, m.configuration)
}

// auditEvery is the number of kills between two audits of the topics.
const auditEvery = 5

// audit judges the topics after a crash and before the restart, because outputs and positions have
// to agree at any moment. It does nothing while a transaction is still being ended.
func (w *world) audit() {
	w.t.Helper()
	at, settled := w.client.Settled(w.t, group, "events", "places", "dead")
	if !settled || len(w.members) > 1 || w.far != w.broker {
		return
	}
	e := Evidence{Out: w.client.Read(w.t, "places"), Letters: w.client.Read(w.t, "dead"), ExactlyOnce: true, ID: Column, Decoder: w.decoder, Positions: at}
	if again, settled := w.client.Settled(w.t, group, "events", "places", "dead"); !settled || !maps.Equal(at, again) {
		return
	}
	e.In = w.client.Read(w.t, "events")
	w.audits++
	for _, complaint := range Judge(e).Complaints {
		w.t.Errorf("after kill %d: %s", w.kills, complaint)
	}
}

// atPassing calls do when a request passes.
func (w *world) atPassing(m *member, s Step, do func()) {
	var done atomic.Bool
	forget := w.near.At(s.At, s.Nth, func() { do(); done.Store(true) })
	defer forget()
	for end := time.Now().Add(patience); !done.Load() && time.Now().Before(end) && m.alive(); time.Sleep(time.Millisecond) {
	}
	if !done.Load() {
		w.unmet++
	}
}

// atWriting waits until files in the state folder are being written for the nth time.
func (w *world) atWriting(m *member, nth int) {
	before := ""
	for end := time.Now().Add(patience); time.Now().Before(end) && m.alive(); time.Sleep(200 * time.Microsecond) {
		entries, err := os.ReadDir(m.state)
		if err != nil {
			continue // the folder does not exist yet
		}
		for _, e := range entries {
			if name := e.Name(); strings.HasSuffix(name, ".tmp") && name != before {
				before = name
				if nth--; nth == 0 {
					return
				}
			}
		}
	}
	w.unmet++
}
