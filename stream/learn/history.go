package learn

import (
	"slices"

	"unfold/models/live"
	"unfold/stream"
)

// history are the stats of the maps of a stream, oldest first. Its length is bounded: when it is
// full, every second entry of its older half is dropped, except those of maps that were learnt as a
// whole. So it reaches back to the beginning with decreasing resolution.
type history []stream.Stats

// maxHistory is the largest length of a history.
const maxHistory = 2000

// with returns the history with one more map. It does not modify the old one.
func (h history) with(f stream.Stats) history {
	out := append(slices.Clone(h), f)
	if len(out) <= maxHistory {
		return out
	}
	kept, odd, epoch := make(history, 0, len(out)), false, uint32(0)
	for i, old := range out {
		whole := old.Epoch != epoch || old.Kind == live.Major.String()
		epoch = old.Epoch
		if i < maxHistory/2 && !whole {
			if odd = !odd; odd {
				continue
			}
		}
		kept = append(kept, old)
	}
	// All were learnt as a whole, so the oldest are dropped.
	return kept[max(0, len(kept)-maxHistory):]
}
