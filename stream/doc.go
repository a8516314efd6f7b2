// Package stream is the stage between two topics. It reads messages, places their events on a map,
// writes the places downstream, and loses nothing.
//
//	Source -- Run of messages --> Decoder -- Events --> Map.Place -- Outcome --> Sink
//	   ^                                       |                                   |
//	   |                                       +--> Learner.Offer     acknowledged |
//	   +------------------- Commit(offset) <---------------------------------------+
//
// It does not depend on Kafka or Arrow. Package stream/kafka implements Source and Sink, and
// package stream/learn implements Decoder and Learner. Package stream/streamtest contains doubles
// of all four and the conformance suite.
//
// # The shapes of an event
//
// An event passes through six types. One function converts each to the next:
//
//	Message         bytes, with topic, partition and offset      Generation.Fetch
//	embed.Events    their table, or the id of what is gone       embed.Decoder.Decode
//	ingest.Batch    vectors, ids and columns that pass through   embed.Events.Encode
//	embed.Places    all that were placed at once                 embed.Map.Vectors
//	emit.Output     the columns of one message's rows            embed.Places.Output
//	Message         bytes for the sink, with key and headers     Pipeline.output
//
// Three more types accompany them. A Run contains the messages of one Fetch. An entry is the state
// of a message that is being processed. An Outcome is the output value or an error, with the Parts
// of a value that is too large.
//
// # Guarantees
//
// Each guarantee names the test that checks it.
//
// At least once. An offset is committed after all in-sync replicas have acknowledged the outputs or
// dead letters of the message and of all earlier messages of its partition. Uncommitted messages
// are delivered again after a crash of the process or a broker, or a lost connection. There is
// never a gap. (TestNothingIsLost)
//
// Exactly once, if Pipeline.ExactlyOnce is set. The outputs and dead letters of a batch and its
// offset are one transaction (Transactional). A reader of committed messages sees each output once.
// If the outcome of a transaction is unknown, or its partition has a new owner, the generation
// ends. The next one begins at the offset that the broker reports. (TestNothingIsLostOrDoubled)
//
// No silent skip. An offset outside the log is reported (Hooks.Gap) and ends the run, unless the
// source is set to continue. (stream/kafka.TestGaps)
//
// Bounded memory. Messages that are read and not delivered take at most Settings.QueueBytes, which
// are reserved before decompression (Queue). Processing takes at most Settings.WorkBytes. A slow or
// unavailable sink blocks reading. A larger message is read alone. (TestSlowSinkHoldsBackReading,
// TestQueueNeverStandsStill)
//
// In order. For each key, the outputs of one partition are written in the order of the input
// messages, to one partition. Duplicates may follow later: a consumer sees 5, 6, 7, then perhaps 6,
// 7 again, then 8.
//
// One for one. Each message with events leads to one output message with the same key and time and
// the same events in the same order, or to a dead letter. An output that is too large for its topic
// is written in parts (below). An output contains the topic, partition and offset of its input and
// the version of the map. Offset and version determine every byte of the output, so a duplicate
// placed by the same version is identical. A consumer can drop duplicates by offset alone. The
// progress of the stage can be read from the output topic without the group's offsets (Origin).
//
// Tombstones are passed on. A message with a key and a null value removes the event with that id
// from the reference set. It is also written downstream under the same key, so that a table there
// deletes the event.
//
// Bad messages do not stop the stream. A message that cannot be decoded or encoded as vectors is
// written to the dead-letter topic. Its bytes, headers and time are unchanged; the headers of Kafka
// Connect give its origin and the error. Without a dead-letter topic the stage ends with an error,
// because skipping the message would lose it. A message that takes longer to decode than
// Settings.DecodeTime is bad, too. (TestDecodeTime, TestTooManyGivenUp)
//
// Temporary failures are retried. Writes to a sink or dead-letter topic are retried with growing
// pauses as long as the process runs. Reading stops meanwhile, and Hooks.Retrying reports it.
// Nothing is dropped. Permanent failures of reading (no permission, an offset that is no longer in
// the log) end the stage with an error.
//
// Unavailable resources, such as a schema registry, are retried as well (UnavailableError). The
// message's partition waits, the other partitions continue, and the messages before it are
// delivered. The message never becomes a dead letter for that reason, and the wait does not count
// for Settings.DecodeTime. (TestUnavailable, TestUnavailableStops)
//
// Large messages do not stop the stream. A topic rejects a compressed message that exceeds its
// limit, even alone in a batch, and retries would fail again. Such an output is written in parts
// (Pipeline.TooLarge). Each part is a message with some of the events and the same key and time, in
// order, numbered by headers (PartOf). The offset is committed after the last part. If one event
// alone is too large, the message becomes a dead letter. A dead letter that is too large is written
// without its value, and its headers give the origin and checksum of the value (Reason.Elsewhere).
// If necessary, key and headers are omitted, too. If even that does not fit, the stage ends with an
// error. Transactions are composed again in the same way. (TestTooLargeOutputs,
// TestTooLargeDeadLetters, TestDeadLetterTooLargeForAnything, TestNothingIsLostOrDoubled)
//
// Messages that a topic rejects for another reason than size (RefusedError) are not retried either.
// An example is a message without a key in a compacted topic. A rejected output becomes a dead
// letter with the broker's reason. A rejected dead letter ends the stage. (TestRefusedOutputs,
// TestRefusedDeadLetters)
//
// Stopping is quick. When its context is done, the pipeline stops reading, finishes and writes the
// current batch of each partition, commits, and returns. That takes at most Settings.DrainTimeout +
// CommitTimeout, 7 s by default, even if the broker hangs. Leaving the group (Source.Close) takes 2
// s at most.
//
// # Cold start
//
// Before the first map, events are read, offered to the learner, and wait in memory. Their offsets
// are not committed, so they are read again after a crash. Bad messages become dead letters
// meanwhile. When the learner has enough events, its Offer blocks until the first map is ready,
// which blocks reading. The number of waiting messages is therefore limited by the learner's need
// and one run per partition. When the map is ready, all waiting messages are placed in order.
// Messages beyond Settings.WaitingBytes are dropped after the learner has seen them, and read again
// in a new generation when the map is ready. With exactly-once delivery, bad messages behind an
// event wait, too, because the offset cannot be committed past the event. (TestWaitingBeyondMemory)
//
// # Fleets
//
// If one stage is too slow, one process learns and many place. The learner's pipeline is LearnOnly
// and has a group of its own. The pipelines of the others load the maps that are announced (package
// stream/fleet) instead of learning. All guarantees above hold for each of them. The map changes
// only between two messages. (stream/chaos.TestRollingRestart)
//
// # Ownership
//
// A Generation is a period in which this process owns some partitions. Each partition has one
// worker. A committer collects acknowledged offsets and commits them every Settings.CommitEvery, in
// its generation only. A late commit for a partition that has another owner fails and moves
// nothing. When a generation ends, workers finish their batches as they do at a stop, to limit
// duplicates.
//
// # Goroutines
//
// Run owns all goroutines: the learner's, and for each generation the committer, a watchdog and
// three per partition, which fetch, process and decode. All have ended when it returns, except for
// a few decoders that were abandoned with a message. Source and Sink belong to the caller.
package stream
