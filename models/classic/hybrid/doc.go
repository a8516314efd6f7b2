// Package hybrid learns one latent space for vectors and labels. A sparse GP-LVM of the vectors and
// a probit classifier of the labels share their uncertain inputs (ep.Hybrid; Andrade-Pacheco,
// Hensman, Zwiessele and Lawrence, AISTATS 2014, S.33 to S.35). It is the kind gplvm with
// supervision.
//
//	Fit       learns a bounded sample of the rows, of which some have labels
//	Placer    places vectors by maximizing the bound, decodes places, and returns likelihoods
//	Parts     returns the model as parts of a snapshot; the classifier is a labels.Whole
//
// # Learning
//
// Learning starts at the principal components, with half of the steps for the vectors alone. Labels
// would otherwise tear apart groups that the vectors would join. Then the classifier learns its
// kernel at fixed places, because the bound of the vectors far outweighs that of the labels and
// would leave the kernel unchanged. The other half of the steps uses both, and then the classifier
// learns once more. The vectors of all rows are used, with and without a label.
//
// Missing values (NaN) take no part in the bound: every column is a process of the rows in which it
// is observed. Afterwards they are replaced by the model's predictions.
//
// # Placing
//
// A vector y has no label. Its input N(mu, diag s) maximizes the gain of the bound: the expected
// log-likelihood of y under the optimal q(u) of the data, minus the divergence from the prior.
// sigma^2 is the geometric mean of s. A dimension that the vectors do not need keeps the variance
// of the prior, which would dominate an arithmetic mean.
//
// Values of y may be missing (NaN). The processes of the columns are independent given the input,
// so the marginal bound is the bound without the missing columns. The missing values are then
// replaced by the model's predictions at the place. Neighbours and novelty use the completed
// vector. If values were missing in learning, the variances of the processes differ by columns; a
// vector with missing values is placed by their mean.
//
// # Classes
//
// The classifier predicts from the place and its scale, N(mu, sigma^2 I), and integrates over this
// distribution. A place between two classes therefore has similar probabilities of both.
//
// # Cost
//
// A gradient takes O(n m^2 (C + 1)) operations for m inducing inputs and C classes, and O(n m^2 + m^3)
// for every group of columns that are observed in the same rows if values are missing. Placing a
// vector takes O(m^2) in each of a few dozen steps.
package hybrid
