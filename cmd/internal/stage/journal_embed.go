package stage

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"path/filepath"

	"unfold/stream/kafka"
)

// mostEmbedders is how many embedders on a machine may share a state folder.
const mostEmbedders = 64

// embedderFolder is the folder of one of them in it.
func embedderFolder(folder string, n int) string {
	return filepath.Join(folder, fmt.Sprintf("embedder-%d", n))
}

// openEmbedderJournal is openJournal for an embedder. Embedders, and the learner, may have the same configuration: so
// each keeps its journal in a folder of its own inside of the state folder, the first that is free, and knows what all
// of them have noted, for partitions move between them. It is closed before the lock.
func openEmbedderJournal(folder, group, topic string, log *slog.Logger) (j *journal, lock io.Closer, err error) {
	for n := range mostEmbedders {
		lock, _, err = tryLock(embedderFolder(folder, n))
		if !errors.Is(err, errLocked) {
			if err == nil {
				j, err = openJournal(embedderFolder(folder, n), group, topic, log)
			}
			break
		}
	}
	if err != nil {
		if lock != nil {
			err = errors.Join(err, lock.Close())
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
	return j, lock, err
}

// newest joins what two journals have: of the topic that was noted last, the offsets that lie farthest on.
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
