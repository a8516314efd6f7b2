// Package fit selects a model by its name. Fit learns a snapshot from rows, and Open makes a placer
// from a snapshot, so callers need not import any model. Kinds is the list of all models, and With
// returns a longer one. A kind also declares its settings: the tags of their struct are flags,
// configuration keys, defaults and help texts.
//
// Fit performs all steps of learning:
//
//	x, n x dim --- projection ---> z, n x q --- model ---> mu, sigma^2 of the distinct rows
//	                             \--- neighbour lists ---> novelty tables
//
// and stores the results in one snapshot of Version 1 and Epoch 1. The caller sets Encoder, Names
// and Positions, and later versions and epochs, before it publishes the snapshot.
//
// Follow takes the same steps and returns a map that can be updated as points are added and removed
// (package live). Resume continues such a map from a snapshot.
//
// # Contract
//
// The result is a function of x and of the Spec without Threads, except for the timings. A placer
// of the snapshot places the rows of x exactly at the places that Fit returns. Errors that lie in
// the data match models.ErrBadInput.
package fit
