// Package models holds what every model of this project shares: the verbs, the
// shapes they work on, and the errors they answer with.
//
// A model has two lives. Learning takes a reference set (n vectors of Dim
// elements) and gives a snapshot: for every reference point i a mean mu_i in
// R^d and a variance sigma_i^2, together with whatever is needed to treat later
// vectors alike (a projection, length scales, novelty tables). Placing takes a
// snapshot and any number of new vectors and gives each its place on the map,
// one event at a time and independently of all others. Learning is package saul
// and its siblings; a snapshot is package snapshot; a Placer, below, is what
// places.
//
// # Symbols
//
//	n      reference points            Dim    elements of an event's vector x
//	d      Dims, of the map            q      elements of z, the projected x
//	mu     means, n x d                sigma  model's own length scale of a point
//	k      neighbours                  z      Components (x - Mean), or x itself
//
// # Contract
//
// Place is a pure function of (snapshot, vector). The same vector gets the same
// bits whatever batch it comes in, in whatever order, on any number of threads,
// and after a restart; that is what makes duplicates after a crash harmless.
// Nothing that placing does changes the snapshot. The conformance suite for
// placers in package models/modeltest holds all implementations to this.
//
// Errors that are the caller's data's fault match ErrBadInput under errors.Is:
// a value that is not finite (*RowError), a vector of another dimension
// (*DimensionError), a snapshot file that cannot be used (package snapshot),
// too few rows to learn from. Everything else is a failure of the program or
// of its surroundings.
package models
