// Package distance names the distances between rows that searches know, and measures them one pair
// at a time.
//
//	Euclidean    what everything is made for; the zero value
//	Manhattan    sums of absolute differences
//	Chebyshev    the largest absolute difference
//	Jaccard      of rows of 0 and 1: the share of differing columns among those with a 1
//
// # Formulas
//
// Lists of neighbours, edges and tables hold d2, which takes the place of a squared Euclidean
// distance: its root is a metric. Of rows x and y, with A and B the columns that hold a 1,
//
//	Euclidean    d2 = sum_k (x_k - y_k)^2
//	Manhattan    d2 = sum_k |x_k - y_k|
//	Chebyshev    d2 = (max_k |x_k - y_k|)^2
//	Jaccard      d2 = (|A or B| - |A and B|) / |A or B|, 0 if neither has a 1
//
// For Manhattan and Jaccard d2 is the distance itself. Its root is a Euclidean distance in as many
// dimensions as there are rows (Schoenberg 1938; Gower and Legendre 1986), so that nothing is lost by
// taking it for one. The root of Chebyshev's d2 is the distance (in no number of dimensions
// Euclidean). Order is the same by d2 and by the distance.
//
// # Exactness
//
// A d2 is symmetric bit for bit, and 0 only of rows that are equal, or whose difference is below the
// number range. Sums are of terms that are not negative and rounding is monotone, so that a sum over some of the
// columns is never above the whole: Within may leave a pair early, and Box may leave out all
// rows of a box, without a margin for rounding but the one that Box says.
//
// # Contract
//
// Rows are of equal length and finite, below 1e150 in magnitude; those of Jaccard are of 0 and 1 (Check).
package distance
