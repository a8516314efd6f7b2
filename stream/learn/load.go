package learn

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/ep/labels"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/stream/embed"
	"unfold/stream/reference"
)

// load continues from the state directory or from Settings.Start.
func (l *Learner) load() error {
	s, err := l.find()
	if err != nil || s == nil {
		return err
	}
	how, saved := learningOf(s), (*set)(nil)
	if s != l.set.Start {
		if saved, err = l.saved(how.Set); err != nil {
			return err
		}
	}
	if err := l.fits(s, saved); err != nil {
		return err
	}
	l.set.sized(s.Dim, s.Reference.Rows)
	p, err := l.open(s, nil, how.Live, how.Stats)
	if err != nil {
		return err
	}
	encoder := p.at.Encoder()
	l.encoder, l.movesEpoch, l.mapID = encoder, s.Epoch, s.MapID
	if l.set.trains() {
		if l.pool, err = labels.OpenPool(s, 0); err != nil {
			return models.BadInputf("learn: the labelled events of the map: %w", err)
		}
	}
	positions, v := s.Positions, reference.Saved{}
	if saved != nil {
		positions, v = saved.Positions, saved.points
		l.movesEpoch, l.idType, l.format, l.history = saved.MovesEpoch, saved.IDType, saved.Format, saved.History
	} else {
		v = rebuild(s)
	}
	l.renote(&v, saved, s.Epoch)
	if saved == nil {
		if err := l.relabel(&v, s); err != nil {
			return err
		}
	}
	if l.ref, err = reference.Restore(l.set.reference(encoder.Selection().ID != ""), v, s.Reference.Rows); err != nil {
		return fmt.Errorf("learn: the reference set in %s: %w", l.set.State, err)
	}
	for _, q := range positions {
		l.next[q.TopicPartition] = q.Offset
	}
	if p.groups, err = notesOf(p.at.Clusters()); err != nil {
		return models.BadInputf("learn: the clusters of the map: %w", err)
	}
	l.unmet = l.set.grouped() && !l.set.meets(p.at.Clusters())
	l.groupsPending = l.set.Groups != nil // a crash may have prevented that they were emitted
	p.classes = l.rowClasses(s.Reference.Rows)
	p.name(l.rowIDs(s.Reference.Rows))
	l.exchange(p, 0)
	return nil
}

// CheckState reports whether New would go on from the map in the state directory, and returns it:
// nil if there is none. It changes nothing, and a learner may be using the directory.
func CheckState(settings Settings) (*snapshot.Snapshot, error) {
	checked, err := settings.withDefaults()
	if err != nil || checked.State == "" {
		return nil, err
	}
	l := &Learner{set: checked}
	var s *snapshot.Snapshot
	for range attempts {
		if s, err = checked.savedMap(); err != nil || s == nil {
			return nil, err
		}
		var saved *set
		if file := learningOf(s).Set; file != nil {
			if saved, err = checked.saved(file); errors.Is(err, fs.ErrNotExist) {
				continue // the next map was saved meanwhile, or the set was removed
			}
		}
		if err == nil {
			err = l.fits(s, saved)
		}
		return s, err
	}
	return s, l.fits(s, nil)
}

// meets reports whether clusters were found with the settings.
func (s *Settings) meets(g *identity.Groups) bool {
	if g == nil {
		return false
	}
	was, now := g.Set, s.Clusters
	return g.OfRows() == s.ClustersOfRows && was.MinSize == now.MinSize && cmp.Or(was.MinSamples, was.MinSize) == cmp.Or(now.MinSamples, now.MinSize) &&
		cmp.Or(was.Selection, clusters.ExcessOfMass) == cmp.Or(now.Selection, clusters.ExcessOfMass)
}

// renote adapts the notes of a saved set to the settings, which may turn moves or labels on or off.
func (l *Learner) renote(v *reference.Saved, saved *set, epoch uint32) {
	old := v.Notes
	moved, had := old.Cols, saved != nil && saved.Labels != nil && old.Cols > 0
	if had {
		moved--
	}
	v.Notes = vec.New[float32](v.X.Rows, l.set.notes())
	for i := range v.Notes.Data {
		v.Notes.Data[i] = float32(math.NaN())
	}
	want := v.Notes.Cols
	if l.set.Mapping.Label != "" {
		want--
	}
	for i := range v.X.Rows {
		if moved == want {
			copy(v.Notes.Row(i)[:want], old.Row(i))
		}
		if had && want < v.Notes.Cols {
			v.Notes.Row(i)[want] = old.Row(i)[moved]
		}
	}
	if moved != want {
		l.movesEpoch = epoch
	}
	if had && l.set.Mapping.Label != "" {
		l.prequential.named(saved.Labels)
	}
}

