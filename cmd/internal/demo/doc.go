// Package demo shows the stage with real data, without installing anything: bundled data
// ([Connections]), or the user's own files ([Own]).
//
// It is the command `run` with a producer and a consumer:
//
//	a Stream -> producer -> [its topic] -> the stage -> [topic places] -> consumer -> files
//
// The broker runs in this process ([Broker]). The stage is package stage, with a configuration file
// that is kept for the reader. The stream is played twice. In the first round it has the speed of a
// busy network and the map follows it: a first map after at most 1,000 events, a new one every few
// seconds. When a map has been learnt from all events, the second round is played as fast as
// possible and placed on that map. So all events are in one coordinate frame, which is then drawn.
//
// With Settings.Stay the stage and its page keep running after that, and the stream is repeated.
//
// Three messages of the bundled data are broken on purpose: they become dead letters, and the
// stream continues. So do rows of the user's files that cannot be placed.
//
// At the end, for the bundled data, [Novelty] measures how well novelty separates attacks from
// normal traffic if the map was learnt from normal traffic alone.
package demo
