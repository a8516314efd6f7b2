// Package unfold makes a map of high-dimensional vectors: a place in the plane for each,
// with neighbours kept together, a scale that says how well the place is known, and how
// novel the vector is.
//
//	m, err := unfold.Fit(ctx, x, unfold.Options{})  // x: any gonum matrix, a row for each vector
//	places := m.Result()                            // places.Embedding is n x 2
//
// # What goes in
//
// Every function takes a gonum mat.Matrix whose rows are vectors: a *mat.Dense, a
// *sparse.CSR of github.com/james-bowman/sparse, or vectors in single precision as Rows
// ([][]float32) and Flat (one slice with a stride). Values are kept in single precision.
// The zero Options work; they project wide vectors onto as many principal components as their
// neighbourhoods need, and learn a map in two dimensions with heavy tails. Columns of different units should be
// standardized before.
//
// # What comes out
//
// A Map has points, the distinct rows that it was learnt from. Each has a number. Result
// lists the places of the rows as Fit was given them; Points lists those of the points.
//
//	m.Place(ctx, y)         // places of new vectors; the map does not change
//	m.Decode(ctx, at)       // vectors at positions of the map, with their errors
//	m.Neighbors(ctx, y, k)  // their k nearest points, and how far these are
//	m.Graph(ctx)            // the neighbour graph of the points, a sparse CSR
//	m.Save(w); Open(r)      // a model file; the command unfold has the same format
//
// Place is a pure function of the map and the vector: the same vector gets the same bits
// in any batch, in any order and on any number of threads.
//
// # A map that lives
//
// Points can come and go without a new fit, and the points that stay hardly move:
//
//	ids, err := m.Insert(ctx, y)     // rows become points
//	err = m.Delete(ctx, old)         // points go
//	report, err := m.Refresh(ctx)    // the map follows
//
// Places change in Refresh alone. It takes a few steps from where the map is, more at
// every fifth call, and a whole fit near where it is when the map has grown by half,
// of fewer than 20,000 points by a fifth, some time after many novel vectors came, or after 50 calls: still in the same
// coordinate frame (of kind Saul in a new one, which begins an epoch). Maps of the kinds Student and
// Saul live; others are learnt by Fit alone.
//
// # Threads
//
// A Map is safe for concurrent use. Place, Neighbors, Graph and Save go on during a
// Refresh, on the map before it. Insert, Delete and Refresh wait for each other.
//
// # Errors
//
// Errors that lie in the data match ErrBadInput; a value that cannot be used is a
// *RowError that names its row and column. An option that makes no sense is an
// *OptionError. A context that ends, ends every call soon, and the map stays as it was.
package unfold
