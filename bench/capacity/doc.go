// Command capacity measures what a fleet costs, an embedder, the learner, the broker
// and the store each for itself, and writes docs/capacity.md: the cost model that
// follows, what it predicts for 1, 2 and 4 embedders and what those do, and what a
// million events a second would take.
//
// Costs are seconds of processor time for an event, so that they add up:
//
//	place(n, dim)   finding an event's place among n reference points
//	carry(dim)      all else that an embedder does: read, decode, encode, write
//	broker(dim)     what the broker does for it
//	learn(dim)      what the learner does to read it
//
// The first two are an embedder's processor time, divided by a profile of it: placing that
// is measured alone and subtracted would leave nothing certain, as carrying takes less
// than measurements differ by.
//
// Nothing on the page is typed by hand.
package main
