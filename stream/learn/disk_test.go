package learn

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"unfold/internal/atomicfile"
)

var errDead = errors.New("the machine has stopped")

// mortal is a disk that counts its changes and stops the machine at one of them.
type mortal struct {
	atomicfile.OS
	// done counts changes. The machine stops at the change number stop, before it is made or after;
	// a write may be half done.
	done, stop int
	after      bool
	// forgetful: writes and renames that were not flushed are lost.
	forgetful bool
	dead      bool

	open []*mortalFile
	undo []func() error // renames that were not flushed, oldest first
}

// change counts a change. It reports whether the change is made and whether the machine continues.
func (d *mortal) change() (make, live bool) {
	if d.dead {
		return false, false
	}
	d.done++
	if d.done-1 != d.stop {
		return true, true
	}
	d.dead = true
	return d.after, false
}

// do makes a change, unless the machine stops before.
func (d *mortal) do(f func() error) error {
	make, live := d.change()
	var err error
	if make {
		err = f()
	}
	if !live {
		return errDead
	}
	return err
}

// settle leaves the disk in the state that the next start finds.
func (d *mortal) settle() error {
	var errs []error
	if d.forgetful {
		for _, f := range d.open {
			errs = append(errs, os.Truncate(f.where, f.flushed))
		}
		for _, undo := range slices.Backward(d.undo) {
			errs = append(errs, undo())
		}
	}
	return errors.Join(errs...)
}

func (d *mortal) Create(name string) (atomicfile.Handle, error) {
	var h atomicfile.Handle
	err := d.do(func() (err error) { h, err = d.OS.Create(name); return err })
	if h == nil {
		return nil, err
	}
	f := &mortalFile{Handle: h, disk: d, where: name}
	d.open = append(d.open, f)
	if err != nil {
		h.Close()
		return nil, err
	}
	return f, nil
}

func (d *mortal) Rename(from, to string) error {
	return d.do(func() error {
		old, err := os.ReadFile(to)
		if err := d.OS.Rename(from, to); err != nil {
			return err
		}
		for _, f := range d.open {
			if f.where == from {
				f.where = to
			}
		}
		d.undo = append(d.undo, func() error {
			if err != nil {
				return os.Remove(to)
			}
			return os.WriteFile(to, old, 0o600)
		})
		return nil
	})
}

func (d *mortal) Remove(name string) error {
	return d.do(func() error {
		d.open = slices.DeleteFunc(d.open, func(f *mortalFile) bool { return f.where == name })
		return d.OS.Remove(name)
	})
}

func (d *mortal) MkdirAll(name string, perm os.FileMode) error {
	return d.do(func() error { return d.OS.MkdirAll(name, perm) })
}

func (d *mortal) SyncFolder(name string) error {
	return d.do(func() error { d.undo = nil; return d.OS.SyncFolder(name) })
}

// mortalFile stores how much of it has been flushed.
type mortalFile struct {
	atomicfile.Handle
	disk             *mortal
	where            string
	written, flushed int64
}

func (f *mortalFile) Write(p []byte) (int, error) {
	make, live := f.disk.change()
	if !live {
		if make {
			p = p[:len(p)/2]
			n, _ := f.Handle.Write(p)
			f.written += int64(n)
			return n, errDead
		}
		return 0, errDead
	}
	n, err := f.Handle.Write(p)
	f.written += int64(n)
	return n, err
}

func (f *mortalFile) Seek(int64, int) (int64, error) {
	return 0, errors.New("states are not seeked in")
}

func (f *mortalFile) Sync() error {
	return f.disk.do(func() error { f.flushed = f.written; return f.Handle.Sync() })
}

// stateOf describes the state from which a learner starts.
func stateOf(l *Learner) string {
	return fmt.Sprint(l.Current().Version, l.Current().Epoch, l.next, l.movesEpoch, len(l.history), contents(l))
}

// TestStopsAtEveryWrite stops the machine at every change that a refresh, or the last save, makes
// to the disk. The disk may lose data that was not flushed. The next start finds either the last
// state or the new one, complete.
func TestStopsAtEveryWrite(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	s := quick()
	s.State = filepath.Join(t.TempDir(), "state")
	s.Spec.Steps = 5
	_, next, stop := started(t, s, rng, 4)
	stop()
	old := files(t, s.State)
	m := message(t, rng, 10, 4, next)
	for name, work := range map[string]func(l *Learner) error{
		"refresh": func(l *Learner) error { return l.refresh(context.Background()) },
		"stop":    func(l *Learner) error { return l.saveReference() },
	} {
		// run does the work on a disk, from the old state.
		run := func(d *mortal) (*Learner, error) {
			put(t, s.State, old)
			s := s
			s.Disk = d
			l := newLearner(t, s)
			d.done = 0
			offer(t, l, m)
			return l, work(l)
		}
		whole := &mortal{stop: -1}
		l, err := run(whole)
		if err != nil {
			t.Fatal(err)
		}
		after := stateOf(newLearner(t, s))
		if got := stateOf(l); got != after {
			t.Fatalf("%s: saved %s, found %s", name, got, after)
		}
		put(t, s.State, old)
		before := stateOf(newLearner(t, s))
		if before == after || whole.done < 10 {
			t.Fatalf("%s: nothing changes, in %d steps", name, whole.done)
		}
		t.Logf("%s: %d changes of the disk", name, whole.done)
		found := map[string]int{}
		for at := range whole.done {
			for _, d := range []*mortal{{}, {after: true}, {forgetful: true}, {after: true, forgetful: true}} {
				d.stop = at
				if _, err := run(d); err == nil {
					t.Fatalf("%s: no error though the machine stopped at change %d", name, at)
				}
				if err := d.settle(); err != nil {
					t.Fatal(err)
				}
				l, err := New(s)
				if err != nil {
					t.Fatalf("%s, stopped at change %d (%+v): %v", name, at, *d, err)
				}
				switch got := stateOf(l); got {
				case before:
					found["last"]++
				case after:
					found["new"]++
				default:
					t.Errorf("%s, stopped at change %d: found %s, want %s or %s", name, at, got, before, after)
				}
				if left := slices.Sorted(maps.Keys(files(t, s.State))); len(left) != 2 {
					t.Errorf("%s, stopped at change %d: the next start leaves %v", name, at, left)
				}
			}
		}
		if found["last"] == 0 || found["new"] == 0 {
			t.Errorf("%s: states found: %v", name, found)
		}
	}
}
