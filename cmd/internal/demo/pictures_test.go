package demo

import (
	"testing"

	"unfold/ingest/emit"
	"unfold/internal/vec"
)

// The picture shows one coordinate frame, with the newest maps that placed half of its events.
func TestNewest(t *testing.T) {
	placed := func(version uint64, epoch uint32, rows int) part {
		return part{Output: &emit.Output{Version: version, Epoch: epoch, Embedding: vec.New[float32](rows, 2)}}
	}
	for _, c := range []struct {
		name     string
		parts    []part
		epoch    uint32
		versions []uint64
	}{
		{"one version", []part{placed(1, 1, 10), placed(1, 1, 10)}, 1, []uint64{1, 1}},
		{"two rounds", []part{placed(1, 1, 30), placed(2, 1, 20), placed(4, 1, 25), placed(3, 1, 25)}, 1, []uint64{4, 3}},
		{"a new epoch", []part{placed(1, 1, 30), placed(2, 2, 20), placed(3, 2, 20)}, 2, []uint64{3}},
		{"a new epoch of few", []part{placed(1, 1, 30), placed(2, 2, 14)}, 1, []uint64{1}},
	} {
		frame, epoch := newest(c.parts)
		same := epoch == c.epoch && len(frame) == len(c.versions)
		for i := range frame {
			same = same && frame[i].Version == c.versions[i]
		}
		if !same {
			t.Errorf("%s: epoch %d, %v", c.name, epoch, frame)
		}
	}
}
