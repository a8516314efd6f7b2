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
// An Announcement is a message of a topic with one partition: its key is the fleet's
// name, its value a JSON object that names the object in the store with size and
// SHA-256, the map's version, epoch and dimensions, and the learner. The newest of a
// name counts, so the topic is compacted. Values that cannot be read are counted and
// passed over.
//
// # One learner
//
// Each learner has a higher generation than those before. A Publisher begins by taking the name over: with the
// broker, which from then on refuses every write of the one before (a transactional
// id), and in the topic, by an announcement of the next generation with the same map.
// The one before reads that there and ends, with an error that says who it was; had
// it slept through it, its next announcement would be refused. So there are never two
// whose announcements count. Whether a second one should start at all while the first
// is alive is for the caller to ask (package cmd/internal/stage does, by the members of
// the learner's group).
//
// # Failures
//
// A Publisher whose store or broker fails tries again with growing pauses, and always
// the newest map: those between are left out. A Follower whose store fails does the
// same. What it finds bad (damaged, of other dimensions, not readable) it refuses: the
// map that it has stays, and Status says why. If it has none yet it looks for an older
// announcement that is still in the topic. Learning and placing go on all the while.
package fleet