// find returns the map to continue from: that in the state directory or Settings.Start, which may
// be nil.
func (l *Learner) find() (*snapshot.Snapshot, error) {
	if l.set.State == "" {
		return l.set.Start, nil
	}
	s, err := l.set.savedMap()
	if err == nil && s == nil {
		return l.set.Start, l.sweep(nil)
	}
	return s, err
}

// savedMap returns the map in the state directory, nil if there is none.
func (s *Settings) savedMap() (*snapshot.Snapshot, error) {
	path := filepath.Join(s.State, MapFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	m, err := snapshot.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%w (to begin again, remove the directory %s)", err, s.State)
	}
	return m, nil
}

// saved returns the reference set of the map in the state directory, nil if there is none.
func (l *Learner) saved(file *setFile) (*set, error) {
	if err := l.sweep(file); err != nil || file == nil {
		return nil, err
	}
	l.saves = file.Number
	saved, err := l.set.saved(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return saved, err
}

// saved reads a reference set in the state directory.
func (s *Settings) saved(file *setFile) (*set, error) {
	saved, err := readSet(filepath.Join(s.State, file.name()), file.CRC)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w (to go on from the map alone, remove this file)", err)
	}
	return saved, err
}

// fits checks that a map that was found agrees with the settings. Otherwise the first refresh would
// change its dimension or kind while others read it.
func (l *Learner) fits(s *snapshot.Snapshot, saved *set) error {
	where := "the map to start with"
	if s != l.set.Start {
		where = "the map in " + l.set.State
	}
	if err := l.set.Spec.Matches(s); err != nil {
		return fmt.Errorf("learn: %s: %w: use another directory, or remove this one", where, err)
	}
	was, err := l.set.Spec.Kinds.ParseSpec(s)
	if err != nil {
		return err
	}
	if was.Kind != s.Kind {
		return models.BadInputf("learn: %s says that it is of kind %s and of kind %s", where, s.Kind, was.Kind)
	}
	if saved == nil {
		return nil
	}
	if saved.Dim != s.Dim {
		return models.BadInputf("learn: the reference set in %s holds vectors of %d elements, the map's have %d: remove one or both files", l.set.State, saved.Dim, s.Dim)
	}
	encoder, err := embed.Encoder(s)
	if err != nil {
		return err
	}
	if other := otherMapping(saved.Mapping, l.set.Mapping, encoder); other != "" {
		return models.BadInputf("learn: %s was learnt with %s: use another directory, or remove this one", where, other)
	}
	return nil
}

// otherMapping describes how the mapping of a saved set differs from that of the settings; "" if
// both encode rows alike. A vector column that one of them leaves to be found is the encoder's.
func otherMapping(saved, now ingest.Mapping, encoder *ingest.Encoder) string {
	saved.Selection, now.Selection = ingest.Selection{}, ingest.Selection{}
	for _, m := range []*ingest.Mapping{&saved, &now} {
		if m.Vector == "" && len(m.Columns) == 0 && encoder != nil {
			m.Vector = encoder.Vector()
		}
	}
	if reflect.DeepEqual(saved, now) {
		return ""
	}
	return cmp.Or(strings.Join(saved.Differences(now), "; "), "another reading of its columns than the settings say")
}

// rebuild makes a reference set for a map without one from its points, x = mean + Components' z,
// with their counts and the present time. Without a projection this is exact. With one, the part
// outside the components is lost. Ids are not known.
func rebuild(s *snapshot.Snapshot) reference.Saved {
	n, now := s.Reference.Rows, time.Now().UnixNano()
	v := reference.Saved{X: vec.Matrix[float32]{Cols: s.Dim, Data: make([]float32, 0, n*s.Dim)}, Newest: now, Threshold: math.MaxUint64}
	seen, project := make(map[string]bool, n), projection.Of(s)
	for i := range n {
		x := make([]float32, s.Dim)
		project.Undo(x, s.Reference.Row(i))
		key := make([]byte, 0, 4*len(x))
		for k, f := range x {
			x[k] = f + 0
			b := math.Float32bits(x[k])
			key = append(key, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
		}
		if seen[string(key)] {
			continue // they differ only by a rounding error of the projection
		}
		seen[string(key)] = true
		v.X.Rows, v.X.Data = v.X.Rows+1, append(v.X.Data, x...)
		v.Seen, v.Count, v.Row = append(v.Seen, now), append(v.Count, max(1, s.Count[i])), append(v.Row, int32(i))
		v.Counts.Events += uint64(s.Count[i])
	}
	v.Notes = vec.New[float32](v.X.Rows, 0)
	return v
}
