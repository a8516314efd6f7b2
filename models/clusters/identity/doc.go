// Package identity lets clusters keep their ids from one map to the next.
//
//	Follow  clusters of a map's places, with their ids
//	Tree    clusters of the rows that maps are learnt from, kept from map to map; NameRows
//	        gives them ids
//	Match   ids for the clusters of a new map, and what became of the old ones
//	Keep    the choice of clusters that stays with the old ones where others are hardly better
//
// Clusters are found again on every map, and are numbered as they come. What makes a new
// cluster an old one is the points that they share. Let A be the points of an old cluster
// that are on the new map, and B those of a new cluster that were on the old map. Then
//
//	J(A, B) = |A and B| / |A or B|                                        (1)
//
// is their overlap (Jaccard 1901): points that came or left in between count for neither,
// so that ids do not depend on how fast the reference set turns over. Pairs are taken in
// descending order of overlap, as long as that is at least Settings.Overlap and neither
// side is taken yet; ties go to the older cluster. So of the parts that a cluster splits
// into the largest keeps its id, and of clusters that merge the largest one's id stays.
//
// # Memory
//
// HDBSCAN* sometimes chooses two clusters where it chose one on the map before, and goes
// back on the next. So each point remembers the clusters that it was in on the last few
// maps, and the overlap of a pair is
//
//	w(A, B) = max over l = 1..L of decay^(l-1) J(A_l, B)                  (2)
//
// with A_l the members l maps ago. A cluster that is missing may come back under its id as
// long as enough points remember it; after Settings.Patience maps it is dead. It is dead at
// once if it has too few points left to be a cluster (Settings.Least): a class that has left
// does not linger. An id is never given again.
//
// # Choice
//
// Most changes between maps are not the points', but the choice's: excess of mass compares
// sums that are nearly equal, and a few points decide. Keep lets the choice hold on. The
// cluster of the condensed tree that overlaps a living one the most has its stability times
// 1 + Settings.Favour, so that two clusters become one, or one two, only if that is better by as
// much.
//
// A new kind of events is first placed beside what it is like, within a cluster or at its edge.
// To part from it is no other choice of the same points. So where a cluster of the tree, most of
// whose points were on fewer than Settings.Young maps, parts from one that is favoured, both
// sides are. Then the sums decide as though nothing were remembered. docs/clusters.md has what that and the memory come to on a stream of digits of which
// a hundredth is replaced between maps.
//
// # Transitions
//
// The words are those of MONIC (Spiliopoulou, Ntoutsi, Theodoridis and Schult, "MONIC:
// modeling and monitoring cluster transitions", KDD 2006):
//
//	Born     a new cluster, most of whose points were in none, or are young
//	Split    a new cluster, most of whose points were in one that goes on, or was in it
//	Merged   an old cluster ended, most of whose points are in another now
//	Died     an old cluster ended otherwise
//	Grew     its size has changed by more than Settings.Growth since that was reported
//	Shrank   last
//
// Match is a function of its arguments alone: the State is plain data, and the memory is one
// row a point. Who keeps both can go on after a restart.
package identity
