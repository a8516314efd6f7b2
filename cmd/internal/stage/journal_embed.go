package stage

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"

	"unfold/internal/lock"
	"unfold/stream/kafka"
)

// mostEmbedders is the most embedders on a machine that can share a state folder.
const mostEmbedders = 64

// embedderFolder returns the subfolder of an embedder.
func embedderFolder(folder string, n int) string {
	return filepath.Join(folder, fmt.Sprintf("embedder-%d", n))
}

// openEmbedderJournal is openJournal for an embedder. Several embedders and the learner may have
// the same configuration. Therefore each embedder uses the first free subfolder of the state folder
// for its journal. It reads the journals of all, because partitions move between embedders. Close
// the journal before the lock.
func openEmbedderJournal(folder, group, topic string, log *slog.Logger) (j *journal, held io.Closer, err error) {
	for n := range mostEmbedders {
		held, _, err = tryLock(embedderFolder(folder, n))
		if !errors.Is(err, lock.ErrHeld) {
			if err == nil {
				j, err = openJournal(embedderFolder(folder, n), group, topic, log)
			}
			break
		}
	}
	if err != nil {
		if held != nil {
			err = errors.Join(err, held.Close())
		}
		return nil, nil, err
	}
	others, err := filepath.Glob(filepath.Join(folder, "embedder-*", journalName))
	for _, path := range others {
		if path == j.path {
			continue
		}
		other := &journal{path: path, group: group, topic: topic}
		if err := other.read(); err != nil {
			log.Warn("the offsets that another embedder has noted in the state folder do not count", "error", err.Error())
			continue
		}
		j.noted = newest(j.noted, other.noted)
	}
	return j, held, err
}

// newest merges two journals: the offsets of the topic that was noted last, the larger one for each
// partition.
func newest(a, b kafka.Noted) kafka.Noted {
	if a.At.Before(b.At) {
		a, b = b, a
	}
	if a.Topic != b.Topic {
		return a
	}
	a.Offsets = maps.Clone(a.Offsets)
	for p, offset := range b.Offsets {
		if offset > a.Offsets[p] {
			a.Offsets[p] = offset
		}
	}
	return a
}
