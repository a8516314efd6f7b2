// Package fit is where a model is chosen by its name: from rows to a snapshot
// (Fit), and from a snapshot to a placer (Open). What calls it need not know any
// model: Kinds is the one list of all, and With makes a longer one. A kind brings its
// settings with it: the tags of their struct are flags, keys of a configuration,
// defaults and help.
//
// Fit is the whole way of learning:
//
//	x, n x dim --- projection ---> z, n x q --- model ---> mu, sigma^2 of the distinct rows
//	                             \--- neighbour lists ---> novelty tables
//
// and puts it all into one snapshot, of Version 1 and Epoch 1, without Encoder,
// Names and Positions: these belong to the caller, who sets them, and later
// versions and epochs, before the snapshot is published.
//
// Follow goes the same way and returns a map that follows its points (package live);
// Resume continues one from a snapshot.
//
// # Contract
//
// Everything but the timings is a function of x and the Spec without Threads.
// Open of the snapshot places the rows of x exactly where Fit says they are.
// Errors that lie in the data match models.ErrBadInput.
package fit
