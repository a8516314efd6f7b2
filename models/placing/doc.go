// Package placing contains the steps of placing an event that all kinds of models share: from the
// vector to its nearest reference points, and from these to its novelty. The step between, from
// neighbours to a place, belongs to the model.
//
//	x --- check, project ---> z --- search ---> neighbours --- model ---> mu, sigma
//	                                                 \------ tables ---> novelty
//
// Some models learn only a Sample of the points and place all others, and events, relative to it.
// Learnt is the sample, a Guest is the model's own part of placing, and Placer implements
// models.Decoder with both. Such models have Units and a frame of learning. The published map may
// be a rigid Motion of this frame.
//
// # Search
//
// A large map is searched with cells (package ivf), which are computed when the map is opened, in
// less than 0.1 s for 60,000 points and 1 s for a million. SetIndex tries them once, when the map
// is learnt. If they are not suitable, it makes an HNSW index, which the snapshot stores. Of the
// time per event, the model takes 2 to 3 microseconds, novelty one, and a projection from 784
// values four. The search with HNSW took 20 to 40, so cells make the greatest difference.
//
// # Contract
//
// The first neighbour of an event that equals a reference point is this point, at distance 0, even
// with an approximate search. Its novelty is the point's own, leave-one-out. All results are a pure
// function of snapshot and vector (see models.Placer). A model that embeds a *Searcher inherits most
// of that interface.
package placing
