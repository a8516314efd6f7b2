package stage

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"unfold/internal/atomicfile"
	"unfold/internal/regular"
	"unfold/stream"
	"unfold/stream/kafka"
)

const (
	// journalName is the file in a state folder with the offsets committed by the group.
	journalName = "offsets.json"
	// journalFormat is the version of the file format.
	journalFormat = 1
	// journalEvery is the interval of writes. After a crash, the messages of this time are
	// delivered again if the group has also lost its offsets.
	journalEvery = time.Second
)

// journal stores the group's committed offsets in the state folder. It is a kafka.Journal.
type journal struct {
	path, group, topic string
	log                *slog.Logger

	mu    sync.Mutex
	noted kafka.Noted
	dirty bool
	stop  chan struct{}
	ended chan struct{}
}

type journalFile struct {
	Format int    `json:"format"`
	Group  string `json:"group"`
	Topic  string `json:"topic"`
	// TopicID is hexadecimal.
	TopicID string        `json:"topic_id"`
	At      time.Time     `json:"at"`
	Offsets map[int]int64 `json:"offsets"`
}

// openJournal reads the journal of a state folder and starts writing it. Offsets of another group
// or topic are ignored.
func openJournal(folder, group, topic string, log *slog.Logger) (*journal, error) {
	j := &journal{path: filepath.Join(folder, journalName), group: group, topic: topic, log: log, stop: make(chan struct{}), ended: make(chan struct{})}
	if err := j.read(); err != nil {
		return nil, fmt.Errorf("the state folder: %s: %w (without it the offsets of the group alone count: remove it to go on so)", j.path, err)
	}
	go j.run()
	return j, nil
}

func (j *journal) read() error {
	raw, err := regular.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var f journalFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	if f.Format != journalFormat {
		return fmt.Errorf("format %d is not known, only %d", f.Format, journalFormat)
	}
	if f.Group != j.group || f.Topic != j.topic {
		return nil
	}
	id, err := hex.DecodeString(f.TopicID)
	if err != nil || len(id) != len(j.noted.Topic) {
		return fmt.Errorf("topic_id %q is not 16 bytes in hexadecimal", f.TopicID)
	}
	for partition, offset := range f.Offsets {
		if partition < 0 || offset < 0 {
			return fmt.Errorf("offset %d of partition %d is no place in a topic", offset, partition)
		}
	}
	j.noted.Offsets, j.noted.At = f.Offsets, f.At
	copy(j.noted.Topic[:], id)
	return nil
}

// Known implements kafka.Journal.
func (j *journal) Known() kafka.Noted {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := j.noted
	out.Offsets = maps.Clone(out.Offsets)
	return out
}

// Note implements kafka.Journal.
func (j *journal) Note(topic [16]byte, positions []stream.Position) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if topic != j.noted.Topic || j.noted.Offsets == nil {
		j.noted.Topic, j.noted.Offsets = topic, map[int]int64{}
	}
	for _, p := range positions {
		j.noted.Offsets[p.Partition] = p.Offset
	}
	j.noted.At, j.dirty = time.Now(), true
}

// run writes changed offsets periodically.
func (j *journal) run() {
	defer close(j.ended)
	tick := time.NewTicker(journalEvery)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-j.stop:
			return
		case <-tick.C:
		}
		err := j.write()
		if err != nil && !failing {
			j.log.Warn("the offsets of the group cannot be noted in the state folder; it is tried again", "error", err.Error())
		}
		failing = err != nil
	}
}

// write writes the offsets if they changed.
func (j *journal) write() error {
	j.mu.Lock()
	if !j.dirty {
		j.mu.Unlock()
		return nil
	}
	f := journalFile{journalFormat, j.group, j.topic, hex.EncodeToString(j.noted.Topic[:]), j.noted.At.UTC(), maps.Clone(j.noted.Offsets)}
	j.dirty = false
	j.mu.Unlock()
	err := atomicfile.WriteOn(atomicfile.OS{Private: true}, j.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(f) })
	if err != nil {
		j.mu.Lock()
		j.dirty = true
		j.mu.Unlock()
	}
	return err
}

// Close writes the last offsets.
func (j *journal) Close() error {
	close(j.stop)
	<-j.ended
	return j.write()
}
