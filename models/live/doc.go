// Package live is a map that follows its point set: points come and go, and the
// map is learnt again from where it is, so that points that stay do not jump.
// Function fit.Follow makes one of rows.
//
//	m, err := live.Restore(ctx, first, live.State{}, settings)  // from a map of package fit
//	m.Novelty(placed.NoveltyLocal)                              // events of a block, as they were placed
//	slots, err := m.Change(ctx, gone, rows, places)              // rows that go, by slot, and rows that come
//	report, err := m.Refresh(ctx)                               // what is due
//	second := m.Snapshot()                                      // immutable: what events are placed against
//
// # Points
//
// A point lies in a slot, a number that it keeps as long as it is there; slots
// that became free are used again, the lowest first. Equal rows are one point that
// stands for so many rows: inserting one of them gives the slot of the others, and
// every row is deleted by itself.
//
// # Refresh
//
// A new point starts where the model places an event, everything else frozen, by an
// exact search. Refresh then takes a few steps of the model of the points that are
// there, from where they are. With heavy tails (package student)
//
//	ordinary   5 steps, momentum 0.9, anchor 0.1
//	gentle     every 5th: 50 steps, momentum 0.7, edges of reach
//	           F_a = 50^max(0, 1 - a/35) in step a = 1 ... 50,
//	           anchor 0.01 min(30, max(1, 20,000/n)^5)
//	major      Learn of package student, from the present map scaled to a root mean
//	           square of 10, with the present map as its frame: prior.Firm times
//	           min(10, max(1, 20,000/n)) for points that saw a major, others are free
//	           (n of this major or the last, the lesser);
//	           with NewFrame as a fit, from a frame of its own
//
// where the anchor is a proximal term -lambda/2 sum |mu_i - mu_i^0|^2 about the
// places before (student.Refine): it leaves alone where a map belongs and holds back
// only what pulls weakly. Reach lets edges pull whatever their length.
//
// With Gaussian tails, the paper's model (package saul),
//
//	ordinary   5 steps of EM, momentum 0.9, anchor 10
//	gentle     every 5th: 50 steps, momentum 0.7, anchor 1
//	major      Fit of package saul, from the present map in the scale of its start, with the
//	           present map as its frame, as with heavy tails; with NewFrame from its own start
//
// with the same anchor (saul.Model.Hold), in units of 1 over the median delta^2 of
// similar pairs. There is no reach: springs pull at any distance. No refresh ends with a
// lower likelihood than the map before has with the points that are there. Where momentum
// leads lower the steps are taken again without it, and then EM cannot fall; a fit that
// ends lower is replaced by as many steps from the map before.
//
// Package graph/live keeps the lists K and, up to s = 2 steps of mutual reachability, the
// spanning tree T, reachability R and the similar edges E; landmark.Dynamic keeps the
// landmarks with their groups. They are those of a batch, bit for bit, and so is the
// refresh (TestGaussianIsTheBatchs). docs/refresh.md has what that saves.
//
// After every refresh the map is moved rigidly (Procrustes, without scaling) to
// where the points that stayed fit their old places best.
//
// Squared distances are measured in the unit of the first fit.
//
// # Push and unit
//
// The weight c of a dissimilar pair is at majors that of a fit of n points. In between the push w = c (n-1)
// stays, and with it the size of the map. Of n points a map has by itself a size of about
// n^0.12 w^0.3. Published places, and with them sigma and the length scales, are the model's own times
// a unit that makes up for it: the diameter stays while the set grows. At a major the unit is 4/5, in
// the logarithm, what keeps the spread of points that stay, and 1/5 what this size says, which keeps it
// from drifting. A map is the same model in any unit; the snapshot says which (Unit).
//
// Before, w was that of the final size at any n, 25 times that of a fit where 2,000 of 50,000 points
// were there. Maps that were learnt so keep their push until the next major, and then their
// diameter.
//
// # Majors
//
// Warm steps do not find what a whole fit finds: neighbours of a new point were not
// arranged for it, and the crowd between them is a wall. A major refresh is due
//
//   - when the map has grown by half since the last, or has shrunk as much; below 20,000
//     points already by a fifth; or so many of its points are new at once,
//   - 20 and 40 refreshes after an alarm,
//   - 50 refreshes after the last, as a backstop.
//
// It moves points by one to two percent of the map's diameter, and more if the map has grown several
// times at once (docs/refresh.md), in the same coordinate frame: the epoch stays. A new one begins only if Settings.Frame asks for a frame of its own.
//
// # Index
//
// A snapshot large enough for it says by what events are placed (lvm.SetIndex): by cells, which
// are made when it is opened, or where these are not the way by an index that it holds.
// A refreshed map has new cells (TestCellsFollow). Its index is a copy of the index before, without
// the points that went and with those that came, renumbered to the rows of the new map; so it is a
// function of the snapshot before and of the changes, and the index of an older snapshot never
// changes under those who still place by it. It takes a small part of the time of building a new
// one, and finds as much (TestIndexFollows). Single digits are placed, in the median and on a busy
// machine, in
//
//	points     exactly   by index
//	20,000       78 us     44 us
//	50,000      128 us     42 us
//	65,000      213 us     44 us
//
// New points start where an exact search puts them all the same. Digits that start where the
// index puts them cost .0006 of trustworthiness in two streams of two, 99 refreshes of
// 20,000 points and 49 of 14,000.
//
// # Alarm
//
// A point of a new class is novel when the first of them come, and no longer
// when some have become reference points. The alarm therefore counts, over the
// events of the last 5 blocks, the share beyond the 95th percentile of local novelty
// (package novelty) and begins where it is above
//
//	0.05 + 3.5 sqrt(0.05 0.95 (1/events + 1/n)),
//
// the second term since the percentiles are known from n points only. In 684 refreshes of
// streams of digits in which nothing new came (stationary, growing, a class that
// leaves) the share was at most 2.95 deviations above 0.05; the refreshes share blocks,
// so that of some hundreds one is beyond 3 now and then. When nines came, a seventh of the
// events, it was 4.2, 5.0, 5.5, 6.0 and 6.7 above after the first five refreshes.
//
// What was tried is in docs/decisions/refresh.md.
//
// # Contract
//
// Calls that fail, or whose context ends, leave the map as it was. The same calls
// give the same bits with any number of threads, and after Restore of a Snapshot and
// its State. There are no goroutines beyond a call, and nothing is read or written.
package live
