// Package reasons computes the contribution of each element of an event's vector to its novelty.
//
// Both scores of package novelty are functions of the distances to the K nearest reference points,
// and a squared Euclidean distance is a sum over elements. So the scores can be divided among the
// elements exactly, without sampling, perturbing or fitting.
//
// # Symbols and formulas
//
//	x          the event's vector, x_e its element e
//	z = P(x-m) what the model sees of it (package projection); P has orthonormal rows
//	d_j        the distance of z and reference point j, |z - z_j|
//	x^, x^_j   the vectors that z and z_j stand for: m + P'z, m + P'z_j
//	h_j        x^ - x^_j = P'(z - z_j), so that |h_j| = d_j
//
//	w_je       (x_e - x^_je) h_je                                             (R1)
//	d_j        sum over e of d_j w_je / d_j^2                                 (R2)
//	Amount_e   mean over j of d_j w_je / d_j^2                                (R3)
//	Global     sum over e of Amount_e                                         (R4)
//	Local      Around (sum over e of Amount_e + Gap)                          (R5)
//	Around     mean over j of lrd(j)
//	Gap        mean over j of max(kdist(j) - d_j, 0)
//
// Without a projection w_je is (x_e - x_je)^2, the terms of a squared distance, and R2 divides the
// distance in proportion. Distances other than the Euclidean have no projection; d_j is the root of
// the value in the lists, and w_je are its terms. For Manhattan these are |x_e - x_je|. For
// Chebyshev the element that differs most has the whole. For Jaccard each element that differs has
// one part in |A or B| (package distance).
//
// With a projection, sum_e w_je = (x - x^)'h_j + |h_j|^2. Since x - x^ is orthogonal to h_j, the
// sum is again d_j^2. An element in which the event equals the neighbour contributes 0, even where
// the components mix it with others; the squares h_je^2 would not have this property. On the other
// hand w_je may be negative, if the element brings the event nearer. The part of the event outside
// the components, x - x^, affects neither the scores nor the terms.
//
// The local factor (definition 7 of Breunig et al. 2000, see package novelty) has max(kdist(j),
// d_j) = d_j + max(kdist(j) - d_j, 0) instead of d_j. A column contributes Around times its share
// of the global score. Gap belongs to no column: it is the mean excess of the neighbours' own
// distances, kdist(j), over their distance to the event. It is large for events inside a cluster
// and mostly 0 for novel ones.
//
// # What is exact
//
// The sums are exact up to rounding in double precision, given the distances that the scores were
// computed from. Rounding errors of single precision, in z and in P, are distributed in proportion.
// The neighbours' elements (Split.Seen) are exact without a projection. With one, a model file has
// only z_j, so that Seen returns x^_j, which lacks the part of neighbour j outside the components.
// This does not affect the amounts, because that part is orthogonal to h_j.
//
// # Contract
//
// A Split is a pure function of (snapshot, vector, neighbours), with the same bits for any number
// of rows and threads. An Explainer is immutable and safe for concurrent use.
package reasons
