// Package stage builds a stage from its settings and runs it: source, learner, sink, dead letters,
// metrics and HTTP pages.
//
// The command `run` and the demo use the same code. The demo only adds its own broker.
//
// [Open] connects to everything that the stage needs, and returns an error if something is missing.
// [Stage.Run] runs until its context is done. Then it drains: it places, writes and commits the
// messages already read, within seconds.
//
// With roles learn and embed a stage is part of a fleet, see package fleet. fleet.go ensures that
// there is only one learner.
//
// [Checks] test brokers and topics without running the stage.
package stage
