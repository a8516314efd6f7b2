// Package learn learns a map from a stream and updates it continuously.
//
// A Learner is both the stream.Learner and the stream.Decoder of a pipeline. Messages are Arrow IPC
// streams (or another configured format) or tombstones. It passes through these states:
//
//	collect    raw events, until Min of them have the same shape (or until so many have
//	           arrived in different shapes that this is an error)
//	begin      learn the encoder (package ingest) and the first map from them;
//	           publish version 1 of epoch 1
//	refresh    every RefreshEvery, if enough has changed: update the map to the
//	           reference set, publish the next version, emit moved points
//
// # Reference set
//
// The map is learnt from a bounded set of points (package reference). They are encoded but not
// projected, duplicates are counted, and points are replaced and deleted by the events' ids. Events
// are first placed and delivered, and then offered to the set. So the set is always up to date, and
// the map lags it by less than a refresh. The encoder (vocabularies, means) is learnt once and does
// not change, so that a vector has the same meaning in all versions. The principal components stay
// as long as the map is updated.
//
// # Refresh
//
// Package models/live updates the map in the background, while events are placed on the previous
// version. Then an atomic pointer is swapped. New points start where they are placed, and points
// that stay hardly move, so the coordinate frame does not change. A major refresh learns the whole
// map again, near its present places and in the same frame. If Frame asks for a new frame, it
// begins a new epoch. Maps that cannot be updated (another kind of model, other tails than the
// state's, Major: always) are learnt from scratch. They are aligned with the previous map by
// rotation, reflection and translation without scaling, and each begins a new epoch.
//
// A refresh that fails does not change the map; the next one learns the changes. A learnt map that
// cannot be saved is kept and saved later.
//
// Learning uses all processors but one, which remains for placing.
//
// The publisher has a lock and no goroutine: the refresher calls it and waits. A version must be
// published before the next refresh starts, because that one continues from it and counts the
// changes since.
//
// # Prequential votes
//
// If Mapping.Label names a column, each map is evaluated on events before it learns from them
// (prequential.go). A sample of the labelled events between two maps is placed on the older one.
// The labels of the nearest reference points then vote on each event's label. The stats of the next
// map contain the numbers of votes and of wrong votes.
//
// # Drift
//
// With Settings.Drift, the newest events are compared with a sample of the map's points by package
// models/drift (drift.go). The sample is drawn when a map is published, from points that arrived
// before the window, and again after an alarm or 100 windows. Events are queued for a goroutine of
// Run. If the queue is full they are skipped, so nothing blocks. The stats of the next map contain
// the last test.
//
// # Classes
//
// With Settings.Classify, labelled events are kept in a pool, a bounded sample (package
// models/ep/labels). Before a map is published, a classifier is learnt from their places on it. The
// sites continue from the previous map, and the kernel stays until a major refresh. Both are part
// of the snapshot, so the output of a version is the same after a restart. Meanwhile, events are
// accepted and placed on the previous map. Labels from which nothing can be learnt are reported as
// a failed refresh, and the map is published without classes.
//
// # Clusters
//
// With Settings.Clusters, the clusters of a map are found before it is published: among its places,
// or with ClustersOfRows among the rows from which it is learnt. They inherit the ids of the
// previous map's clusters (package models/clusters/identity). The reference set knows which rows of
// the two maps correspond (Set.Stayed), whatever was learnt in between. Hierarchy, ids and the
// points' memory are parts of the snapshot, so that a restart continues and embedders make the same
// predictions. So are the names of clusters, which are computed from the reference set at each
// transition (ClustersOf). Transitions are emitted to Settings.Groups under the clusters' ids, at
// least once, like moves.
//
// # Moves
//
// Settings.Moves receives the reference points that are farther than a threshold from their last
// published place, under the events' ids. Their form is that of the output for the event on the
// present map. Small moves accumulate until they exceed the threshold, so a downstream table is
// always accurate to the threshold. When an epoch begins, all points are emitted. The last
// published places are saved with the state, and moves are emitted at least once.
//
// An event's published place is known from its placement (embed.Events.Placed), which may be on an
// older map than the one in use when the event is offered. Such an event is emitted with the next
// map, because a reader that keeps the newest place of an id may have ignored its output. A learner
// that places nothing assumes that an event was published at its place on the map before.
//
// # State directory
//
// It contains MapFile, the newest map as a snapshot that every command can read. Its reference set
// has a file of its own (setfile.go), which includes the consumed offsets. The map contains the
// set's file name and checksum. The set is written first, under a new name, and renaming the map is
// the single commit point. So a crash leaves the old state or the new one, complete, and the next
// start removes the remains of the other. TestStopsAtEveryWrite stops at every change of the disk.
// For a map from elsewhere, without a set, the set is rebuilt from its points. The set contains
// events, so a new directory is readable by its owner only.
//
// A map is saved before it is published. So a version that has placed events never reappears with
// another content, and (offset, version) determines an output's bytes even across crashes. After a
// start, events are placed as soon as the two files have been read. The graph of the map is built
// by the first refresh.
//
// # Offsets
//
// A learner accepts each event once. It stores the next offset of each partition and skips events
// that are delivered again after a restart or a rebalance. The set is saved with each map and when
// Run stops. Events that were placed and committed after that are missing from the set after a
// crash. This affects the sample, not the delivery. A topic that is deleted and created again
// restarts at offset 0 and needs a new state directory.
package learn
