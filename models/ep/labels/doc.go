// Package labels predicts the classes of events: from where they are on the map, by
// sparse expectation propagation on uncertain inputs (package ep), and from the labelled
// events near them, which vote.
//
//	Train      a Classifier from places, scales, rows and classes, warm from another one
//	Predict    classes and their probabilities, for many events at once; PredictNames, by name
//	Parts      a Classifier as parts of a snapshot, Open for the way back
//	Pool       a bounded sample of the labelled events of a stream
//
// # Opinions
//
// What is predicted of an event is made of up to six opinions, each a probability of every class:
//
//	local         a process on the part of the map where the event lies (local.go)
//	votes         of the nearest labelled events on the map, and among the events as the
//	              model sees them (vote.go); each counted in two ways, sharply and broadly
//	planes        through the events as the model sees them, by least squares (linear.go), which
//	              need few labels
//
// A map of hundreds of islands is more than one process with one length scale can follow. So
// the labelled places are cut into parts of some 128 by k-means, and each has a process of its own:
// one class against the rest for the classes that it has, some dozen inducing inputs and
// a length scale in proportion to its radius. It is learnt from as many events around the part
// besides, so that neighbours nearly agree where they meet. A place is judged by the part whose
// centre is nearest.
//
// # Probabilities
//
// The opinions are blended by a logarithmic opinion pool (blend.go), all classes at once. Its
// weights are those that give the labelled events the largest log score, each judged by the
// others alone: nobody votes for itself, and the cavity of a site is what a process knows
// without that event. So the weights calibrate, too, and an opinion that says nothing new gets none. Where that is
// surely better, they follow the scale of the event's place: what the map says counts less where a place is less certain.
// How votes are counted, the processes' length and variance, and how much of a place's variance
// counts are chosen in the same way.
//
// Classes that the neighbours know nothing of keep a small share, after their frequency. An
// event that is further from the labelled events near it than .999 of these are from theirs
// is strange: its probabilities move towards the frequencies of the classes, by 1 - (usual/distance)^2.
// So the largest probability of something unknown is about the share of the most frequent class.
// The probability of a single class is that there is no other, by how often it was seen.
//
// # Uncertain places
//
// A point is at N(mu, c sigma^2 I), where mu and sigma are its place and scale on
// the map. The factor c is 1, 1/4, or 0 where scales say nothing of classes: what predicts
// the classes of left out points best. A point that may lie
// on either side of a border is thereby given a probability near that of both
// sides, however sure the process is of each. Settings.Certain leaves scales out, also of the weights.
//
// Variances change the covariances of a process by a factor of (1 + variance/length^2)^(-1/2) in each
// dimension. On most maps a scale is a few hundredths of the length over which classes change
// (Report.Blur), and nothing comes of it. Where nine of ten variances are below a twentieth of the squared
// length scale they are not tried, so that training spends nothing on them.
//
// # Cost
//
// A sweep takes O(n m^2) for each class of a part, n its events and m its inducing inputs: in all
// O(N m^2) times the classes of a part, however many the map has. Most sweeps are
// saved when the sites of the map before are known. Votes need a search among the labelled
// events for every prediction (package ivf), and the events themselves: they are part of the snapshot.
// There may be mostClasses.
//
// # Contract
//
// What Predict says of an event depends on that event and the Classifier alone: not
// on the batch, nor on the number of threads. A Classifier is immutable. Training is
// a function of its arguments; sites and scale start where an older Classifier's
// ended. Errors that lie in the data match models.ErrBadInput. Classifiers of the first format,
// one process of the whole map, are still opened, and predict as they did (whole.go).
package labels
