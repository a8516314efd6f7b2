// Package streamtest tests what streams promise.
//
// It has three parts:
//
//   - Broker, a broker in memory with consumer groups, whose Source and Sink
//     fail on command (Broker.Fault) and whose members can die without a word
//     (Source.Kill).
//   - TestBroker, the conformance suite: what every Source and Sink has to do,
//     whatever stands behind. The one in memory, and those of package
//     stream/kafka on an in-process broker and on a real Apache Kafka pass it.
//     TestPipelines is its part about whole pipelines, over a Kind of messages: package
//     formats has one for each format that a stage reads.
//   - Doubles of the decoder and the learner (Numbers, Registry, Learner), and
//     Log.Check, which reads the topics after a run and reports whether an event
//     was lost, reordered, or placed in two ways by one version of the map.
package streamtest
