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
	"slices"
	"time"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/atomicfile"
	"unfold/internal/journal"
	"unfold/internal/vec"
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
	// learnt is the first record of the journal.
	learnt learntPart
}

// unfinishedName returns the folder of the outputs at path.
func unfinishedName(path string) string { return path + ".unfinished" }

func (u *unfinished) model() string   { return filepath.Join(u.dir, "model.unfold") }
func (u *unfinished) journal() string { return filepath.Join(u.dir, "places") }

// fitKey identifies a fit: another program, command or input makes another map.
type fitKey struct {
	Version string
	Command []string
	Inputs  []inputKey
}

// inputKey identifies the contents of an input.
type inputKey struct {
	Path     string
	Size     int64
	Modified time.Time
}

// key returns the key of the fit.
func (f *fitRun) key() (k fitKey, err error) {
	k = fitKey{Version: f.p.programVersion(), Command: f.p.Args}
	for _, path := range slices.Concat(f.inputs, f.LabelFile) {
		info, err := os.Stat(path)
		if err != nil {
			return k, err
		}
		k.Inputs = append(k.Inputs, inputKey{path, info.Size(), info.ModTime().UTC()})
	}
	return k, nil
}

// learntPart is the first record of a journal: the result of a fit without its rows.
type learntPart struct {
	Key fitKey
	// Of is the number of rows, Count that of the drawn ones. It depends on the memory of the process
	// when it starts, so a later run takes it from here.
	Of, Count  int
	Kind       string
	Report     models.Report
	Own        json.RawMessage
	Constant   []int
	SecondsPCA float64
	// SecondsIndex is the time to index the points.
	SecondsIndex float64
}

// keptRows are the figures of a batch of rows: places, learnt or of new points, as emit.Output has
// them.
type keptRows struct {
	Rows, Dims                         int
	Embedding                          []float32
	Sigma, NoveltyLocal, NoveltyGlobal []float32
	Probability, ClassEntropy          []float32
	Class                              []string
	ClassShares                        [][]emit.ClassShare
	Unlearnt                           []bool
}

// keptChunk is the number of learnt rows of a record.
const keptChunk = 1 << 16

// rowsOf returns the figures of rows from..to of an output. unlearnt may be nil.
func rowsOf(o *emit.Output, unlearnt []bool, from, to int) keptRows {
	return keptRows{
		Rows: to - from, Dims: o.Embedding.Cols, Embedding: o.Embedding.Slice(from, to).Data,
		Sigma: part(o.Sigma, from, to), NoveltyLocal: part(o.NoveltyLocal, from, to), NoveltyGlobal: part(o.NoveltyGlobal, from, to),
		Probability: part(o.Probability, from, to), ClassEntropy: part(o.ClassEntropy, from, to),
		Class: part(o.Class, from, to), ClassShares: part(o.ClassShares, from, to), Unlearnt: part(unlearnt, from, to),
	}
}

// part returns a part of a column, nil if there is none.
func part[T any](column []T, from, to int) []T {
	if column == nil {
		return nil
	}
	return column[from:to]
}

// add appends the rows to an output and to unlearnt.
func (k *keptRows) add(o *emit.Output, unlearnt *[]bool) {
	o.Embedding = vec.Of(o.Embedding.Rows+k.Rows, k.Dims, append(o.Embedding.Data, k.Embedding...))
	for _, c := range []struct {
		to   *[]float32
		from []float32
	}{
		{&o.Sigma, k.Sigma}, {&o.NoveltyLocal, k.NoveltyLocal}, {&o.NoveltyGlobal, k.NoveltyGlobal},
		{&o.Probability, k.Probability}, {&o.ClassEntropy, k.ClassEntropy},
	} {
		*c.to = append(*c.to, c.from...)
	}
	o.Class = append(o.Class, k.Class...)
	for _, shares := range k.ClassShares {
		if len(shares) == 0 {
			shares = nil // a gob does not distinguish them
		}
		o.ClassShares = append(o.ClassShares, shares)
	}
	*unlearnt = append(*unlearnt, k.Unlearnt...)
}

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
	u.p.note("an interruption would begin the fit anew, as %s cannot keep its progress: %v", u.dir, err)
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

// remove deletes the folder.
func (u *unfinished) remove() error {
	if u == nil {
		return nil
	}
	u.close()
	return os.RemoveAll(u.dir)
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
		if err := os.RemoveAll(u.dir); err != nil { // of another command
			return err
		}
		if err := os.Mkdir(u.dir, 0o777); err != nil {
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
		f.p.note("an interruption would begin the fit anew, as its progress cannot be kept: %v", err)
		_ = os.RemoveAll(u.dir) // it may be the folder that fails
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

// learntPart returns the first record of the fit's journal.
func (f *fitRun) learntPart(key fitKey) (learntPart, error) {
	r, d := f.result, f.data.Drawn
	out := learntPart{
		Key: key, Of: d.Of, Count: d.Count,
		Kind: r.Spec.Kind, Report: r.Report, Constant: r.Constant, SecondsPCA: r.SecondsPCA, SecondsIndex: r.SecondsIndex,
	}
	if r.Own == nil {
		return out, nil
	}
	var err error
	out.Own, err = json.Marshal(r.Own)
	return out, err
}

// errOther is the error of a folder of another fit.
var errOther = errors.New("it is of another command, of other data or of another version of the program")

// openRest opens the folder of an earlier run of the same command. It returns nil if there is none.
func (f *fitRun) openRest() *unfinished {
	u := &unfinished{p: f.p, dir: unfinishedName(f.written())}
	if _, err := os.Stat(u.dir); f.limit == 0 || f.Map == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
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
		return nil
	}
	return u
}

// unused says why the folder is not used.
func (u *unfinished) unused(err error) {
	u.close()
	u.p.note("beginning anew, and not from %s: %v", u.dir, err)
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

// tell says how to go on after an error or an interruption.
func (u *unfinished) tell() {
	if u == nil {
		return
	}
	if _, err := os.Stat(u.journal()); err != nil {
		_ = os.RemoveAll(u.dir) // it cannot be resumed
		return
	}
	u.p.note("%s keeps the work that is done: the same command goes on from there; delete it to begin anew", u.dir)
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
		return nil, fmt.Errorf("%s: %w; delete it to begin anew", u.dir, err)
	case k.Rows != t.Len():
		return nil, fmt.Errorf("%s has %d places for %d rows; delete it to begin anew", u.dir, k.Rows, t.Len())
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
