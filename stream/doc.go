// Package stream is the stage between two topics: it reads messages, has their
// events placed on a map, writes the places downstream, and loses nothing.
//
//	Source -- Run of messages --> Decoder -- Events --> Map.Place -- Outcome --> Sink
//	   ^                                       |                                   |
//	   |                                       +--> Learner.Offer     acknowledged |
//	   +------------------- Commit(offset) <---------------------------------------+
//
// It knows neither Kafka nor Arrow. Package stream/kafka is a Source and a Sink,
// package stream/learn a Decoder and a Learner, package stream/streamtest has
// doubles of all four and the conformance suite.
//
// # The shapes of an event
//
// From bytes to bytes an event has six shapes; each is made of the one before by one
// function, and no other wraps it:
//
//	Message         bytes, with topic, partition and offset      Generation.Fetch
//	embed.Events    their table, or the id of what is gone       embed.Decoder.Decode
//	ingest.Batch    vectors, ids and columns that pass through   embed.Events.Encode
//	embed.Places    all that were placed at once                 embed.Map.Vectors
//	ingest.Output   the columns of one message's rows            embed.Places.Output
//	Message         bytes for the sink, with key and headers     Pipeline.output
//
// Beside them go a Run, the messages of one Fetch; an entry, how far a message has come;
// and an Outcome, the value or why there is none, with the Parts of a value that is too
// large.
//
// # What is promised
//
// Each promise names the test that holds it; Settings.DrainTimeout and the like are
// fields of this package.
//
// At least once. An offset is committed after all in-sync replicas have acknowledged the
// message's output, or its dead letter, and those of all earlier messages of its
// partition. So whatever was not committed is delivered again after a crash of this
// process, of a broker or of the connection between them. There is never a gap.
// (TestNothingIsLost)
//
// Exactly once, if Pipeline.ExactlyOnce is set. The outputs and dead letters of a batch
// and the offset behind it are one transaction (Transactional): who reads committed
// messages sees each once. A transaction whose end is not known, or whose partition has a
// new owner, ends the generation. The next one begins at the offset that the broker
// reports. (TestNothingIsLostOrDoubled)
//
// No silent skip. An offset outside of the log is reported (Hooks.Gap) and ends the
// run, unless the source is set to go on. (stream/kafka.TestGaps)
//
// Bounded. What has been read and not delivered takes at most Settings.QueueBytes, counted
// before it is decompressed (Queue). The work on it takes at most Settings.WorkBytes. A
// sink that is slow, or away, holds back reading. A larger message is read alone.
// (TestSlowSinkHoldsBackReading, TestQueueNeverStandsStill)
//
// In order. Outputs of one partition's messages are written in the order of the
// messages, for each key; a key's outputs go to one partition. Duplicates may
// come later: a consumer sees 5, 6, 7, then perhaps 6, 7 again, then 8.
//
// One for one. Each message gives one output message with the same key and time, as many
// events, in the same order; or it becomes a dead letter. None is skipped. An output that
// is too large for its topic comes in parts (below). An output carries where its input
// lies (topic, partition, offset) and the version of the map. Offset and version determine
// the output to the byte: a duplicate that was placed by the same version is the same
// message. A consumer may drop by offset alone what it has seen. How far the stage has got
// can be read from the output topic without the group's offsets (Origin).
//
// Tombstones pass. A message with a key and a null value removes the event whose id is the
// key from what the map is learnt from. It is itself written downstream under the same
// key, so that a table there drops the event as well.
//
// Bad messages do not stop the stream. What cannot be decoded, or cannot be made a vector,
// goes to the dead-letter topic. Its bytes, headers and time are untouched; Kafka
// Connect's headers say where it came from and why. Without a dead-letter topic it ends
// the stage with an error, since to go on would lose it. A message that takes longer to
// decode than Settings.DecodeTime is bad as well. (TestDecodeTime, TestTooManyGivenUp)
//
// What may pass is waited out. A sink or dead-letter topic that fails is retried with
// growing pauses for as long as the process lives. Reading stops meanwhile, and
// Hooks.Retrying reports it. Nothing is dropped to get past it. What cannot pass in
// reading (no permission, an offset that is no longer in the log) ends the stage with an
// error.
//
// What a message needs from elsewhere, such as the schema of a registry that is away, is
// waited for as well (UnavailableError): its partition stands, the others go on, and those
// before it are delivered. It is never a dead letter for that, and the wait is no part of
// Settings.DecodeTime. (TestUnavailable, TestUnavailableStops)
//
// What is too large does not stop the stream. A topic refuses a message, alone in its
// batch and compressed, that is larger than it takes. To retry that would be in vain. Such
// an output is written in parts (Pipeline.TooLarge). Each is a message of some of the
// events with the same key and time, in order, numbered by headers (PartOf); the offset is
// committed after the last. With an event that is too large alone the message becomes a
// dead letter. A dead letter that is too large is written without its value, and says
// where that is and how to know it (Reason.Elsewhere); if need be without key and headers,
// too. If not even that fits, the stage ends with an error. Transactions are composed
// again in the same way. (TestTooLargeOutputs, TestTooLargeDeadLetters,
// TestDeadLetterTooLargeForAnything, TestNothingIsLostOrDoubled)
//
// What a topic refuses for another reason than its size (RefusedError), such as a message
// without a key in a compacted topic, is not retried either: an output becomes a dead
// letter with the broker's reason, a dead letter ends the stage. (TestRefusedOutputs,
// TestRefusedDeadLetters)
//
// Stopping is quick. When its context is done the pipeline stops reading, finishes
// the batch that each partition is at, writes it, commits, and returns: within
// Settings.DrainTimeout + CommitTimeout, 7 s by default, even if the broker hangs.
// Leaving the group (Source.Close) takes 2 s at most.
//
// # Cold start
//
// Before there is a map, events are read and offered to the learner, and wait in memory.
// Their offsets are not committed, so they come again after a crash. Bad messages go to
// the dead letters meanwhile. When the learner has enough, its Offer blocks until the
// first map is there, which holds back reading. So what waits is bounded by what the
// learner needs and one run for each partition. Then all that has waited is placed, in
// order. Messages beyond Settings.WaitingBytes do not wait: the learner has seen them, and
// they are read again when the map is there, in a new generation. With exactly-once
// delivery bad messages behind an event wait, too, since the offset cannot get past it.
// (TestWaitingBeyondMemory)
//
// # Fleets
//
// One process learns and many place, if one stage is too little: the learner's pipeline is
// LearnOnly, in a group of its own. Those of the others have a learner that does not
// learn, but takes the maps that are announced (package stream/fleet). All that is
// promised above holds for each of them. A map changes between two messages.
// (stream/chaos.TestRollingRestart)
//
// # Ownership
//
// A Generation is the time in which this process owns some partitions. Each partition has
// one worker; a committer gathers acknowledged offsets and commits them every
// Settings.CommitEvery, in the generation only. A commit that comes too late, when the
// partition has another owner, fails and moves nothing. When a generation ends, workers
// finish their batch as they do at a stop, so that little is delivered twice.
//
// # Goroutines
//
// Run owns all: the learner's, and for each generation three a partition (one fetches
// while the other works, one decodes for that), the committer and a watchdog. All
// have ended when it returns, but for decoders that were given up with a message, of
// which there are a few at most. Source and Sink belong to the caller.
package stream
