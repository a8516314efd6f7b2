// Package placing is what placing an event on a map has in common for all kinds of
// models: from the vector to its nearest reference points, and from these to its
// novelty. What stands between is the model's own, how a place follows from the
// neighbours.
//
//	x --- check, project ---> z --- search ---> neighbours --- model ---> mu, sigma
//	                                                 \------ tables ---> novelty
//
// Models that learn only a Sample of the points place all others by these, the events
// too: Learnt is the sample, a Guest is the model's own part in it, and Placer is the
// rest of models.Decoder. Such models keep Units and a frame of learning, of which the
// map may be a Motion.
//
// # Search
//
// A large map is searched by cells (package ivf), made when it is opened: less than 0.1 s for
// 60,000 points, and 1 s for a million. SetIndex tries them once, when the map is learnt; where they
// are not the way, it makes an HNSW index that the snapshot keeps. The model's part takes 2 to 3
// microseconds of an event, novelty one, a projection from 784 values four, and the search, when
// it was by an index of links, 20 to 40: it is what was made faster.
//
// # Contract
//
// An event that equals a reference point has it as its first neighbour, at distance
// 0, also where the search is approximate, and its novelty is the point's own,
// leave-one-out. Everything is a pure function of (snapshot, vector), see
// models.Placer; a model that embeds a *Frame has most of that interface.
package placing
