package learn

import (
	"slices"

	"unfold/models/live"
	"unfold/stream"
)

// history are the stats of the maps of a stream, oldest first. It is bounded: when it is
// full, every second one of the older half goes that was not learnt as a whole. So it reaches
// back to the beginning, the more coarsely the longer ago.
type history []stream.Stats

// maxHistory bounds a history.
const maxHistory = 2000

// with returns the history with one more map, and leaves the old one as it is.
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
	// Whole ones only: then the oldest of them go.
	return kept[max(0, len(kept)-maxHistory):]
}
