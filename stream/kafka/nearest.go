package kafka

import "time"

const (
	// leader stands for the broker that leads a partition.
	leader = int32(-1)
	// nearTime is the time after which the leader is asked again for the nearest replica.
	nearTime = 5 * time.Minute
	// farTime is the time for which the leader is used after a nearer replica has failed.
	farTime = 10 * time.Second
)

// nearest selects the replica of a partition to read from. A leader that knows the reader's rack
// may name a nearer follower, with an otherwise empty answer (KIP-392). The zero value reads from
// the leader.
type nearest struct {
	// follower is the broker's id plus one, 0 for none.
	follower int32
	// until is the end of the follower's time or, without a follower, the time from which the rack
	// may be sent to the leader.
	until time.Time
}

// replica returns the broker to ask now, and whether to send the rack.
func (n *nearest) replica(now time.Time) (broker int32, named bool) {
	late := !now.Before(n.until)
	if n.follower > 0 && !late {
		return n.follower - 1, true
	}
	n.follower = 0
	return leader, late
}

// prefer applies the leader's choice.
func (n *nearest) prefer(broker int32, now time.Time) {
	if broker >= 0 {
		n.follower, n.until = broker+1, now.Add(nearTime)
	}
}

// avoid makes fetches go to the leader for a while.
func (n *nearest) avoid(now time.Time) { n.follower, n.until = 0, now.Add(farTime) }
