package learn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"unfold/internal/atomicfile"
	"unfold/models/live"
	"unfold/models/snapshot"
	"unfold/stream"
	"unfold/stream/embed"
)

// MapFile is the newest map in the state directory, as a snapshot. It names the
// file with the reference set that belongs to it.
const MapFile = "map.unfold"

// setName is what the files of reference sets are called: numbered, as a map and the
// next one each need theirs.
const (
	setName    = "reference-%06d.set"
	setPattern = "reference*.set"
)

// learning is the JSON of Snapshot.Learning.
type learning struct {
	embed.Learning
	// Live is where package live goes on; nil: as after a fit.
	Live *live.State `json:"live,omitempty"`
	// Set is the file with the reference set.
	Set *setFile `json:"set,omitempty"`
}

// setFile names a file in the state directory.
type setFile struct {
	Number uint64 `json:"number"`
	CRC    uint32 `json:"crc"`
}

func (f *setFile) name() string { return fmt.Sprintf(setName, f.Number) }

// learningOf reads what a snapshot says of how it was learnt. One that says nothing,
// or something else, was not learnt here.
func learningOf(s *snapshot.Snapshot) learning {
	var v learning
	if len(s.Learning) == 0 || json.Unmarshal(s.Learning, &v) != nil {
		return learning{}
	}
	return v
}

// save makes a map and its reference set the state. The set comes first, under a
// name of its own; the map names it, and its renaming is the moment in which the
// state changes from the old one to the new. Sets that no map names are removed.
func (p *publisher) save(next *published, set *set) error {
	disk := p.set.Disk
	// The set holds events: unless the operator says otherwise by making the
	// folder, they are for this user alone.
	if err := disk.MkdirAll(p.set.State, 0o700); err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	p.saves++
	set.MovesEpoch = p.movesEpoch
	file := &setFile{Number: p.saves}
	err := atomicfile.WriteOn(disk, filepath.Join(p.set.State, file.name()), func(w io.Writer) (err error) {
		file.CRC, err = set.write(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("learn: saving the reference set: %w", err)
	}
	next.snapshot.Learning, err = json.Marshal(learning{embed.Learning{Stats: next.Stats}, next.state, file})
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	err = atomicfile.WriteOn(disk, filepath.Join(p.set.State, MapFile), func(w io.Writer) error { return snapshot.Write(w, next.snapshot) })
	if err != nil {
		return fmt.Errorf("learn: saving the map: %w", err)
	}
	return p.sweep(file)
}

// saveChanged writes the reference set as it is now, if it changed, beside the map as it
// is.
func (p *publisher) saveChanged() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	cur := p.current.Load()
	if p.set.State == "" || cur == nil {
		return nil
	}
	// A slow disk does not hold up who delivers and offers the last events: the set is
	// a copy.
	set := p.in.changedSet()
	if set == nil {
		return nil
	}
	set.History = p.history
	same, again := *cur, *cur.snapshot
	same.snapshot = &again
	return p.save(&same, set)
}

// sweep removes what the state directory should not hold: files under way when a
// process died, and all reference sets but one.
func (p *publisher) sweep(keep *setFile) error {
	entries, err := os.ReadDir(p.set.State)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	for _, e := range entries {
		name := e.Name()
		left := strings.HasSuffix(name, ".tmp") && (strings.HasPrefix(name, ".reference") || strings.HasPrefix(name, "."+MapFile))
		set, _ := filepath.Match(setPattern, name)
		if left || set && (keep == nil || name != keep.name()) {
			if err := p.set.Disk.Remove(filepath.Join(p.set.State, name)); err != nil {
				return fmt.Errorf("learn: %w", err)
			}
		}
	}
	return nil
}

// Clear removes the state of a learner, and nothing else, from a directory.
func Clear(dir string) error {
	sets, err := filepath.Glob(filepath.Join(dir, setPattern))
	if err != nil {
		return err
	}
	for _, path := range append(sets, filepath.Join(dir, MapFile)) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ReadHistory returns the stats of the maps of a state directory, oldest first. A
// learner may be at work there.
func ReadHistory(dir string) ([]stream.Stats, error) {
	const attempts = 5 // a set goes when the next map is there
	var err error
	for range attempts {
		var s *snapshot.Snapshot
		if s, err = snapshot.ReadFile(filepath.Join(dir, MapFile)); err != nil {
			return nil, err
		}
		v := learningOf(s)
		if v.Set == nil {
			return []stream.Stats{v.Stats}, nil
		}
		var set *set
		if set, err = readSet(filepath.Join(dir, v.Set.name()), v.Set.CRC); err == nil {
			return set.History, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, err
}
