// Command capacity measures the cost of a fleet, separately for an embedder, the learner, the
// broker and the store. It writes docs/capacity.md: the cost model, its predictions for 1, 2 and 4
// embedders with their measured rates, and the cost of a million events a second.
//
// Costs are seconds of processor time per event, so that they add up:
//
//	place(n, dim)   finding an event's place among n reference points
//	carry(dim)      the other work of an embedder: read, decode, encode, write
//	broker(dim)     the broker's work
//	learn(dim)      the learner's work to read it
//
// The first two are an embedder's processor time, divided according to its profile. Measuring
// placing alone and subtracting it would not be accurate, because carrying takes less time than the
// error of measurement.
//
// Nothing on the page is typed by hand.
package main
