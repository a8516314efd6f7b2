// Package stage puts a stage together from its settings: source, learner, sink,
// dead letters, metrics and the HTTP pages, and runs it.
//
// The command `run` and the demo are the same code; the demo only brings a broker
// of its own.
//
// [Open] reaches everything that is needed and fails early and clearly if
// something is missing. [Stage.Run] works until its context is done, then drains:
// what has been read is placed, written and committed, within seconds.
//
// With roles learn and embed a stage is a part of a fleet: see package fleet, and
// fleet.go for how the one learner is found out.
//
// [Checks] are what can be asked of brokers and topics without running.
package stage
