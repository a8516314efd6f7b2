// Package labels predicts the classes of events from where they are on the map: sparse
// expectation propagation on uncertain inputs (package ep), one class against the
// rest, trained from the labelled points of a map.
//
//	Train      a Classifier from means, scales and classes, warm from another one
//	Predict    classes and their probabilities, for many places at once; PredictNames, by name
//	Parts      a Classifier as parts of a snapshot, Open for the way back
//	Pool       a bounded sample of the labelled events of a stream
//
// # Cost
//
// Kernel and inducing inputs are the same for all classes, so exponentials are computed
// once for all of them (ep.Joint). The kernel is learnt from some hundred events
// and the most frequent classes. A sweep takes O(n m^2) for each class, and most sweeps are
// saved when the sites of the map before are known. There may be mostClasses.
//
// # Uncertain places
//
// A point is at N(mu, c sigma^2 I), where mu and sigma are its place and scale on
// the map. The factor c is 1, or less if that foretells the classes of other
// labelled points better; where scales say nothing of classes it may be 0, and
// places are as good as certain. A point that may lie
// on either side of a border is thereby given a probability near that of both
// sides, however sure the classifier is of each. Settings.Certain leaves scales out.
//
// # Probabilities
//
// With p_c that of class c against the rest, class c has the probability p_c/sum p.
// Two classes share one function, and p_0 + p_1 = 1. A single class has p_0 itself.
// Far away from all points all classes are alike.
//
// # Contract
//
// What Predict says of a place depends on that place and the Classifier alone: not
// on the batch, nor on the number of threads. A Classifier is immutable. Training is
// a function of its arguments; sites and kernel start where an older Classifier's
// ended. Errors that lie in the data match models.ErrBadInput.
package labels
