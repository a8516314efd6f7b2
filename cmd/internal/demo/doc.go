// Package demo shows the stage at work on real data, with nothing installed: data that
// comes with the program ([Connections]), or somebody's own files ([Own]).
//
// It is the command `run` between two helpers:
//
//	a Stream -> producer -> [its topic] -> the stage -> [topic places] -> consumer -> files
//
// The broker runs in this process ([Broker]); the stage is package stage, with a
// configuration file that stays to be looked at. The stream plays twice. In the first
// round it comes at the speed of a busy network and the map follows it: a first map after
// 1,000 events or fewer, a new one every few seconds. When a map has been learnt from all of
// it, the second round comes as fast as it goes and is placed on that map. So one
// coordinate frame holds every event, and that is what is drawn.
//
// With Settings.Stay the stage and its page stay up after that, and the stream comes again.
//
// Three messages of the bundled data are broken on purpose: they become dead letters, and
// the stream goes on. Rows of own files that cannot be placed do so, too.
//
// At the end of the bundled data [Novelty] measures, away from the stream, how well
// novelty separates attacks from normal traffic if the map has been learnt from normal
// traffic alone.
package demo
