// Package distance defines the distances between rows that searches support, and computes them for
// one pair at a time.
//
//	Euclidean       what everything is made for; the zero value
//	Manhattan       sums of absolute differences
//	Chebyshev       the largest absolute difference
//	Minkowski       sums of powers of absolute differences
//	Canberra        sums of differences, each as a share of its two values
//	BrayCurtis      of values not below 0: sums of differences as a share of all values
//	Jaccard         of rows of 0 and 1: the share of differing columns among those with a 1
//	Dice            of rows of 0 and 1: differing columns as a share of the ones of both rows
//	RogersTanimoto  of rows of 0 and 1: differing columns count double, beside those that agree
//	SokalSneath     of rows of 0 and 1: the same without columns of two zeros
//
// # Formulas
//
// Lists of neighbours, edges and tables store d2, which replaces the squared Euclidean distance:
// its root is a metric. For rows x and y of n columns, their columns A and B with a 1, and the
// number h of columns that differ,
//
//	Euclidean       d2 = sum_k (x_k - y_k)^2
//	Manhattan       d2 = sum_k |x_k - y_k|
//	Chebyshev       d2 = (max_k |x_k - y_k|)^2
//	Minkowski       d2 = sum_k |x_k - y_k|^p for p < 2, (sum_k |x_k - y_k|^p)^(2/p) for p > 2
//	Canberra        d2 = sum_k |x_k - y_k| / (|x_k| + |y_k|), without columns where both are 0
//	BrayCurtis      d2 = sum_k |x_k - y_k| / sum_k (x_k + y_k), 0 if all values are 0
//	Jaccard         d2 = h / |A or B|
//	Dice            d2 = h / (|A| + |B|)
//	RogersTanimoto  d2 = 2h / (n + h)
//	SokalSneath     d2 = 2h / (|A and B| + 2h)
//
// The last four are 0 if no column differs. Most d2 are the distance itself. Those of Euclidean,
// Chebyshev and Minkowski with p > 2 are its square, and that of Minkowski with p < 2 is its p-th
// power. d2 and the distance order rows alike.
//
// The root of d2 is a Euclidean distance in as many dimensions as there are rows (Schoenberg 1938;
// Gower and Legendre 1986), so that models may treat it as one. For Canberra, Bray-Curtis and Dice
// the reason is that min(a, b) and 1/(a + b) are positive definite for a, b > 0, and so are their
// products. The exceptions are Chebyshev and Minkowski with p > 2: the root of d2 is a metric, but
// not Euclidean in any number of dimensions.
//
// # Exactness
//
// A d2 is symmetric bit for bit. It is 0 only for rows that are equal, or whose difference
// underflows. Terms are not negative and rounding is monotone, so that a sum of terms over some of
// the columns never exceeds the whole. Therefore Within may stop early, and Box may exclude all rows of
// a box, without a margin for rounding except the one in Box.
//
// # Contract
//
// Rows must have equal length and finite values below 1e150 in magnitude; for distances of bits,
// values must be 0 or 1, and for Bray-Curtis not below 0 (Check).
package distance
