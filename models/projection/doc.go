// Package projection converts an event's vector to the model's input, and back:
//
//	z = Components (x - Mean)        of q elements, for x of dim
//
// A Projection is onto principal components (Fit), onto components of sparse rows (Truncated), onto
// some of the columns (Select), or the identity (None). It is applied before a fit and before
// placing, and is stored with the map (Store, Of).
//
// # Contract
//
// A Projection is immutable and safe for concurrent use. Apply gives the same bits for every number
// of rows and threads, also after Store and Of. Errors caused by the data match models.ErrBadInput.
package projection
