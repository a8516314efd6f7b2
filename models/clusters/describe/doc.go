// Package describe describes clusters in a few words, by the properties that distinguish them.
//
//	Describe   the columns in which each cluster is most unlike the rest, and its labels
//
// For each cluster and column, with "in" the cluster's rows and "out" all others:
//
//	z = (median_in - median_out) / (1.4826 MAD)                           (1)
//	o = log((a + 1/2)/(n_in - a + 1/2)) - log((b + 1/2)/(n_out - b + 1/2)) (2)
//	d = o sqrt(3)/pi                                                      (3)
//
// (1) is for numbers. MAD is the median absolute deviation of all rows. If more than half of the
// values are equal, 1.2533 times the mean absolute deviation replaces the denominator. (1) is
// robust against a few extreme values (Iglewicz and Hoaglin, "How to detect and handle outliers",
// 1993). (2) is for categories: the log-odds of a rows of n_in that are in the category against b
// of n_out, with half a row added to each so that none is infinite (Haldane 1956, Anscombe 1956).
// (3) brings it to the scale of (1): the difference of means in standard deviations that logistic
// variables of these odds would have (Chinn, "A simple method for converting an odds ratio to
// effect size", 2000). Traits are ordered by the absolute value of the effect. A category counts
// only if it is more frequent than elsewhere.
//
// A cluster is named by the most frequent label of its rows, or else by its largest traits. Either
// must have a large effect (Cohen 1988: 0.8), because a label that all rows have does not
// distinguish a cluster.
package describe
