// Package reference keeps the bounded set of events that a map is learnt from.
//
// # Points and events
//
// A point is a vector, and stands for all events of the stream that had exactly this
// vector since it joined the set: they are counted, not kept. Streams of records are
// mostly duplicates, and a set of so many points shows as many distinct things.
//
// If events have ids (Settings.IDs), each point knows those of its newest events, eight of
// them. An event whose id is known replaces the one before: it is moved to the point of
// its new vector. Delete removes an event. A point goes when the last id known for it
// goes. An id is known to one point only.
//
// # Policies
//
//	Reservoir   a uniform sample of the distinct vectors of the stream so far
//	Window      the points seen last, by the time of their events
//	Coverage    every region of the input: where the map is most crowded points go first
//
// Reservoir keeps the vectors with the smallest hashes (bottom-k sampling; Cohen and
// Kaplan 2007): the hash is as good as a random number drawn for each vector, and the same
// one whenever that vector comes again. So the sample does not depend on order, on
// batches, on restarts or on how often a vector comes; the count of every sampled vector
// is exact; and a vector that has been left out stays out. The largest hash that may
// enter, the threshold, falls as the stream grows. Deletions leave it, so that the rest
// stays uniform; but below half of Size it is doubled, as a set that is nearly empty shows
// nothing.
//
// Coverage has no opinion before it sees a map: up to a tenth more than Size waits.
// Crowded chooses as many points of the map, where the distance to the k-th neighbour is
// smallest, none within reach of another. So a crowd gets thinner, and no hole appears.
//
// Under every policy points go that are older than Settings.MaxAge: whose newest
// event is so much older than the newest of all. Time is that of the messages, so
// that a stream that is read again gives the same set, and one that pauses keeps
// what it has.
//
// # The map's side
//
// A map follows the set from behind. Each point is, or is not, at a slot of the map.
// Changes lists what the map has yet to do, and Took says that it has done it. Events come
// in meanwhile: a Set is not safe for concurrent use, but what Changes returns is a copy.
//
// # Bounds
//
// Bytes says beforehand what a set can take. A set allocates as it fills and never
// grows beyond that, whatever comes.
package reference
