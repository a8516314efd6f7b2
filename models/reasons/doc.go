// Package reasons says which elements of its vector make an event novel.
//
// Both scores of package novelty are made of distances to the K nearest reference points,
// and a squared Euclidean distance is a sum over elements. So the scores split over them,
// and nothing is sampled, perturbed or fitted.
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
// Without a projection w_je is (x_e - x_je)^2, the split of a squared distance, which R2
// gives to the distance in proportion. Under another distance than the Euclidean one there is no
// projection, d_j is the root of what lists hold, and w_je are the terms of that: |x_e - x_je| of
// Manhattan's, of Chebyshev's the whole at the element that differs most, and of Jaccard's one part in
// |A or B| at each element that differs (package distance).
//
// With one, sum_e w_je = (x - x^)'h_j + |h_j|^2, and x - x^ is orthogonal to h_j: the sum
// is d_j^2 again. An element at which the event equals the neighbour carries nothing, even
// where the components mix it with others; squares h_je^2 would blame it. In return w_je
// may be negative: the element brings the event nearer. What the event has outside of the
// components, x - x^, is in no score, and so no term.
//
// The local factor (definition 7 of Breunig et al. 2000, see package novelty) has
// max(kdist(j), d_j) = d_j + max(kdist(j) - d_j, 0) in the place of d_j. Its columns carry
// Around times what they carry of the global score. Gap is of no column: how much further
// the neighbours lie from their own neighbours than from the event. It is large for events
// inside a cluster and mostly 0 for novel ones.
//
// # What is exact
//
// The sums hold to rounding in double precision, the distances being those that the scores
// were made of. Rounding of single precision, in z and in P, is spread in proportion. The
// neighbours' elements (Split.Seen) are exact without a projection. A model file with one
// holds z_j alone: then they are x^_j, which lacks what neighbour j has outside of the
// components. The amounts are not hurt by that, since it is orthogonal to h_j.
//
// # Contract
//
// A Split is a pure function of (snapshot, vector, neighbours): the same bits for any
// number of rows and threads. An Explainer is immutable and safe for concurrent use.
package reasons
