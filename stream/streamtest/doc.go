// Package streamtest tests the guarantees of package stream.
//
// It has three parts:
//
//   - Broker, a broker in memory with consumer groups, whose Source and Sink
//     fail on command (Broker.Fault) and whose members can be killed
//     (Source.Kill).
//   - TestBroker, the conformance suite for every Source and Sink.
//     The broker in memory passes it, and so does package
//     stream/kafka with an in-process broker and with Apache Kafka.
//     TestPipelines tests whole pipelines with a Kind of messages. Package
//     formats has one Kind for each input format.
//   - Doubles of the decoder and the learner (Numbers, Registry, Learner), and
//     Log.Check, which checks the topics after a run for events that were
//     lost, reordered, or placed in two ways by one version of the map.
package streamtest
