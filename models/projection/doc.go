// Package projection leads from an event's vector to what the model sees of it, and back:
//
//	z = Components (x - Mean)        of q elements, for x of dim
//
// A Projection keeps principal components (Fit), those of sparse rows (Truncated), or some of the columns (Select), or all
// of them as they are (None). It comes first in a fit and in placing, and is stored with
// the map (Store, Of).
//
// # Contract
//
// A Projection is immutable and safe for concurrent use. Apply gives the same bits for
// every number of rows and threads, also after Store and Of. Errors that lie in the data
// match models.ErrBadInput.
package projection
