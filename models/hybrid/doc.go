// Package hybrid learns one latent space for vectors and labels: a sparse GP-LVM of the vectors and a
// probit classifier of the labels share their uncertain inputs (ep.Hybrid; Andrade-Pacheco, Hensman,
// Zwiessele and Lawrence, AISTATS 2014, S.33 to S.35). It is kind gplvm with supervision.
//
//	Fit       learns a bounded sample of the rows, of which some have labels
//	Placer    places vectors by the bound, and leads back into the data
//	Parts     the model as parts of a snapshot; the classifier is one of package labels (labels.Whole)
//
// # Learning
//
// Learning starts at the principal components, with half of the steps on the vectors alone: labels
// that pull from the start tear groups apart that the vectors would join. Then the classifier learns
// its kernel where the places are, since the bound of the vectors outweighs that of the labels by far
// and would leave it as it is. The other half of the steps is on both, and the classifier learns once more.
// All rows take part with their vectors, those without a label too.
//
// # Placing
//
// A vector y has no label. Its input is N(mu, diag s) where what the bound gains is largest: the
// expected log-likelihood of y by the optimal q(u) of the data, less the divergence from the prior.
// sigma^2 is the geometric mean of s: a dimension that the vectors do not need keeps the variance of
// the prior, which an arithmetic mean would show as that of the place.
//
// # Classes
//
// The classifier predicts from the place and its scale, N(mu, sigma^2 I): uncertain inputs are
// integrated out, so that a place between two classes has a probability near that of both.
//
// # Cost
//
// A gradient takes O(n m^2 (C + 1)) for m inducing inputs and C classes, placing a vector O(m^2) in
// each of some dozen steps.
package hybrid
