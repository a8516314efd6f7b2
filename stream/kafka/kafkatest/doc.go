// Package kafkatest brings brokers and a client for tests.
//
//   - Real is an Apache Kafka of one node, in processes of its own, from the jars
//     that testdata/kafka names. It can be killed and started again. A guarded one
//     has users, who log in and have permissions.
//   - Embedded is an in-process broker (kfake) that runs in a process of its own as
//     well, with its data on disk, so that it can be killed and started again: the
//     test's own binary started once more (Serve, to be called by TestMain).
//   - Client creates topics, writes and reads them, and looks at groups, through
//     another library than the program uses.
//
// Both brokers can advertise another address than their own, where a proxy stands that
// loses and delays what they say.
package kafkatest
