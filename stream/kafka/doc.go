// Package kafka makes a topic a stream.Source and a stream.Sink, on top of
// segmentio/kafka-go. Nothing else of the program imports that library.
//
// # Reading
//
// A Source is a member of a consumer group. It uses kafka-go's ConsumerGroup for
// membership, heartbeats and commits, and fetches by itself, one long poll for
// each partition. kafka-go's Reader is not used, because
//
//   - a Reader commits outside of its generation: after a rebalance a late commit
//     of the old owner succeeds and moves the group's offset backwards. Here
//     every commit carries the generation; a stale one is refused by the broker
//     and reported as stream.ErrRevoked.
//   - a Reader whose offset is no longer in the log jumps to where the log
//     starts, in silence. Here that is a *stream.OffsetError, both when a
//     generation begins and while it runs.
//   - a Reader on an unknown topic waits for ever, and hands out records of aborted
//     transactions and the markers that end transactions, even if asked to read committed
//     ones only. Here the topic is looked up first, and aborted records and markers are
//     left out (see fetch.go).
//
// Answers keep their batches as they lie in the log (rawfetch.go): the library would
// decompress all that one holds at once, whatever comes of it. A cursor (fetch.go,
// records.go) takes messages out piece by piece: a chunk is decompressed when its messages
// are asked for, after room for it has been taken of the partition's stream.Share, and
// messages lie in it (frames.go). The memory of a decoder's window is taken beforehand, too
// (inflate.go). What cannot be read of a batch is one message that says so, for the dead
// letters; a wrong checksum is asked for again.
//
// A generation ends as soon as any function started in it returns, and no commit
// is possible afterwards; so each generation here starts one function that does
// nothing but stay until Generation.Close.
//
// # One member
//
// A source that is made with Alone shares its group with nobody: see alone.go.
//
// # Writing
//
// A Sink sends a produce request for each partition, with acks=all, the requests for one
// partition one after the other; so a failure leaves a suffix for each partition to be
// written again, and order is kept. Keys choose the partition as Java's producers do
// (murmur2): topics with the same number of partitions are co-partitioned. Messages
// without a key follow the partition that they came from. Batches are those of idempotent
// producers (idempotent.go): one whose acknowledgement was lost is sent again as it was
// when its messages are written again, and is in the topic once. What is written again
// after a crash, or by another owner of the partition that it came from, is there twice.
// Some clusters give no producer id: those before 0.11, and those before 2.8 to clients
// without permission IdempotentWrite. They are written to without one.
//
// What a topic refuses and always will, for its size (size.go) or for what a record is
// (refused.go), is a *stream.RefusedError that names the messages. A batch is halved until
// it is known which these are, unless the broker says it. (TestTooLarge, TestRefused)
//
// # Transactions
//
// With SourceSettings.Transactions generations are stream.Transactional. The library
// knows the requests of transactions and no more, so the rest is here: the producer
// (producer.go), the order of requests (transaction.go).
//
//	DescribeTransactions    how the former owner's last transaction ended; what is
//	                        open is aborted, what is being ended is waited for
//	InitProducerId          takes the partition's name over
//	OffsetFetch, stable     the offset to begin at (committed.go)
//	AddPartitionsToTxn      begins a transaction
//	Produce, and AddOffsetsToTxn + TxnOffsetCommit side by side
//	EndTxn                  commits
//
// There is one producer for each partition of the source, named after group, topic and
// partition. Two fences keep an old owner out: its epoch, which the new owner's
// InitProducerId has ended, and its generation, which TxnOffsetCommit carries. An EndTxn
// that gets no answer is sent again. If none comes at all the outcome is not known, and
// the generation ends (stream.ErrRevoked). A request that is sent again carries the same
// sequence, so that brokers write it once.
//
// Brokers may count a transaction as ended and have left it open in some partitions
// (hanging.go says when). So who takes a producer over, or has seen requests fail,
// looks where that may be, and ends it there in the same way: the same producer
// commits, or aborts, a transaction with these partitions and nothing in it.
//
// # Topics of announcements
//
// A CompactedTopic is a compacted topic of one partition, read from its beginning without
// a group; a FencedWriter is the only one who writes to it. It has the transactional id of
// a producer, and the broker refuses the one that had it before (package stream/fleet).
//
// # Gaps
//
// An offset below the log's first message is reported to SourceSettings.Gap. So is one
// beyond its end, for longer than a new leader needs to find that end. OnGap says whether
// reading goes on. Partitions that a topic gets later are read from their beginning.
//
// # The topic itself
//
// A generation reads one topic: that of the id and with the partitions that it had when they
// were assigned. Both are looked at when the generation begins and while it lasts (watch.go);
// when they have changed it ends. A topic that was created again is read from its beginning.
// Fetches name the topic by its id (fetchbyid.go), and offsets are committed only while the name
// has that id: so no message of the new topic is taken for one of the old.
// Requests of the library that would create a topic are kept from that (creation.go).
//
// # Security
//
// Cluster takes a tls.Config and what Authenticate makes: SASL PLAIN, or SCRAM as in
// scram.go; AuthenticateOAuth: OAUTHBEARER, with a token for each connection; or
// AuthenticateMSK. Passwords and tokens stand in no value that fmt can print.
package kafka
