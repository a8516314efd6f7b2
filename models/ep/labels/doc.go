// Package labels predicts the classes of events from their places on the map, with sparse
// expectation propagation on uncertain inputs (package ep), and from votes of nearby labelled
// events.
//
//	Train      a Classifier from places, scales, rows and classes, warm-started from another one
//	Predict    classes and their probabilities, for many events at once; PredictNames, by name
//	Parts      a Classifier as parts of a snapshot, which Open reads
//	Pool       a bounded sample of the labelled events of a stream
//
// # Opinions
//
// A prediction combines up to six opinions, each of which is a distribution over the classes:
//
//	local         a process on the part of the map that contains the event (local.go)
//	votes         of the nearest labelled events, on the map and among projected
//	              vectors (vote.go); each counted in two ways, sharply and broadly
//	planes        least squares on projected vectors (linear.go), which
//	              need few labels
//
// One process with one length scale cannot represent a map of hundreds of islands. So k-means
// divides the labelled places into parts of some 128, each with a process of its own. It separates
// each of the part's classes from the rest, with some dozen inducing inputs and a length scale in
// proportion to the part's radius. It is also learnt from as many events around the part, so that
// neighbouring parts nearly agree at their border. The part with the nearest centre predicts a
// place.
//
// # Probabilities
//
// A logarithmic opinion pool combines the opinions for all classes at once (blend.go). Its weights
// maximise the log score on the labelled events, with each event left out of its own prediction: it
// does not vote for itself, and the cavity of its site is the process without it. So the weights
// also calibrate, and a redundant opinion has weight 0. If that is significantly better, weights
// depend on the scale of the event's place, so that the map counts less if a place is uncertain.
// The counting of votes, the length and the variance of processes, and the share of a place's
// variance are chosen by the same score.
//
// Classes without neighbours keep a small share in proportion to their frequency. If an event is
// farther from its labelled neighbours than .999 of the labelled events are from theirs, its
// probabilities are mixed with the frequencies of the classes, with the share 1 -
// (usual/distance)^2. So the largest probability of an unknown event is about the share of the most
// frequent class. The probability of a single class depends on the number of its events (rule of
// succession).
//
// # Uncertain places
//
// The input of a point is N(mu, c sigma^2 I), where mu and sigma are its place and scale on the
// map. The factor c is 1, 1/4, or 0 if scales do not matter for classes, whichever predicts the
// classes of left-out points best. So a point that may lie on either side of a border gets a
// probability between those of both sides, however certain each is. Settings.Certain ignores
// scales, also in the weights.
//
// Variances change the covariances of a process by a factor of (1 + variance/length^2)^(-1/2) in each
// dimension. On most maps a scale is a few hundredths of the length over which classes change
// (Report.Blur), and nothing comes of it. Where nine of ten variances are below a twentieth of the squared
// length scale they are not tried, so that training spends nothing on them.
//
// # Cost
//
// A sweep takes O(n m^2) per class of a part, with n events and m inducing inputs. In total this is
// O(N m^2) times the classes per part, independent of the classes of the map. A warm start from the
// previous map's sites saves most sweeps. Every prediction needs a search among the labelled events
// (package ivf), which are part of the snapshot. At most mostClasses classes are supported.
//
// # Contract
//
// The prediction of an event depends only on the event and the Classifier, not on the batch or the
// number of threads. A Classifier is immutable. Training is a function of its arguments. Sites and
// scale start from those of an older Classifier. Errors that lie in the data match
// models.ErrBadInput. Classifiers of the first format, one process for the whole map, can still be
// opened and give the same predictions (whole.go).
package labels
