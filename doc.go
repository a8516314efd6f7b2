// Package unfold makes a map of high-dimensional vectors. Each vector gets a place in the plane
// near those of its neighbours, a scale that measures the uncertainty of this place, and a novelty.
//
//	m, err := unfold.Fit(ctx, x, unfold.Options{})  // x: any gonum matrix, a row for each vector
//	places := m.Result()                            // places.Embedding is n x 2
//
// # Input
//
// Every function takes a gonum mat.Matrix whose rows are vectors: a *mat.Dense, a *sparse.CSR of
// github.com/james-bowman/sparse, or vectors in single precision as Rows ([][]float32) and Flat
// (one slice with a stride). Values are stored in single precision. From elements far from 0, such
// as metres of a map grid, Fit first subtracts a number in double precision, and so do Place and
// the other methods. The zero Options work: they project wide vectors onto as many principal
// components as their neighbourhoods need, and learn a map in two dimensions with heavy tails.
// Columns of different units should be standardized first.
//
// # Output
//
// A Map has points, the distinct rows from which it was learnt. Each has a number. Result lists the
// places of the rows in the order of Fit's input. Points lists those of the points.
//
//	m.Place(ctx, y)         // places of new vectors; the map does not change
//	m.Neighbors(ctx, y, k)  // their k nearest points, with distances
//	m.Graph(ctx)            // the neighbour graph of the points, a sparse CSR
//	m.Explain(ctx, y, 5)    // the five elements that make each vector novel
//	m.Clusters(ctx, o)      // the clusters of the points (HDBSCAN*), with a method for new places
//	m.LearnClasses(ctx, x, label)  // learns to predict classes from places; Classifier returns the map's own
//	m.Drift(o)              // tests whether the newest vectors are distributed like the points
//	m.Save(w); Open(r)      // a model file, which the command unfold also reads
//
// Place is a pure function of the map and the vector: a vector gets bit-identical results in any
// batch, in any order and on any number of threads.
//
// # Names
//
// Options have the names of the command's flags and of a stage's keys: Options.Neighbors is
// --neighbors, ClusterOptions.MinSize is --min-size. Kinds Student and Saul are the command's kind
// lvm with --tails student and --tails gaussian.
//
// # Live maps
//
// Points can be inserted and deleted without a new fit, and the other points hardly move:
//
//	ids, err := m.Insert(ctx, y)     // rows become points
//	err = m.Delete(ctx, old)         // delete points
//	report, err := m.Refresh(ctx)    // update the map
//
// Places change only in Refresh. It usually takes a few steps from the present places, and more at
// every fifth call. In some cases it makes a whole fit that stays near the present places: when the
// map has grown by half (by a fifth below 20,000 points, by a tenth below 5,000), some time after
// many novel vectors, or after 50 calls. The coordinate frame stays the same. Maps of the kinds
// Student and Saul can be updated; others are only learnt by Fit.
//
// # Threads
//
// A Map is safe for concurrent use. During a Refresh, Place, Neighbors, Graph and Save use the
// previous map. Insert, Delete and Refresh are serialised.
//
// # Errors
//
// Errors that lie in the data match ErrBadInput. The error of an unusable value is a *RowError with
// its row and column, that of an invalid option an *OptionError. If a context ends, the call
// returns soon and the map is unchanged.
package unfold
