package cli

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/atomicfile"
	"unfold/internal/journal"
	"unfold/internal/lock"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

// unfinished is the folder of a fit of more rows than --memory has room for. It has the model and a
// journal: what was learnt, and the places of the batches of the second pass so far. If the process
// ends early, the same command goes on from it.
type unfinished struct {
	p   *program
	dir string
	log *journal.Journal // nil if progress is not kept
	// lock keeps other processes away from the folder; nil before it is opened.
	lock io.Closer
	// learnt is the first record of the journal.
	learnt learntPart
}

// unfinishedName returns the folder of the outputs at path.
func unfinishedName(path string) string { return path + ".unfinished" }

// hold locks the folder, which exists, for this process. The error says that another one works on it.
// Temporary files of the process that had the folder before are removed from it and from beside the
// outputs.
func (u *unfinished) hold(outputs ...string) error {
	held, holder, err := lock.Try(u.locked())
	if errors.Is(err, lock.ErrHeld) {
		return fmt.Errorf("%s is in use by another process%s: wait until it ends, or name other outputs", u.dir, holder)
	}
	if err != nil {
		return err
	}
	u.lock = held
	if before, err := os.ReadFile(u.owner()); err == nil {
		for _, path := range append(outputs, u.model()) {
			atomicfile.SweepOf(string(before), path)
		}
	}
	return os.WriteFile(u.owner(), []byte(atomicfile.Owner()), 0o666)
}

// release closes what hold and the journal opened.
func (u *unfinished) release() {
	if u == nil {
		return
	}
	u.close()
	if u.lock != nil {
		_ = u.lock.Close()
		u.lock = nil
	}
}

// The files of the folder.
func (u *unfinished) model() string   { return filepath.Join(u.dir, "model.unfold") }
func (u *unfinished) journal() string { return filepath.Join(u.dir, "places") }
func (u *unfinished) locked() string  { return filepath.Join(u.dir, "lock") }
func (u *unfinished) owner() string   { return filepath.Join(u.dir, "owner") }

// append adds a record, and stops keeping progress if it cannot.
func (u *unfinished) append(record any) {
	if u.log == nil {
		return
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(record)
	if err == nil {
		err = u.log.Append(b.Bytes())
	}
	if err != nil {
		u.stop(err)
	}
}

// stop says that progress is no longer kept, and why.
func (u *unfinished) stop(err error) {
	u.p.note("an interruption would begin the fit again, as %s cannot keep its progress: %v", u.dir, err)
	u.close()
	_ = os.Remove(u.journal()) // without its journal the folder is not resumed
}

// next decodes the next record. It returns io.EOF after the last one.
func (u *unfinished) next(record any) error {
	b, err := u.log.Next()
	if err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(b)).Decode(record)
}

func (u *unfinished) close() {
	if u != nil && u.log != nil {
		_ = u.log.Close() // every record was written
		u.log = nil
	}
}

