package kafka

import "time"

const (
	// leader stands for whichever broker leads a partition.
	leader = int32(-1)
	// nearTime is for how long a replica is read from before the leader is asked again
	// which one is the nearest.
	nearTime = 5 * time.Minute
	// farTime is for how long the leader is read from after a nearer replica has failed.
	farTime = 10 * time.Second
)

// nearest is which replica of a partition is read from. A leader that knows the reader's
// rack may name a follower that is nearer, and answer with nothing else (KIP-392). The
// zero value reads from the leader.
type nearest struct {
	// follower is one more than the broker's number, 0 for none.
	follower int32
	// until is when the follower's time is over; without one, when the leader may hear
	// the rack again.
	until time.Time
}

// replica is where to ask now, and whether to name the rack.
func (n *nearest) replica(now time.Time) (broker int32, named bool) {
	late := !now.Before(n.until)
	if n.follower > 0 && !late {
		return n.follower - 1, true
	}
	n.follower = 0
	return leader, late
}

// prefer heeds what the leader says.
func (n *nearest) prefer(broker int32, now time.Time) {
	if broker >= 0 {
		n.follower, n.until = broker+1, now.Add(nearTime)
	}
}

// avoid goes back to the leader for a while.
func (n *nearest) avoid(now time.Time) { n.follower, n.until = 0, now.Add(farTime) }
