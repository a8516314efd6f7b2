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

// MapFile is the name of the newest map in the state directory, a snapshot. It contains the name of
// its reference set's file.
const MapFile = "map.unfold"

// setName is the pattern of the names of reference set files. They are numbered because the present
// map and the next one need one each.
const (
	setName    = "reference-%06d.set"
	setPattern = "reference*.set"
)

// learning is the JSON of Snapshot.Learning.
type learning struct {
	embed.Learning
	// Live is the state of the live map; nil after a fit.
	Live *live.State `json:"live,omitempty"`
	// Set is the file of the reference set.
	Set *setFile `json:"set,omitempty"`
}

// setFile identifies a file in the state directory.
type setFile struct {
	Number uint64 `json:"number"`
	CRC    uint32 `json:"crc"`
}

func (f *setFile) name() string { return fmt.Sprintf(setName, f.Number) }

// learningOf decodes a snapshot's Learning. It returns the zero value if that is missing or
// foreign, because the map was then not learnt here.
func learningOf(s *snapshot.Snapshot) learning {
	var v learning
	if len(s.Learning) == 0 || json.Unmarshal(s.Learning, &v) != nil {
		return learning{}
	}
	return v
}

// save saves a map and its reference set. It writes the set first, under a new name, and then the
// map, which names the set. Renaming the map is the commit point. Sets that no map names are
// removed.
func (p *publisher) save(next *published, set *set) error {
	disk := p.set.Disk
	// The set contains events, so a new directory is private to this user, unless the operator has
	// created it otherwise.
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

// saveChanged saves the present reference set, if it has changed, with the present map.
func (p *publisher) saveChanged() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	cur := p.current.Load()
	if p.set.State == "" || cur == nil {
		return nil
	}
	// The set is a copy, so a slow disk does not block delivering and offering the last events.
	set := p.in.changedSet()
	if set == nil {
		return nil
	}
	set.History = p.history
	same, again := *cur, *cur.snapshot
	same.snapshot = &again
	return p.save(&same, set)
}

// sweep removes leftovers from the state directory: temporary files of a process that died, and all
// reference sets but one.
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

// Clear removes the state of a learner from a directory, and no other files.
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

// attempts is how often a reader looks for the set of the newest map. A set is removed when the next
// map is saved.
const attempts = 5

// ReadHistory returns the stats of the maps in a state directory, oldest first. A learner may be
// using the directory.
func ReadHistory(dir string) ([]stream.Stats, error) {
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
