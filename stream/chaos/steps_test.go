//go:build linux

package chaos

import (
	"context"
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
	if s.Slowly {
		w.near.Set(Delay)
		defer w.near.Set("")
	}
	time.Sleep(s.Pause)
	switch {
	case s.Fault == Kill:
		w.kill(s)
	case s.Fault == Freeze:
		m := w.members[0]
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
		crash := sync.OnceFunc(w.broker.Kill)
		if s.At != "" {
			w.atPassing(w.members[0], s, crash)
		}
		crash()
		time.Sleep(s.Span)
		w.broker.Start()
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
		if strings.Contains(w.members[0].log.String(), "no new map") {
			w.refused++
		}
		mend()
	default:
		w.t.Fatalf("there is no fault %q", s.Fault)
	}
}

// patience is how long a named moment is waited for. If it does not come the kill
// happens all the same.
const patience = 4 * time.Second

// kill ends the first member at its moment and starts it again. The group need not
// wait for the session of the dead to time out: it is told.
func (w *world) kill(s Step) {
	w.t.Helper()
	m := w.members[0]
	switch {
	case s.At == State:
		w.atWriting(m, s.Nth)
	case s.At != "":
		w.atPassing(m, s, m.kill)
	}
	if !m.alive() && s.At == "" {
		w.supervise()
		m = w.members[0]
	}
	m.kill()
	w.kills++
	// After a kill in the middle of joining, the first attempt may find a group in flux.
	ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
	defer cancel()
	if err := w.client.Evict(ctx, group); err != nil {
		w.t.Errorf("evicting the dead: %v", err)
	}
	m.process = launch(w.t, m.configuration)
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
