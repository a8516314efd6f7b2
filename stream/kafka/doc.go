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
//     of the old owner succeeds and moves the group's position backwards. Here
//     every commit carries the generation; a stale one is refused by the broker
//     and reported as stream.ErrRevoked.
//   - a Reader whose position is no longer in the log jumps to where the log
//     starts, in silence. Here that is a *stream.OffsetError, both when a
//     generation begins and while it runs.
//   - a Reader on an unknown topic waits for ever, and hands out records of
//     aborted transactions as well as the markers that end transactions, even
//     if told to read committed ones only. Here the topic is looked up first, and
//     aborted records and markers are left out (see fetch.go).
//
// A generation ends as soon as any function started in it returns, and no commit
// is possible afterwards; so each generation here starts one function that does
// nothing but stay until Generation.Close.
//
// # Writing
//
// A Sink sends a produce request for each partition, with acks=all, the requests
// for one partition one after the other; so a failure leaves a suffix for each
// partition to be written again, and order is kept. Keys choose the partition as
// Java's producers do (murmur2): topics with the same number of partitions are
// co-partitioned. Messages without a key follow the partition that they came
// from. Neither idempotent nor transactional producing is used: a message whose
// acknowledgement was lost is written twice.
package kafka
