// Package online learns a map from a stream and keeps it fresh.
//
// A Learner is both the stream.Learner and the stream.Decoder of a pipeline whose
// messages are Arrow IPC streams. It goes through these states:
//
//	collect    raw events, until Min of them have the same shape (or so many have
//	           come in different ones that this is an error)
//	begin      learn the encoder (package ingest) and the first map (package
//	           kinds) from them; publish version 1 of epoch 1
//	refresh    every RefreshEvery, if enough is new: learn again from the
//	           reference set as it is then, publish the next version
//
// # Reference set
//
// The map is learnt from a bounded number of events, encoded but not projected:
// either a uniform random sample of all events so far (Reservoir) or the newest
// (Window). The encoder (vocabularies, means) is learnt once and stays, so that a
// vector means the same in all versions; the principal components are learnt
// with every map.
//
// # Versions and epochs
//
// A refresh learns from nothing, in the background, while events are placed on the
// map before; then one atomic pointer is exchanged. So it is a new coordinate
// frame, a new epoch, and points may move against each other. But the frame is laid
// on the old one: events of the new reference set are placed on the old map, and
// the new one is turned, reflected and moved (never scaled) to fit these places
// best (see align.go). That also works after a restart and when all events are new.
//
// A map is on the disk before anyone sees it, if there is a state directory. So a
// version that has placed events never comes back with another content, and
// (position, version) determines an output's bytes also across crashes.
//
// # Positions
//
// A learner takes each event once: it keeps the offset behind the last event
// taken from each partition, and passes over what comes again after a restart or
// a rebalance. The positions are saved with the map and with the reference set.
// What was placed and committed after the last save (with each map, and when Run
// is told to stop) is missing from the reference set after a restart, which
// changes the sample, not the delivery. A topic that was
// made anew begins at offset 0 again: give it a new state directory.
//
// # State directory
//
// It holds MapFile, the newest map as a snapshot that every command can read, and
// ReferenceFile, the set (see setfile.go). Both are written under a temporary name,
// flushed and renamed; what a crash leaves of such a name is removed at the start.
// If the second is missing, or the map came from elsewhere, the set is rebuilt
// from the map's reference points. The set holds events: a directory that has to
// be made is made for its owner alone.
package online
