// Package learn learns a map from a stream and lets it follow the stream.
//
// A Learner is both the stream.Learner and the stream.Decoder of a pipeline whose
// messages are Arrow IPC streams, or tombstones. It goes through these states:
//
//	collect    raw events, until Min of them have the same shape (or so many have
//	           come in different ones that this is an error)
//	begin      learn the encoder (package ingest) and the first map from them;
//	           publish version 1 of epoch 1
//	refresh    every RefreshEvery, if enough has changed: let the map follow the
//	           reference set, publish the next version, emit what moved
//
// # Reference set
//
// The map is learnt from a bounded set of points, package reference: encoded but not
// projected, duplicates counted, replaced and deleted by the events' ids. Events are
// placed and delivered first and offered then. So the set is always up to date, and the
// map is behind it by less than a refresh. The encoder (vocabularies, means) is learnt
// once and stays, so that a vector means the same in all versions. The principal
// components stay as long as the map is updated.
//
// # Refresh
//
// Package models/live updates the map in the background, while events are placed on the
// version before; then one atomic pointer is exchanged. New points start where they are
// placed, and points that stay hardly move: the coordinate frame stays the same. When
// a major refresh is due the whole map is learnt, near where it is: still the same frame,
// unless Frame asks for a new one, with which an epoch begins. What cannot be updated (another kind of model, other tails than the state's,
// Major: always) is learnt from nothing. It is laid on the map before, turned, reflected
// and moved but not scaled: a new epoch each time.
//
// A refresh that fails leaves the map, and what has changed is learnt with the next. A
// map that was learnt and cannot be saved is kept and saved later.
//
// Learning uses all processors but one, so that placing has a share of its own.
//
// The publisher has a lock and no goroutine: the refresher calls it and waits. A version
// must be published before the next refresh starts, since that one learns from it and
// counts what has changed since.
//
// # Prequential votes
//
// Where Mapping.Label names a column, a map is judged by the stream before it learns from
// it (prequential.go). A sample of the labelled events between two maps is placed on the
// older one, and the nearest reference points with labels vote there. The stats of the
// next map say how many votes there were and how many were wrong.
//
// # Drift
//
// With Settings.Drift the newest events are held against a sample of the map's points, by
// package models/drift (drift.go). The sample is drawn when a map is published, of points
// that came before the window begins, and again after an alarm or 100 windows. Events are
// queued beside the reference set for a goroutine of Run's, and skipped where the queue is
// full: nobody waits. The stats of the next map say what the last look found.
//
// # Classes
//
// With Settings.Classify the events that have a label are kept in a pool, a bounded sample
// (package models/ep/labels). Before a map is published, the classifier is learnt from
// where it places them. The sites go on from the map before; the kernel stays until
// a major refresh. Both are part of the snapshot, so the output of a version is the same after a
// restart. Nobody waits for it: events come in, and are placed on the map before. Labels
// that nothing can be learnt from are reported as a failed refresh, and the map is
// published without classes.
//
// # Clusters
//
// With Settings.Clusters the clusters of a map are found before it is published: on its
// places, or with ClustersOfRows among the rows that it is learnt from. They get the ids of
// those of the map before (package models/clusters/identity). Which row of a map is which
// of the one before follows from the reference set (Set.Stayed), whatever was learnt in between.
// Hierarchy, ids and what points remember are parts of the snapshot, so that a restart
// goes on, and embedders predict what the learner does. So are their names, which follow from
// the reference set when something becomes of a cluster (ClustersOf). Settings.Groups gets what becomes
// of clusters, under their ids. As with moves it is emitted again rather than never.
//
// # Moves
//
// Settings.Moves gets, under the events' ids, reference points that are now farther than a
// threshold from where they were published last. They have the form of the output: what
// the event would be published as now. Small moves add up until they are worth it, so a
// table downstream is true to the threshold always. When an epoch begins all points are
// emitted. What was is kept with the state, and emitted again rather than never.
//
// Where an event was published is known by its own place (embed.Events.Placed), which may be on an
// older map than the one in use when it is offered. Such an event is emitted with the next map:
// a reader that keeps the newest place of an id may have ignored its output. A learner
// that places nothing takes it that an event was published where the map before its own places it.
//
// # State directory
//
// It holds MapFile, the newest map as a snapshot that every command can read. The
// reference set that belongs to it has a file of its own (setfile.go), with the offsets
// that it has consumed. The map names the set's file and checksum: the set is written
// first, under a new name, and renaming the map is the one moment in which the state
// changes. So a crash leaves the last state or the new one, whole, and the next start
// removes what is left of the other. TestStopsAtEveryWrite stops the machine at every
// change of the disk. If the map came from elsewhere, without a set, that is rebuilt from
// its points. The set holds events: a directory that has to be made is made for its owner
// alone.
//
// A map is on the disk before anyone sees it. So a version that has placed events never
// comes back with another content, and (offset, version) determines an output's bytes
// also across crashes. A start places events as soon as the two files are read; the graph
// of the map is built with the first refresh.
//
// # Offsets
//
// A learner takes each event once: it keeps the offset behind the last event taken from
// each partition, and skips what comes again after a restart or a rebalance. The set is
// saved with each map, and when Run is asked to stop. What was placed and committed after
// that is missing from the set after a crash. This changes the sample, not the delivery. A
// topic that was created again begins at offset 0 again: give it a new state directory.
package learn
