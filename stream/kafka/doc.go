// Package kafka implements stream.Source and stream.Sink for Kafka topics with segmentio/kafka-go.
// No other package imports that library.
//
// # Reading
//
// A Source is a member of a consumer group. It uses kafka-go's ConsumerGroup for membership,
// heartbeats and commits. It fetches itself, with one long poll per partition. It does not use
// kafka-go's Reader, because
//
//   - a Reader commits outside its generation: after a rebalance, a late commit
//     of the old owner succeeds and moves the group's offset backwards. Here
//     every commit carries the generation; the broker rejects a stale one,
//     which is returned as stream.ErrRevoked.
//   - a Reader whose offset is no longer in the log silently jumps to the
//     start of the log. Here that is a *stream.OffsetError, both when a
//     generation begins and while it runs.
//   - a Reader of an unknown topic waits for ever, and returns records of aborted
//     transactions and the markers that end transactions, even if asked to read committed
//     ones only. Here the topic is checked first, and aborted records and markers are
//     skipped (see fetch.go).
//
// Answers keep their batches in encoded form (rawfetch.go), because kafka-go would decompress a
// whole batch at once, whatever its size. A cursor (fetch.go, records.go) decodes messages
// incrementally. It decompresses a chunk when its messages are needed, after it has reserved memory
// in the partition's stream.Share. Messages refer to this chunk (frames.go). The memory of a
// decoder's window is reserved first, too (inflate.go). The unreadable rest of a batch becomes one
// message for the dead letters. A batch with a wrong checksum is fetched again.
//
// A generation of kafka-go ends as soon as any function started in it returns, and no commit is
// possible afterwards. So each generation here starts one function that only waits for
// Generation.Close.
//
// # One member
//
// A source with Alone is the only member of its group: see alone.go.
//
// # Writing
//
// A Sink sends produce requests with acks=all, sequentially for each partition. So after a failure,
// a suffix of each partition's messages is written again, and order is preserved. Keys select the
// partition as in Java's producers (murmur2), so topics with the same number of partitions are
// co-partitioned. Messages without a key keep the number of their source partition. Batches are
// idempotent (idempotent.go): if an acknowledgement is lost and the messages are written again, the
// same batch is sent again, and the topic contains it once. Messages that are written again after a
// crash, or by another owner of the source partition, are duplicated. Some clusters assign no
// producer id: those before 0.11, and those before 2.8 to clients without the permission
// IdempotentWrite. Sinks then write without one.
//
// The error of messages that a topic permanently rejects, for their size (size.go) or their content
// (refused.go), is a *stream.RefusedError with these messages. If the broker does not identify
// them, the batch is halved until they are known. (TestTooLarge, TestRefused)
//
// # Transactions
//
// With SourceSettings.Transactions, generations are stream.Transactional. kafka-go only encodes the
// requests of transactions. The producer (producer.go) and the order of requests (transaction.go)
// are implemented here:
//
//	DescribeTransactions    the state of the former owner's last transaction: an
//	                        open one is aborted, the end of an ending one is awaited
//	InitProducerId          takes over the partition's transactional id
//	OffsetFetch, stable     the start offset (committed.go)
//	AddPartitionsToTxn      begins a transaction
//	Produce, and concurrently AddOffsetsToTxn + TxnOffsetCommit
//	EndTxn                  commits
//
// Each partition of the source has one producer, whose transactional id consists of group, topic
// and partition. An old owner is fenced twice: by its epoch, which the new owner's InitProducerId
// invalidates, and by its generation, which TxnOffsetCommit carries. EndTxn is retried if there is
// no answer. If there is none at all, the outcome is unknown and the generation ends
// (stream.ErrRevoked). A repeated request has the same sequence, so brokers write it once.
//
// Brokers may consider a transaction ended although it is still open in some partitions (see
// hanging.go). So after a producer has been taken over, or after failed requests, the program
// searches for such partitions. It ends the transaction there with the same outcome: the same
// producer commits or aborts an empty transaction with these partitions.
//
// # Topics of announcements
//
// A CompactedTopic is a compacted topic of one partition, read from its beginning without a group.
// A FencedWriter is its only writer. It owns a transactional id, and the broker rejects the former
// owner (package stream/fleet).
//
// # Gaps
//
// An offset below the log's first message is reported to SourceSettings.Gap. So is one that stays
// beyond the end for longer than a new leader needs to find the end. OnGap determines whether
// reading continues. Partitions that are added to a topic later are read from their beginning.
//
// # The topic itself
//
// A generation reads the topic with the id and the partitions at the time of assignment. Both are
// checked when the generation begins and periodically (watch.go). The generation ends when they
// have changed. A topic that was created again is read from its beginning. Fetches name the topic
// by its id (fetchbyid.go), and offsets are committed only while the name refers to that id, so
// messages of the new topic are not mistaken for those of the old one. Requests of kafka-go that
// would create a topic are modified so that they do not (creation.go).
//
// # Security
//
// Cluster accepts a tls.Config and a SASL mechanism: of Authenticate (PLAIN, or SCRAM as in
// scram.go), of AuthenticateOAuth (OAUTHBEARER, with a token per connection) or of AuthenticateMSK.
// fmt cannot print passwords and tokens, because no value contains them directly.
package kafka
