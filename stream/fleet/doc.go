// Package fleet distributes maps: one process of a fleet learns and announces maps, the others
// place events on the map announced last.
//
//	learner                                                    embedders
//	snapshot --> store (package stream/store) ---------------> fetched, verified
//	    |                                                          ^
//	    +-----> announcement on a compacted topic (a Topic) -------+
//
// A snapshot is stored before it is announced, so that every reader of an announcement can fetch
// it.
//
// # Announcements
//
// An Announcement is a message of a topic with one partition. Its key is the fleet's name, its
// value a JSON object with the object's key in the store, its size and SHA-256, the map's version,
// epoch and dimensions, and the learner. Only the newest message of a name counts, so the topic can
// be compacted. Values that cannot be decoded are counted and skipped.
//
// # One learner
//
// Each learner has a higher generation than those before. A Publisher first takes over the name in
// two ways. At the broker it takes a transactional id, after which the broker refuses every write
// of the previous learner. In the topic it announces the current map in the next generation. The
// previous learner reads this announcement and ends, with an error that names its successor; if it
// was suspended, its next announcement is refused. So at most one learner's announcements count.
// Whether a second learner should start while the first is alive is the caller's decision (package
// cmd/internal/stage reads the members of the learner's group).
//
// # Failures
//
// If its store or broker fails, a Publisher retries with growing pauses, always with the newest
// map; maps in between are skipped. A Follower does the same if its store fails. A bad map
// (damaged, of other dimensions, unreadable) is refused: the Follower keeps its current map, and
// Status returns the reason. A Follower without a map looks for an older announcement that is still
// in the topic. Learning and placing continue meanwhile.
package fleet