// remove deletes the folder. It stays if it has files of others.
func (u *unfinished) remove() error {
	if u == nil {
		return nil
	}
	u.release()
	for _, path := range []string{u.model(), u.journal(), u.owner(), u.locked()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_ = os.Remove(u.dir)
	return nil
}

// keep writes the model and what was learnt to the folder of unfinished work. If the folder cannot be
// written, it says so and returns nil.
func (f *fitRun) keep(learnt *emit.Output) *unfinished {
	u := &unfinished{p: f.p, dir: unfinishedName(f.written())}
	err := func() error {
		key, err := f.key()
		if err != nil {
			return err
		}
		if err := os.MkdirAll(u.dir, 0o777); err != nil {
			return err
		}
		if err := u.hold(f.Output, f.Map, f.Report); err != nil {
			return err
		}
		if err := os.Remove(u.journal()); err != nil && !errors.Is(err, fs.ErrNotExist) { // of another command
			return err
		}
		if err := atomicfile.Write(u.model(), func(w io.Writer) error { return snapshot.Write(w, f.snap) }); err != nil {
			return err
		}
		if u.learnt, err = f.learntPart(key); err != nil {
			return err
		}
		if u.log, err = journal.Create(u.journal()); err != nil {
			return err
		}
		u.append(u.learnt)
		return nil
	}()
	if err != nil {
		f.p.note("an interruption would begin the fit again, as its progress cannot be kept: %v", err)
		if u.lock != nil {
			_ = u.remove() // it may be the folder that fails
		}
		return nil
	}
	for from := 0; from < learnt.Len(); from += keptChunk {
		u.append(rowsOf(learnt, f.result.Unlearnt, from, min(from+keptChunk, learnt.Len())))
	}
	if u.log != nil {
		f.p.say(fmt.Sprintf("learnt, and kept in %s: after an interruption the same command goes on from there", u.dir))
	}
	return u
}

// errOther is the error of a folder of another fit.
var errOther = errors.New("it is of another command, of other data or of another version of the program")

// openRest opens the folder of an earlier run of the same command. It returns nil if there is none, and
// an error if another process uses the folder.
func (f *fitRun) openRest() (*unfinished, error) {
	u := &unfinished{p: f.p, dir: unfinishedName(f.written())}
	if info, err := os.Stat(u.dir); f.limit == 0 || f.Map == "" || err != nil || !info.IsDir() {
		return nil, nil
	}
	if err := u.hold(f.Output, f.Map, f.Report); err != nil {
		return nil, err
	}
	err := func() error {
		key, err := f.key()
		if err != nil {
			return err
		}
		if u.log, err = journal.Open(u.journal()); err != nil {
			return err
		}
		if err := u.next(&u.learnt); err != nil {
			return fmt.Errorf("its first record cannot be read: %w", err)
		}
		if !reflect.DeepEqual(u.learnt.Key, key) {
			return errOther
		}
		return nil
	}()
	if err != nil {
		u.unused(err)
		return nil, nil
	}
	return u, nil
}

// unused says why the folder is not used.
func (u *unfinished) unused(err error) {
	u.release()
	u.p.note("beginning again, and not from %s: %v", u.dir, err)
}

// resume takes what the earlier run has learnt. It reports false if the rows have to be learnt.
func (f *fitRun) resume() bool {
	if f.rest == nil {
		return false
	}
	if err := f.take(); err != nil {
		f.rest.unused(err)
		f.rest = nil
		return false
	}
	f.p.note("going on from %s: the map is learnt", f.rest.dir)
	return true
}

// take reads the model and the learnt rows from the folder. The error says why it cannot be used.
func (f *fitRun) take() error {
	u, d := f.rest, f.data.Drawn
	first := u.learnt
	if d == nil || d.Of != first.Of || d.Count != first.Count {
		return errOther
	}
	learnt, unlearnt := new(emit.Output), []bool(nil)
	for learnt.Len() < d.Count {
		var k keptRows
		if err := u.next(&k); err != nil {
			return fmt.Errorf("not all learnt rows are there: %w", err)
		}
		k.add(learnt, &unlearnt)
	}
	s, err := snapshot.ReadFile(u.model())
	if err != nil {
		return err
	}
	encoder, err := json.Marshal(f.data.Encoder)
	if err != nil {
		return err
	}
	if !bytes.Equal(encoder, s.Encoder) || learnt.Len() != d.Count {
		return errOther
	}
	f.snap = s
	f.result = &fit.Result{
		Placed: models.Placed{Mu: learnt.Embedding}, Unlearnt: unlearnt, Spec: fit.Spec{Kind: first.Kind}, Report: first.Report,
		Constant: first.Constant, SecondsPCA: first.SecondsPCA, SecondsIndex: first.SecondsIndex,
	}
	if first.Own != nil {
		f.result.Own = first.Own
	}
	f.taken = learnt
	return nil
}

// explain says how to go on after an error or an interruption.
func (u *unfinished) explain() {
	if u == nil {
		return
	}
	if _, err := os.Stat(u.journal()); err != nil {
		_ = u.remove() // it cannot be resumed
		return
	}
	u.p.note("%s keeps the work that is done: the same command goes on from there; delete it to begin again", u.dir)
}

// placed returns the places of the rows of a table: from the journal, or else from the map. It adds the
// latter to the journal.
func (u *unfinished) placed(ctx context.Context, m *embed.Map, t *table.Table) (*emit.Output, error) {
	if u.log == nil {
		return m.Table(ctx, t)
	}
	if o, err := u.known(m, t); o != nil || err != nil {
		return o, err
	}
	o, err := m.Table(ctx, t)
	if err == nil {
		u.append(rowsOf(o, nil, 0, o.Len()))
	}
	return o, err
}

// known returns the places of a batch from the journal, or nil after its last record.
func (u *unfinished) known(m *embed.Map, t *table.Table) (*emit.Output, error) {
	var k keptRows
	switch err := u.next(&k); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w; delete it to begin again", u.dir, err)
	case k.Rows != t.Len():
		return nil, fmt.Errorf("%s has %d places for %d rows; delete it to begin again", u.dir, k.Rows, t.Len())
	}
	b, err := m.Encoder().Encode(t)
	if err != nil {
		return nil, err
	}
	s := m.Snapshot()
	o := &emit.Output{ID: b.ID, Kept: b.Kept, Epoch: s.Epoch, Version: s.Version, MapID: s.MapID}
	k.add(o, new([]bool))
	return o, nil
}
