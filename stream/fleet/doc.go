// Package fleet announces maps: one process of a fleet learns and announces, the
// others place events on what was announced last.
//
//	learner                                                    embedders
//	snapshot --> store (package stream/store) ---------------> fetched, verified
//	    |                                                          ^
//	    +-----> announcement on a compacted topic (a Topic) -------+
//
// A snapshot is in the store before it is announced, so whoever reads of it finds it.
//
// # Announcements
//
// An Announcement is a message of a topic with one partition: its key is the fleet's name.
// Its value is a JSON object that names the object in the store with size and SHA-256, the
// map's version, epoch and dimensions, and the learner. The newest of a name counts, so
// the topic is compacted. Values that cannot be read are counted and skipped.
//
// # One learner
//
// Each learner has a higher generation than those before. A Publisher begins by taking
// over the name. With the broker it takes a transactional id, so that every write of the
// one before is refused. In the topic it announces the same map in the next generation.
// The one before reads that and ends, with an error that says who took over; if it was
// asleep, its next announcement is refused. So there are never two whose announcements
// count. Whether a second one should start while the first is alive is for the caller to
// ask (package cmd/internal/stage does, by the members of the learner's group).
//
// # Failures
//
// A Publisher whose store or broker fails retries with growing pauses, always with the
// newest map: those between are left out. A Follower whose store fails does the same. What
// it finds bad (damaged, of other dimensions, not readable) it refuses: the map that it
// has stays, and Status says why. If it has none yet it looks for an older announcement
// that is still in the topic. Learning and placing go on all the while.
package fleet
