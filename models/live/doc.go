// Package live updates a map while points are added and removed. Each refresh continues learning
// from the present map, so that points that stay do not jump. fit.Follow makes such a map from
// rows.
//
//	m, err := live.Restore(ctx, first, live.State{}, settings)  // from a map of package fit
//	m.Novelty(placed.NoveltyLocal)                              // novelty of placed events, for the alarm
//	slots, err := m.Change(ctx, gone, rows, places)              // remove rows by slot, insert new rows
//	report, err := m.Refresh(ctx)                               // the refresh that is due
//	second := m.Snapshot()                                      // immutable, for placing events
//
// # Points
//
// A point has a slot, a number that it keeps until it is removed. Free slots are reused, the lowest
// first. Equal rows are one point with a count: inserting an equal row returns the slot of the
// point, and every row must be removed by itself.
//
// # Refresh
//
// A new point starts at the place that the model gives to an event, with everything else frozen and
// an exact search. Refresh then takes a few steps of learning with all present points from their
// present places. With heavy tails (package student), refreshes are
//
//	ordinary   5 steps, momentum 0.9, anchor 0.1
//	gentle     every 5th: 50 steps, momentum 0.7, edges of reach
//	           F_a = 50^max(0, 1 - a/35) in step a = 1 ... 50,
//	           anchor 0.01 min(30, max(1, 20,000/n)^5)
//	major      Learn of package student, from the present map scaled to a root mean
//	           square of 10, with the present map as its frame: prior.Firm for points
//	           that have had a major, others are free; below 20,000 points (the lesser of
//	           this major and the last) with a budget of moves, and only new points free;
//	           with NewFrame as a fit, from a frame of its own
//
// The anchor is a proximal term -lambda/2 sum |mu_i - mu_i^0|^2 around the places before
// (student.Refine). It does not change the optimum and slows down only modes with little force.
// With a reach, edges of any length pull.
//
// With Gaussian tails, the paper's model (package saul), they are
//
//	ordinary   5 steps of EM, momentum 0.9, anchor 10
//	gentle     every 5th: 50 steps, momentum 0.7, anchor 1
//	major      Fit of package saul, from the present map in the scale of its start, with the
//	           present map as its frame, as with heavy tails; with NewFrame from its own start
//
// with the same anchor (saul.Model.Hold), in units of 1 over the median delta^2 of similar pairs.
// Below 20,000 points the prior is min(10, 20,000/n) times as firm, without a budget.
// There is no reach, because springs pull at any distance. No refresh ends with a lower likelihood
// than that of the previous map with the present points. If momentum lowers the likelihood, the
// steps are repeated without it, and EM is then monotone. A fit that ends lower is replaced by the
// same number of steps from the previous map.
//
// Package graph/live keeps the lists K and, up to s = 2 steps of mutual reachability, the spanning
// tree T, reachability R and the similar edges E; landmark.Dynamic keeps the landmarks with their
// groups. Both are bit-identical to those computed from scratch, and so is the refresh
// (TestGaussianIsTheBatchs). docs/refresh.md has the time that this saves.
//
// After every refresh the map is moved rigidly (Procrustes, without scaling), such that the points
// that stayed fit their old places best.
//
// Squared distances are measured in the unit of the first fit.
//
// # Push and unit
//
// At majors, the weight c of a dissimilar pair is that of a fit of n points. Between majors the
// push w = c (n-1) is constant, and so is the size of the map. A map of n points has a natural size
// of about n^0.12 w^0.3. To keep the diameter constant while the set grows, published lengths
// (places, sigma and length scales) are the model's own times a unit. At a major, the logarithm of
// the unit is a mean of two values. The one that preserves the spread of the points that stay has
// the weight 4/5. The one that follows from the natural size has 1/5, which prevents drift; it
// changes the unit by at most 1 %. A map is the same model in any unit, and the snapshot contains
// the unit (Unit).
//
// Earlier versions used the w of the final size for any n: 25 times that of a fit for 2,000 of
// 50,000 points. Their maps keep their push until the next major, and after it their diameter.
//
// # Majors
//
// Warm steps do not reach the quality of a whole fit: the neighbours of a new point were arranged
// without it, and the points between them block the way. A major refresh is due
//
//   - when the map has grown by half since the last major, or has shrunk as much; below 20,000
//     points already by a fifth and below 5,000 by a tenth; or if the same share of its points is
//     new at once,
//   - 20 and 40 refreshes after an alarm,
//   - 50 refreshes after the last, as a backstop.
//
// It moves points by one to two percent of the map's diameter, and more if the map has grown
// several times at once (docs/refresh.md), in the same coordinate frame: the epoch stays. A new one
// begins only if Settings.Frame asks for a frame of its own.
//
// # Budget
//
// In a map of few points the distances between neighbours are a few percent of the diameter. A
// prior of any fixed weight is too firm for some data and too loose for others. Below 20,000 points
// the weight starts at 100, so that new points find their places between points that stay almost
// where they are. Then it falls, but only while their moves are within a budget
// (student.Model.SetBudget), and at most to the weight of large maps. The percentiles 50, 90 and 99
// of the budget are 1.2, 3.5 and 9 % of the diameter. If a third of either map's points is not on
// the other, they are 3.4, 8.5 and 21 %. Up to 10,000 points, a major searches for the neighbours
// of further edges, as a fit does. Measurements are in docs/decisions/refresh.md.
//
// # Index
//
// A large snapshot names its search for placing events (lvm.SetIndex): cells, which are computed
// when the snapshot is opened, or an index that the snapshot contains. A refreshed map has new
// cells (TestCellsFollow). Its index is a copy of the previous index, without the removed points,
// with the new ones, and renumbered to the rows of the new map. So it is a function of the previous
// snapshot and of the changes, and placers of an older snapshot are not affected. Updating takes a
// small part of the time of building an index, with the same recall (TestIndexFollows). The median
// time to place a single digit, on a busy machine, is
//
//	points     exactly   by index
//	20,000       78 us     44 us
//	50,000      128 us     42 us
//	65,000      213 us     44 us
//
// New points are nevertheless started with an exact search. Starting digits with the index costs
// .0006 of trustworthiness in two streams of two (99 refreshes of 20,000 points and 49 of 14,000).
//
// # Alarm
//
// Events of a new class are novel only until some of them have become reference points. The alarm
// therefore counts over the last 5 blocks. It begins if the share of events beyond the 95th
// percentile of local novelty (package novelty) exceeds
//
//	0.05 + 3.5 sqrt(0.05 0.95 (1/events + 1/n)),
//
// where 1/n accounts for the error of the percentiles, which are known from n points only. Streams
// of digits without anything new (stationary, growing, a class that disappears) had 684 refreshes
// in which the share was at most 2.95 deviations above 0.05. Refreshes share blocks, so one in some
// hundreds may exceed 3. When nines appeared as a seventh of the events, the share was 4.2, 5.0,
// 5.5, 6.0 and 6.7 deviations above after the first five refreshes.
//
// Alternatives that were tried are in docs/decisions/refresh.md.
//
// # Contract
//
// Calls that fail, or whose context ends, leave the map unchanged. The same calls give
// bit-identical results with any number of threads, and also after Restore of a Snapshot and its
// State. No goroutine outlives a call, and the package does no I/O.
package live
