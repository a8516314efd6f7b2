// Package drift tests whether the newest events come from the same distribution as a set of
// reference rows.
//
//	m, err := drift.New(drift.Rows{X: reference}, drift.Settings{})
//	looks, err := m.Add(ctx, drift.Rows{X: events})   // oldest first
//	looks[0].Alarm, looks[0].Neighbors.Z, m.Clusters()
//
// # The tests
//
// A window of the m newest events and a sample of n reference rows are pooled, and a graph is built
// on all N = n + m points. If both come from one distribution, every choice of m points is equally
// likely to be the newest. Otherwise most neighbours of a point belong to its own sample, and there
// are few edges between the samples. The tests assume nothing about the distribution.
//
// Two graphs are tested:
//
//	Tree        the minimum spanning tree (Friedman and Rafsky, "Multivariate generalizations
//	            of the Wald-Wolfowitz and Smirnov two-sample tests", Annals of Statistics 1979)
//	Neighbors   the lists of the k nearest neighbours (Schilling, "Multivariate two-sample
//	            tests based on nearest neighbors", JASA 1986; Henze, "A multivariate two-sample
//	            test based on the number of nearest neighbor type coincidences", Annals of
//	            Statistics 1988)
//
// w_ij is the weight between i and j: 1 for an edge of the tree, and for the lists 0, 1 or 2, the
// number of the two lists that contain the other point. With the strength s_i = sum_j w_ij of i,
// the statistics are
//
//	W = sum over pairs of w_ij    Q = sum over pairs of w_ij^2    S = sum of s_i^2
//	X = sum over pairs of w_ij [i and j are of different samples]
//	Y = sum over the newest points of s_i                                  (D1)
//	E X, Var X                                                             (D2), (D3)
//	E Y, Var Y                                                             (D4)
//	Z = (E X - X)/sqrt(Var X)    Degree = (Y - E Y)/sqrt(Var Y)
//
// Moments are over all choices of m points among N for the given graph: see Counts.Test. For a
// tree, (D2) and (D3) agree with Friedman and Rafsky, whose count of runs is X + 1 (its limit is in
// Henze and Penrose, "On the multivariate runs test", Annals of Statistics 1999). For lists,
// Schilling's statistic is the share of neighbours of the same sample, 1 - X/(N k). Its variance
// given the lists is that of X: W is N k, and Q and S depend on the mutual neighbours and on the
// number of lists that contain each point.
//
// Given the graph, Z is nearly normal for many points; Permute makes no such approximation.
//
// Z misses some changes. If the samples have the same centre but the newest spread less, the newest
// points are in each other's lists and in those of the reference, so X stays near its mean. Degree
// detects this, because the newest points then occur in too many lists. It is the second statistic
// of Chen and Friedman ("A new graph-based two-sample test for multivariate and object data", JASA
// 2017). Chu and Chen monitor the larger of the two ("Asymptotic distribution-free change-point
// detection for multivariate and non-Euclidean data", Annals of Statistics 2019).
//
// # What the graphs are
//
// The lists are exact. The tree is the minimum spanning tree of the pairs in the lists, as package
// graph/live maintains it. It differs from the tree of all pairs in a few edges in a hundred, which
// are in neither end's list (TestTreeIsNearlyThatOfAllPairs). It is a forest where the lists do not
// connect groups. The test is exact for it too, because its moments are conditional on the graph.
//
// Ties are broken by slot number. Slots are assigned to the samples at random when the first window
// is full, and an event takes the slot of the one that it replaces. So ties do not depend on the
// sample, and the null distribution also holds for equal rows.
//
// # Kept
//
// A Monitor updates the graphs with package graph/live and the sums (D1) by the changed edges, so a
// look needs no pass over the edges. All sums are integers and therefore exactly those of a recount
// (TestKeptIsTheBatchs). The same sums are kept for each cluster, over the edges with both ends in
// it; the caller supplies the labels.
//
// # Many looks
//
// A single look at a time that was fixed in advance is a test with level P. A stream is tested
// every Step events, so every test exceeds its level eventually. The rule monitors
//
//	Level = max(Z, 2/3 |Degree|)                                           (D5)
//
// of the lists and raises an alarm when it crosses a bound. The bound is chosen so that the mean
// number of events to a false alarm is Settings.Events. It is calibrated on streams of normal rows
// without change, in the number of dimensions in which the level is largest (make drift-bounds).
// Real rows have about as many false alarms (docs/drift.md). The bound depends only on Events in
// windows. It allows for the reference being a sample: a stream keeps one sample for 200 windows.
// docs/decisions/drift.md gives the reasons for this rule, docs/drift.md its power and delay.
//
// The tests assume exchangeable events. A stream whose neighbouring events are alike, for example
// through a daily cycle, differs from the reference rows in every window, and the alarm reports
// exactly that.
//
// # Contract
//
// The same calls give the same looks, for batches of any size and any number of threads. A call
// that fails adds no event; if its context ended, the events wait for the next call. No goroutine
// outlives a call.
package drift
