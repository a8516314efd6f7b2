// Package reference maintains the bounded set of events that a map is learnt from.
//
// # Points and events
//
// A point is a vector that represents all events with exactly this vector since it joined the set;
// they are counted, not stored. Streams of records are mostly duplicates, so a set of points shows
// as many distinct records.
//
// If events have ids (Settings.IDs), each point stores those of its newest events, up to eight. An
// event with a known id replaces the previous one: it moves to the point of its new vector. Delete
// removes an event. A point is removed with its last known id. An id belongs to one point only.
//
// # Policies
//
//	Reservoir   a uniform sample of the distinct vectors of the stream so far
//	Window      the points seen last, by the time of their events
//	Coverage    every region of the input: where the map is most crowded points go first
//
// Reservoir keeps the vectors with the smallest hashes (bottom-k sampling; Cohen and Kaplan 2007).
// The hash acts as a random number for each vector, and is the same whenever that vector comes
// again. So the sample does not depend on order, batches, restarts or the frequency of a vector;
// the count of every sampled vector is exact; and a rejected vector stays rejected. The largest
// accepted hash, the threshold, falls as the stream grows. Deletions do not change it, so that the
// rest stays uniform. Below half of Size, however, it is doubled, since a nearly empty set is of
// little use.
//
// Coverage evicts nothing before there is a map: up to a tenth more than Size may wait. Crowded
// then selects the points of the map with the smallest distance to the k-th neighbour, none within
// reach of another. So dense regions are thinned without making holes.
//
// Under every policy, points older than Settings.MaxAge are removed: those whose newest event is so
// much older than the newest of all. Times are those of the messages, so that a repeated stream
// gives the same set, and a paused one keeps its set.
//
// # The map's side
//
// A map follows the set with a delay. Each point has a slot on the map or none. Changes lists the
// pending changes of the map, and Took confirms that they were made. Events may be added meanwhile:
// a Set is not safe for concurrent use, but Changes returns a copy.
//
// # Bounds
//
// Bytes returns the maximum memory of a set in advance. A set allocates as it fills and never
// exceeds that.
package reference
