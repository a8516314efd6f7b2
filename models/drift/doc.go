// Package drift says whether the newest events are from the same distribution as a set of
// reference rows.
//
//	m, err := drift.New(drift.Rows{X: reference}, drift.Settings{})
//	looks, err := m.Add(ctx, drift.Rows{X: events})   // oldest first
//	looks[0].Alarm, looks[0].Neighbors.Z, m.Clusters()
//
// # The tests
//
// A window of the m newest events and a sample of n reference rows are pooled, and a graph is
// made of all N = n + m points. If both are of one distribution it is chance which points are
// the newest. If they are not, points have others of their own sample around them, and edges
// between the samples are few. Nothing is assumed about the distribution.
//
// Two graphs are looked at:
//
//	Tree        the minimum spanning tree (Friedman and Rafsky, "Multivariate generalizations
//	            of the Wald-Wolfowitz and Smirnov two-sample tests", Annals of Statistics 1979)
//	Neighbors   the lists of the k nearest neighbours (Schilling, "Multivariate two-sample
//	            tests based on nearest neighbors", JASA 1986; Henze, "A multivariate two-sample
//	            test based on the number of nearest neighbor type coincidences", Annals of
//	            Statistics 1988)
//
// With w_ij the weight between i and j, 1 for an edge of the tree, and the number of lists
// that have it for neighbours (0, 1 or 2), and s_i = sum_j w_ij the strength of i:
//
//	W = sum over pairs of w_ij    Q = sum over pairs of w_ij^2    S = sum of s_i^2
//	X = sum over pairs of w_ij [i and j are of different samples]
//	Y = sum over the newest points of s_i                                  (D1)
//	E X, Var X                                                             (D2), (D3)
//	E Y, Var Y                                                             (D4)
//	Z = (E X - X)/sqrt(Var X)    Degree = (Y - E Y)/sqrt(Var Y)
//
// Moments are those over all choices of m points among N, given the graph: see Counts.Test.
// For a tree (D2) and (D3) are what Friedman and Rafsky print, whose count of runs is X + 1
// (Henze and Penrose, "On the multivariate runs test", Annals of Statistics 1999, have what
// it tends to). For lists, Schilling's statistic is the share of
// neighbours of the same sample, 1 - X/(N k), and its variance given the lists is that of X: W
// is N k, and Q and S count mutual neighbours and how often each point is listed.
//
// Given the graph Z is near normal for many points; Permute does without that.
//
// Z cannot see all there is. Where samples have one centre, and the newest spread less, their points
// list each other and are listed by others, and X is near its mean. Degree sees that: the
// newest are listed too often. It is what Chen and Friedman add to the count ("A new graph-based
// two-sample test for multivariate and object data", JASA 2017), and the larger of both is
// what Chu and Chen watch ("Asymptotic distribution-free change-point detection for
// multivariate and non-Euclidean data", Annals of Statistics 2019).
//
// # What the graphs are
//
// The lists are exact. The tree is that of the pairs in the lists, as package graph/live keeps
// it: that of all pairs but for a few edges in a hundred, which are in neither end's list
// (TestTreeIsNearlyThatOfAllPairs), and a forest where the lists leave groups apart. The test is as exact for it: moments are given
// the graph, whatever graph the pooled points have.
//
// Ties are decided by slots. Slots are dealt to the samples at random when the
// first window is full, and an event takes the slot of one that leaves. So ties know nothing
// of the samples, and the null distribution holds for rows that are equal, too.
//
// # Kept
//
// A Monitor keeps the graphs by package graph/live, and (D1) by what changed in them: a
// look costs no pass over the edges. All sums are of whole numbers, so that they are the
// batch's, not near them (TestKeptIsTheBatchs). Within each cluster the same sums are kept of the
// edges whose ends are both in it; labels are the caller's.
//
// # Many looks
//
// One look at a time that was chosen before is a test, with P as its level. A stream is
// looked at every Step events, and any test is above its level some day. The rule watches
//
//	Level = max(Z, 2/3 |Degree|)                                           (D5)
//
// of the lists and raises an alarm where it crosses a bound, so that the mean number of
// events to a false one is Settings.Events. The bound is calibrated by streams of normal rows in which
// nothing changes, in the number of dimensions in which it is largest (make drift-bounds). On
// real rows there are about as many false alarms (docs/drift.md). It depends on Events in windows alone, and counts that a
// sample of the reference is not its distribution: a stream has one sample for 200 windows.
// docs/decisions/drift.md says why it is this rule, docs/drift.md has what it finds and when.
//
// Exchangeable events are assumed: a stream whose neighbouring events are alike, such as a
// daily course, differs from the reference rows in every window. That is what an alarm says
// then, and it is right.
//
// # Contract
//
// The same calls give the same looks, in batches of any size and with any number of threads.
// A call that fails has taken no event, or, where its context ended, has them wait. There are no
// goroutines beyond a call.
package drift
