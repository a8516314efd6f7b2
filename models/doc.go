// Package models has the parts that all models share: the interfaces, the
// settings and results, and the errors.
//
// A model has two lives. Learning takes a reference set (n vectors of Dim
// elements) and gives a snapshot: for every reference point i a mean mu_i in
// R^d and a variance sigma_i^2, together with whatever is needed to treat later
// vectors alike (a projection, length scales, novelty tables). Placing takes a
// snapshot and any number of new vectors and gives each its place on the map,
// one event at a time and independently of all others.
//
// Packages student, saul, lllvm and gplvm learn: each has Common among its settings and
// a Result of its own around Result. A snapshot is package snapshot. A Placer places;
// some placers do more (Lenient, Decoder, Spreader). Package points is the way from rows
// to what student and saul learn, lvm the choice between them, and fit the whole way
// from vectors to a snapshot, for all kinds.
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
