// Package identity gives clusters ids that persist from one map to the next.
//
//	Follow  clusters of a map's places, with their ids
//	Tree    clusters of the rows that maps are learnt from, updated from map to map; NameRows
//	        gives them ids
//	Match   ids for the clusters of a new map, and the transitions of the old ones
//	Keep    a selection of clusters that prefers the old ones if others are hardly better
//
// Every map has its own clusters with their own numbers. A new cluster is identified with an old
// one by their shared points. Let A be the points of an old cluster that are on the new map, and B
// those of a new cluster that were on the old map. Then
//
//	J(A, B) = |A and B| / |A or B|                                        (1)
//
// is their overlap (Jaccard 1901). Points that were added or removed in between do not count, so
// that ids do not depend on the turnover of the reference set. Pairs are matched in descending
// order of overlap if that is at least Settings.Overlap and neither side is matched yet. Ties go to
// the older cluster. So when a cluster splits, its largest part keeps the id, and when clusters
// merge, the id of the largest remains.
//
// # Memory
//
// HDBSCAN* sometimes selects two clusters in place of one on the previous map, and reverts on the
// next. So the memory contains the clusters of each point on the last few maps, and the overlap of
// a pair is
//
//	w(A, B) = max over l = 1..L of decay^(l-1) J(A_l, B)                  (2)
//
// with A_l the members l maps ago. A missing cluster may return under its id as long as enough
// points have it in memory. After Settings.Patience maps it is dead. It is dead at once if it has
// too few points left (Settings.Least), so that a class that disappears does not linger. Ids are
// never reused.
//
// # Choice
//
// Most changes between maps are caused by the selection, not by the points: excess of mass compares
// nearly equal sums, and a few points decide. Keep stabilises the selection. It multiplies the
// stability of the cluster of the condensed tree that overlaps a living cluster most by 1 +
// Settings.Favour. Two clusters merge, or one splits, only if that is better by this factor.
//
// Events of a new kind are first placed near similar ones, within a cluster or at its edge.
// Separating them later is not an unstable selection of the same points. So if a young cluster,
// most of whose points were on fewer than Settings.Young maps, splits from a favoured one, both
// sides are favoured, and the sums decide as without memory. docs/clusters.md has measurements on a
// stream of digits of which a hundredth is replaced between maps.
//
// # Transitions
//
// The words are those of MONIC (Spiliopoulou, Ntoutsi, Theodoridis and Schult, "MONIC: modeling and
// monitoring cluster transitions", KDD 2006):
//
//	Born     a new cluster, most of whose points were in none, or are young
//	Split    a new cluster, most of whose points were in one old cluster
//	Merged   an old cluster ended, and most of its points are in another now
//	Died     an old cluster ended otherwise
//	Grew     its size has changed by more than Settings.Growth since the
//	Shrank   last report
//
// Match is a pure function of its arguments. State is plain data, and Memory has one row per point.
// A program that stores both can continue after a restart.
package identity
