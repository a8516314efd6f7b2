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

// step waits for its moment and does what is to be done.
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
	case s.Fault == Cut && s.At != "": // one request or answer is lost
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

// led are topics whose leaders crash, in turn; those of the last two coordinate.
var led = []string{"places", "events", "dead", "__transaction_state", "__consumer_offsets"}

// patience is how long a named moment is waited for. If it does not come the kill
// happens all the same.
const patience = 4 * time.Second

// kill ends a member at its moment and starts it again: the first, or where there are several by turns. The group need not
// wait for the session of the dead to time out: it learns at once.
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
	// After a kill in the middle of joining, the first attempt may find a group in flux.
	ctx, cancel := context.WithTimeout(w.t.Context(), soon)
	defer cancel()
	if err := w.client.Evict(ctx, m.group); err != nil {
		w.t.Errorf("evicting the dead: %v", err)
	}
	m.process = launch(w.t, m.configuration)
}

// auditEvery is after how many kills the topics are looked at before the next start.
const auditEvery = 5

// audit judges what a crash has left, before anybody mends it: outputs and positions
// have to go together at any moment. Where a transaction is still being ended it
// looks away.
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

// atPassing does something when a request passes.
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

// atWriting waits until files in the state folder are being written, the nth time.
func (w *world) atWriting(m *member, nth int) {
	before := ""
	for end := time.Now().Add(patience); time.Now().Before(end) && m.alive(); time.Sleep(200 * time.Microsecond) {
		entries, err := os.ReadDir(m.state)
		if err != nil {
			continue // it is not there yet
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
