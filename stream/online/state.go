package online

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"unfold/ingest"
	"unfold/internal/wholefile"
	"unfold/models"
	"unfold/models/kinds"
	"unfold/models/lvm"
	"unfold/models/snapshot"
	"unfold/sparse/vec"
	"unfold/stream"
)

// Names of the files in the state directory.
const (
	// MapFile is the newest map, as a snapshot.
	MapFile = "map.unfold"
	// ReferenceFile is the reference set; see setfile.go.
	ReferenceFile = "reference.set"
)

// save writes the map and the reference set that it was learnt from. The set
// comes first: a set that is newer than the map is as good, and a map is never
// without one.
func (l *Learner) save(s *snapshot.Snapshot, ref *reference, positions map[stream.TopicPartition]int64) error {
	if l.set.State == "" {
		return nil
	}
	// The set holds events: unless the operator says otherwise by making the
	// folder, they are for this user alone.
	if err := os.MkdirAll(l.set.State, 0o700); err != nil {
		return fmt.Errorf("online: %w", err)
	}
	if err := writeSet(filepath.Join(l.set.State, ReferenceFile), l.setOf(ref, positions)); err != nil {
		return err
	}
	return snapshot.WriteFile(filepath.Join(l.set.State, MapFile), s)
}

// saveReference writes the reference set as it is now.
func (l *Learner) saveReference() error {
	l.mu.Lock()
	if l.set.State == "" || l.ref == nil || l.fresh == 0 {
		l.mu.Unlock()
		return nil
	}
	s := l.setOf(l.ref, l.next)
	// A slow disk does not hold up who delivers and offers the last events.
	l.mu.Unlock()
	return writeSet(filepath.Join(l.set.State, ReferenceFile), s)
}

// setOf copies a reference set to be saved.
func (l *Learner) setOf(ref *reference, positions map[stream.TopicPartition]int64) *set {
	mapping := l.set.Mapping
	mapping.Selection = ingest.Selection{}
	return &set{
		setHeader: setHeader{Dim: ref.dim, Rows: ref.len(), Seen: ref.seen, Mapping: mapping, Positions: toSnapshot(positions)},
		rows:      ref.matrix(),
	}
}

// load goes on from the state directory or from the map to start with.
func (l *Learner) load() error {
	s, saved := l.set.Start, (*set)(nil)
	if l.set.State != "" {
		for _, name := range []string{MapFile, ReferenceFile} {
			if err := wholefile.Sweep(filepath.Join(l.set.State, name)); err != nil {
				return fmt.Errorf("online: %w", err)
			}
		}
		found, err := snapshot.ReadFile(filepath.Join(l.set.State, MapFile))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("%w (to begin anew, remove the directory %s)", err, l.set.State)
		default:
			s = found
			saved, err = readSet(filepath.Join(l.set.State, ReferenceFile))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%w (to go on from the map alone, remove this file)", err)
			}
		}
	}
	if s == nil {
		return nil
	}
	encoder, err := l.encoderOf(s)
	if err != nil {
		return err
	}
	if err := l.fits(s, saved); err != nil {
		return err
	}
	p, err := l.open(s, encoder)
	if err != nil {
		return err
	}
	l.encoder, l.ref = encoder, newReference(l.set.Policy, l.set.Size, s.Dim, l.set.Seed)
	positions := s.Positions
	if saved != nil {
		l.ref.restore(saved.rows, saved.Seen)
		positions = saved.Positions
	} else {
		x, events := rebuild(s, l.set.Size)
		l.ref.restore(x, events)
	}
	for _, q := range positions {
		l.next[stream.TopicPartition{Topic: q.Topic, Partition: int(q.Partition)}] = q.Offset
	}
	l.publish(p, 0)
	return nil
}

// encoderOf reads a snapshot's encoder. Which columns pass through is for the
// settings to say, unless these leave everything to the map.
func (l *Learner) encoderOf(s *snapshot.Snapshot) (*ingest.Encoder, error) {
	if len(s.Encoder) == 0 {
		return nil, models.BadInputf("online: the map does not say how events become vectors")
	}
	encoder := &ingest.Encoder{}
	if err := json.Unmarshal(s.Encoder, encoder); err != nil {
		return nil, models.BadInputf("online: the map's %w", err)
	}
	if reflect.DeepEqual(l.set.Mapping, ingest.Mapping{}) {
		return encoder, ingest.CheckKept(encoder.Selection().ID, encoder.Selection().Keep)
	}
	return encoder.With(l.set.Mapping.Selection), nil
}

// fits checks that a map that was found is one that the settings would learn.
// Otherwise the first refresh would change its dimension or kind under those who
// read it.
func (l *Learner) fits(s *snapshot.Snapshot, saved *set) error {
	where := "the map to start with"
	if s != l.set.Start {
		where = "the map in " + l.set.State
	}
	spec, err := l.set.Spec.Resolve(s.Dim)
	if err != nil {
		return err
	}
	was, err := kinds.ParseSpec(s)
	if err != nil {
		return err
	}
	dims := spec.LVM.Dims
	if dims == 0 {
		dims = lvm.DefaultDims
	}
	switch {
	case spec.Kind != s.Kind:
		return models.BadInputf("online: %s is of kind %s, the settings say %s: use another directory, or remove this one", where, s.Kind, spec.Kind)
	case dims != s.Mu.Cols:
		return models.BadInputf("online: %s has %d dimensions, the settings say %d: use another directory, or remove this one", where, s.Mu.Cols, dims)
	case was.Kind != s.Kind:
		return models.BadInputf("online: %s says that it is of kind %s and of kind %s", where, s.Kind, was.Kind)
	}
	if saved == nil {
		return nil
	}
	mapping := l.set.Mapping
	mapping.Selection = ingest.Selection{}
	switch {
	case saved.Dim != s.Dim:
		return models.BadInputf("online: the reference set in %s holds vectors of %d elements, the map's have %d: remove one or both files", l.set.State, saved.Dim, s.Dim)
	case !reflect.DeepEqual(saved.Mapping, mapping):
		return models.BadInputf("online: %s was learnt from other columns than the settings name: use another directory, or remove this one", where)
	}
	return nil
}

// rebuild makes a reference set from a map that comes without one: each
// reference point as often as it counts, x = mean + Components' z. Without a
// projection that is exact; with one, what the projection dropped is lost.
func rebuild(s *snapshot.Snapshot, size int) (vec.Matrix[float32], uint64) {
	total := uint64(0)
	for _, c := range s.Count {
		total += uint64(c)
	}
	// More events than there is room for: each point counts less, but once.
	share := min(1, float64(size)/float64(max(total, 1)))
	out := vec.Matrix[float32]{Cols: s.Dim}
	for i := range s.Reference.Rows {
		row := unproject(s, s.Reference.Row(i))
		times := max(1, int(share*float64(s.Count[i])))
		for range times {
			out.Data = append(out.Data, row...)
			out.Rows++
		}
	}
	return out, total
}

func unproject(s *snapshot.Snapshot, z []float32) []float32 {
	if s.Components.Rows == 0 {
		return z
	}
	x := make([]float64, s.Dim)
	for k, v := range s.Mean {
		x[k] = float64(v)
	}
	for q, w := range z {
		for k, c := range s.Components.Row(q) {
			x[k] += float64(w) * float64(c)
		}
	}
	out := make([]float32, len(x))
	for k, v := range x {
		out[k] = float32(v)
	}
	return out
}
